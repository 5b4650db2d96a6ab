"""Downloads in the background: started, watched and cancelled by a model's name.

One process has one `Downloads`; its threads end with it, and a later download continues from what they left.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Literal

from workbench.core import WorkbenchError
from workbench.models.download import DownloadStopped, Progress, download
from workbench.workspace import carried, verb

log = logging.getLogger("workbench.downloads")

UNEXPECTED = "The download failed unexpectedly; the server's log has the details. What was received is kept."
State = Literal["running", "stopped", "failed", "done"]


@dataclass(frozen=True, slots=True)
class DownloadStatus:
    """A download at one moment: bytes here and in total (0 until known), and a message once it has ended."""

    state: State
    done: int = 0
    total: int = 0
    message: str = ""


@dataclass
class _Job:
    status: DownloadStatus = field(default_factory=lambda: DownloadStatus("running"))
    cancelled: Event = field(default_factory=Event)
    thread: Thread | None = None


class Downloads:
    """The downloads of a process, by model name; safe to share between threads."""

    def __init__(self, fetch: Callable[[str, Progress, Callable[[], bool]], Path] = download) -> None:
        """`fetch` downloads a model, as `models.download.download` does."""
        self._fetch = fetch
        self._jobs: dict[str, _Job] = {}
        self._lock = Lock()

    @verb("models.download", "{name}")
    def start(self, name: str) -> None:
        """Begin or continue the download of a model; do nothing where it is running."""
        with self._lock:
            previous = self._jobs.get(name)
            if previous is not None and previous.status.state == "running":
                return
            job = self._jobs[name] = _Job()
        job.thread = Thread(target=carried(self._run), args=(name, job), name=f"downloading {name}", daemon=True)
        job.thread.start()

    @verb("models.download", "{name}")
    def cancel(self, name: str) -> None:
        """End a download; what was received is kept."""
        job = self._jobs.get(name)
        if job is not None:
            job.cancelled.set()

    def status(self, name: str) -> DownloadStatus | None:
        """The state of a model's download; None where none was started."""
        job = self._jobs.get(name)
        return None if job is None else job.status

    def wait(self, name: str, seconds: float) -> None:
        """Wait until the download has ended, at most `seconds`."""
        job = self._jobs.get(name)
        if job is not None and job.thread is not None:
            job.thread.join(seconds)

    def _run(self, name: str, job: _Job) -> None:
        def report(done: int, total: int) -> None:
            if job.status.state == "running":
                job.status = DownloadStatus("running", done, total)

        def end(state: State, message: str) -> None:
            job.status = DownloadStatus(state, job.status.done, job.status.total, message)

        try:
            self._fetch(name, report, job.cancelled.is_set)
        except DownloadStopped as error:
            end("stopped", str(error))
        except WorkbenchError as error:
            end("failed", str(error))
        except Exception:
            log.exception("a download failed")
            end("failed", UNEXPECTED)
        else:
            end("done", "It is on this machine now.")
