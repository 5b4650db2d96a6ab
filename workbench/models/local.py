"""Models on this machine: where their files are, and how they are loaded and kept in memory. Nothing is fetched here.

A model is complete when it has its configuration, every weight file that its index lists, and the extra files that its
method needs; a half-downloaded one counts as missing, since libraries fill gaps with random numbers. It is loaded when
first used, kept on its device, and used by one thread at a time, in batches that memory holds.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from workbench.core import (
    DataError,
    MissingError,
    UsageError,
    WorkbenchError,
    component,
    file_fingerprint,
    fingerprint,
    package_versions,
    shorten,
)
from workbench.models import smollm2

WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")
HASHED_BYTES = 1 << 20
"""A file up to this size is fingerprinted by its bytes; a larger one by size and time of change, as hashing is slow."""
CONFIGS = ("*config*.json", "modules.json")
"""The files by which a model could name code to run."""
LIBRARY = "sentence_transformers."
SHORTEST = 8
"""The least number of tokens of an input: a few besides the special ones."""
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model on this machine.

    `name` is as a person typed it; `revision` is the hub's commit, or for a plain folder the fingerprint of its files.
    """

    name: str
    folder: Path
    revision: str

    @property
    def label(self) -> str:
        """The name for an identity: of a folder its last part, so that a moved model keeps its identity."""
        return self.folder.name if Path(self.name).expanduser().is_dir() else self.name

    def identity_as(self, kind: str, packages: Sequence[str], **parameters: object) -> str:
        """The identity of a component of this `kind` that loads the model through `packages`."""
        return component(
            kind, model=self.label, revision=self.revision, library=package_versions(*packages), **parameters
        )


def find_model(name: str, *, hub_name: str = "", revision: str = "main", facts: str = "") -> LocalModel:
    """The model called `name`: a folder, a hub model (`owner/model`) that was downloaded, or smollm2.

    `hub_name` is the hub's id for a short name. `facts` (size, licence) are for the message where it is missing.
    Raises UsageError for a name that can be neither and for a model that needs its own code, MissingError with the
    command that downloads it.
    """
    if name == smollm2.NAME:
        return LocalModel(name, smollm2.smollm2_checkpoint(), smollm2.SHA256[:12])
    folder = Path(name).expanduser()
    if folder.is_dir():
        _check_complete(name, folder, facts)
        _check_no_code(name, folder)
        return LocalModel(name, folder.absolute(), _fingerprint(folder))
    hub = hub_name or name
    if name.startswith(("/", ".", "~")):
        raise MissingError(
            f"There is no model folder {shorten(name)}; give a folder with config.json and weights in it."
        )
    if not HUB_NAME.fullmatch(hub):
        raise UsageError(f"“{shorten(hub)}” is not a model: give a folder, or owner/model as on the hub (BAAI/bge-m3).")
    snapshot = _downloaded(hub, revision)
    if snapshot is None:
        raise _missing(name, facts)
    _check_complete(name, snapshot, facts)
    _check_no_code(name, snapshot)
    return LocalModel(name, snapshot, snapshot.name)


def require_files(model: LocalModel, files: Sequence[str]) -> None:
    """Check for files that a way of using the model needs. Raises MissingError where the folder lacks one."""
    absent = [file for file in files if not (model.folder / file).is_file()]
    if absent:
        raise MissingError(
            f"The model “{shorten(model.name)}” lacks {', '.join(absent)}; take a model made for this use, or "
            f"download all of it: python -m workbench models download {shorten(model.name)}"
        )


def require_architecture(model: LocalModel, ending: str, use: str) -> None:
    """Check that config.json names an architecture that ends in `ending`, as `use` needs.

    A library loads any other model all the same, with a head of random numbers. Raises MissingError.
    """
    try:
        config = json.loads((model.folder / "config.json").read_text(encoding="utf-8"))
        names = [str(name) for name in config.get("architectures") or ()]
    except (OSError, ValueError, AttributeError, TypeError):
        names = []
    if not any(name.endswith(ending) for name in names):
        raise MissingError(
            f"The model “{shorten(model.name)}” ({', '.join(names) or 'of no stated architecture'}) is not a {use}; "
            f"take one whose config.json names a …{ending}."
        )


def longest_input(model: LocalModel, max_length: int) -> int:
    """`max_length` tokens, or as many as the model has positions for, whichever is less.

    Past its last position a model fails, and on CUDA takes the process with it. Raises UsageError below SHORTEST.
    """
    if max_length < SHORTEST:
        raise UsageError(f"A max_length of {max_length} tokens leaves no text; give at least {SHORTEST}, such as 512.")
    try:
        config = json.loads((model.folder / "config.json").read_text(encoding="utf-8"))
        # RoBERTa counts positions from the number after its padding token's.
        first = int(config.get("pad_token_id") or 0) + 1 if "roberta" in str(config.get("model_type")) else 0
        positions = int(config.get("max_position_embeddings") or 0) - first
    except (OSError, ValueError, AttributeError, TypeError):
        return max_length
    return min(max_length, positions) if positions > 0 else max_length


@contextmanager
def loading(model: LocalModel) -> Iterator[None]:
    """Turn whatever a library raises for a model's files into a DataError of one sentence."""
    try:
        yield
    except (WorkbenchError, MemoryError):
        raise
    except Exception as error:
        raise DataError(
            f"The model “{shorten(model.name)}” could not be loaded ({type(error).__name__}: {shorten(error)}); if its "
            f"files are damaged, download it again: python -m workbench models download {shorten(model.name)}"
        ) from error


def _downloaded(hub_name: str, revision: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(hub_name, revision=revision, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        return None


def _missing(name: str, facts: str) -> MissingError:
    about = f" ({facts})" if facts else ""
    return MissingError(
        f"The model “{shorten(name)}”{about} is not on this machine; download it with: "
        f"python -m workbench models download {shorten(name)}"
    )


def _check_complete(name: str, folder: Path, facts: str) -> None:
    weights = [path for path in folder.rglob("*") if path.suffix in WEIGHTS and path.is_file()]
    configured = (folder / "config.json").is_file() or (folder / "modules.json").is_file()
    if not weights or not configured or not all((path.parent / part).is_file() for path, part in _shards(folder)):
        about = f" ({facts})" if facts else ""
        raise MissingError(
            f"The model “{shorten(name)}”{about} in {shorten(folder)} is incomplete: it needs config.json and all its "
            f"weights; download it again: python -m workbench models download {shorten(name)}"
        )


def _check_no_code(name: str, folder: Path) -> None:
    """Raises UsageError for a model whose files name code to run, in the folder or on the hub.

    Libraries are told not to trust it either; this gives one sentence before any of them reads the folder.
    """
    for path in sorted({path for pattern in CONFIGS for path in folder.rglob(pattern)}):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            code = _named_module(content) if path.name == "modules.json" else _named_code(content)
        except (OSError, ValueError, RecursionError):
            continue  # the library that reads it will report errors
        if code:
            raise UsageError(
                f"The model “{shorten(name)}” needs code of its own ({path.name} names {shorten(code)}), which the "
                "workbench never runs; take a model that transformers and sentence-transformers know."
            )


def _named_module(modules: object) -> str:
    """The first class outside sentence-transformers that `modules.json` names, "" for none."""
    names = (item.get("type") for item in modules if isinstance(item, dict)) if isinstance(modules, list) else ()
    return _first_outside(names)


def _named_code(config: object) -> str:
    """The first class outside the libraries that a configuration names, at any depth; "" for none.

    >>> _named_code({"auto_map": {"AutoModel": "modeling_mine.Mine"}}), _named_code({"model_type": "bert"})
    ('modeling_mine.Mine', '')
    """
    if isinstance(config, dict):
        if code := config.get("auto_map"):
            return _first_text(code)
        types = config.get("types")  # the modules of a sentence-transformers router
        named = _first_outside(types.values()) if isinstance(types, dict) else ""
        return named or next(filter(None, map(_named_code, config.values())), "")
    return next(filter(None, map(_named_code, config)), "") if isinstance(config, list) else ""


def _first_text(value: object) -> str:
    while isinstance(value, dict | list) and value:
        value = next(iter(value.values() if isinstance(value, dict) else value))
    return str(value)


def _first_outside(names: Iterable[object]) -> str:
    return next((name for name in names if isinstance(name, str) and not name.startswith(LIBRARY)), "")


def _shards(folder: Path) -> list[tuple[Path, str]]:
    """Each weight file that an index of `folder` lists, with that index."""
    shards: list[tuple[Path, str]] = []
    for index in folder.glob("*.index.json"):
        try:
            parts = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # another kind of index; the library that reads it will report errors
        shards += [(index, str(part)) for part in sorted(parts)]
    return shards


def _fingerprint(folder: Path) -> str:
    files: list[list[object]] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        place = path.relative_to(folder)
        if any(part.startswith(".") for part in place.parts):
            continue
        facts = path.stat()
        small = facts.st_size <= HASHED_BYTES
        files.append([place.as_posix(), facts.st_size, file_fingerprint(path) if small else facts.st_mtime_ns])
    return fingerprint("model", files)


Loaded = TypeVar("Loaded")

DEVICE_NAME = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device(device: str) -> str:
    """`device` where it is a device name. Raises UsageError; does not load torch."""
    if not DEVICE_NAME.fullmatch(device):
        raise UsageError(f"Unknown device “{shorten(device)}”. Allowed: auto, cpu, cuda, cuda:N. For example: auto")
    return device


def torch_device(device: str) -> str:
    """Torch's name for `device`. Raises MissingError where the machine does not have it."""
    import torch

    if check_device(device) == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda"):
        number = int(device.partition(":")[2] or 0)
        if not torch.cuda.is_available() or number >= torch.cuda.device_count():
            raise MissingError(f"There is no device {device} on this machine; use the device auto or cpu.")
    return device


def half_precision(device: str) -> bool:
    """Whether to compute in 16 bits: on CUDA only, where it is faster; on a CPU it is slower and less exact."""
    return device.startswith("cuda")


class Resident(Generic[Loaded]):
    """A loaded model: what `load` makes of a model's files, on one device."""

    def __init__(self, model: LocalModel, device: str, load: Callable[[str], Loaded]) -> None:
        """`device` is auto, cpu, cuda or cuda:N; `load` is given torch's name for it. Raises UsageError for another."""
        self._model = model
        self._device = check_device(device)
        self._load = load
        self._loaded: Loaded | None = None
        # Also held while computing: a tokenizer has state, and must not be used by two threads at once.
        self._lock = Lock()

    @contextmanager
    def use(self) -> Iterator[Loaded]:
        """The loaded model, for this thread alone.

        Raises MissingError where the machine lacks the device, DataError where the files cannot be loaded.
        """
        with self._lock:
            if self._loaded is None:
                device = torch_device(self._device)
                with loading(self._model):
                    self._loaded = self._load(device)
                # A method of the component that has this attribute would keep both, and the model's memory, alive.
                del self._load
            yield self._loaded


Item = TypeVar("Item")
Result = TypeVar("Result")

START = {"cuda": 256, "cpu": 32}
"""The first size tried. A CPU gains nothing from more and keeps all activations in memory."""

MEMORY_ERROR_WORDS = ("out of memory", "alloc_failed", "can't allocate")
"""What the message of a plain RuntimeError contains where memory ran out."""


class BatchSize:
    """A batch size that shrinks to what memory holds and stays there."""

    def __init__(self, start: int) -> None:
        """`start` is the first size tried. Raises UsageError below 1."""
        if start < 1:
            raise UsageError(f"A batch holds at least 1 text, not {start}.")
        self.value = start

    @classmethod
    def for_device(cls, device: str, preferred: int = 0) -> BatchSize:
        """`preferred`, or what is usual on `device` where it is 0."""
        return cls(preferred or START["cuda" if device.startswith("cuda") else "cpu"])

    def shrink(self) -> None:
        """Halves the size. Raises WorkbenchError at 1, since there is nothing left to halve."""
        if self.value == 1:
            raise WorkbenchError(
                "Memory ran out on a single text; choose the device cpu, a smaller model or a lower max_length."
            )
        self.value //= 2


def out_of_memory(error: BaseException) -> bool:
    """Whether `error` means that memory ran out, on either kind of device."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    # The CPU's allocator and some CUDA libraries raise plain RuntimeError; only the message shows the cause.
    message = str(error).lower()
    return isinstance(error, RuntimeError) and any(words in message for words in MEMORY_ERROR_WORDS)


def in_batches(
    items: Sequence[Item], size: BatchSize, run: Callable[[Sequence[Item]], Result]
) -> list[tuple[int, Result]]:
    """`run` over consecutive slices of `items`, each with the place of its first one.

    Where memory runs out, the slice is tried again at half the size. Put the longest items first: then the first
    slice finds the size that suits the rest. Other errors pass through.
    """
    done: list[tuple[int, Result]] = []
    start = 0
    while start < len(items):
        part = items[start : start + size.value]
        try:
            result = run(part)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
        else:
            done.append((start, result))
            start += len(part)
            continue
        # Outside the handler: the caught error holds the frames, and with them the tensors that fill the memory.
        size.shrink()
        _free()
    return done


def _free() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
