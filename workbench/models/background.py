"""Downloads that go on while nobody watches: started, looked at and cancelled by a model's name.

One process has one `Downloads`; its threads end with it, and what they brought is kept and gone on from.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Literal

from workbench.errors import WorkbenchError
from workbench.models.download import DownloadStopped, Progress, download

log = logging.getLogger("workbench.downloads")

UNEXPECTED = "The download failed in a way that should not be; the server's log has the details. What came is kept."
State = Literal["running", "stopped", "failed", "done"]


@dataclass(frozen=True, slots=True)
class DownloadStatus:
    """A download at one moment: bytes here and in all (0 until known), and a sentence where it has ended."""

    state: State
    done: int = 0
    total: int = 0
    sentence: str = ""


@dataclass
class _Job:
    looked: DownloadStatus = field(default_factory=lambda: DownloadStatus("running"))
    cancelled: Event = field(default_factory=Event)
    thread: Thread | None = None


class Downloads:
    """Safe to share between threads."""

    def __init__(self, fetch: Callable[[str, Progress, Callable[[], bool]], Path] = download) -> None:
        """`fetch` brings a model, as `models.download.download` does."""
        self._fetch = fetch
        self._jobs: dict[str, _Job] = {}
        self._lock = Lock()

    def start(self, name: str) -> None:
        """Begins, or goes on with, the download of a model; does nothing where it is running."""
        with self._lock:
            held = self._jobs.get(name)
            if held is not None and held.looked.state == "running":
                return
            job = self._jobs[name] = _Job()
        job.thread = Thread(target=self._run, args=(name, job), name=f"downloading {name}", daemon=True)
        job.thread.start()

    def cancel(self, name: str) -> None:
        """Ends a download; what came is kept."""
        job = self._jobs.get(name)
        if job is not None:
            job.cancelled.set()

    def look(self, name: str) -> DownloadStatus | None:
        """The download now; None where none was begun."""
        job = self._jobs.get(name)
        return None if job is None else job.looked

    def wait(self, name: str, seconds: float) -> None:
        """Until the download has ended, or for `seconds`."""
        job = self._jobs.get(name)
        if job is not None and job.thread is not None:
            job.thread.join(seconds)

    def _run(self, name: str, job: _Job) -> None:
        def note(done: int, total: int) -> None:
            if job.looked.state == "running":
                job.looked = DownloadStatus("running", done, total)

        def ended(state: State, sentence: str) -> None:
            job.looked = DownloadStatus(state, job.looked.done, job.looked.total, sentence)

        try:
            self._fetch(name, note, job.cancelled.is_set)
        except DownloadStopped as error:
            ended("stopped", str(error))
        except WorkbenchError as error:
            ended("failed", str(error))
        except Exception:
            log.exception("a download failed")
            ended("failed", UNEXPECTED)
        else:
            ended("done", "It is on this machine now.")
