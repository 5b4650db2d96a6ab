"""The process of a job: it takes its lock, stands back behind whatever else the machine does, and records its end."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Generic

from workbench.core import WorkbenchError, is_panic, shorten
from workbench.jobs.job_folder import JobFolder, S, now
from workbench.workspace import Settings, detached, lock, settings

BETWEEN = 0.4
"""Seconds between two writes of the status."""
ERROR_LIMIT = 300
"""Characters of an error that a library raised."""


_STOPPING = Event()
"""Set by SIGTERM: Python swallows what a handler raises within a destructor or a callback of a library's."""


class WorkStopped(BaseException):
    """Somebody asked the process to stop."""


@dataclass
class JobWork(Generic[S]):
    """The work of one job, which was claimed for this process."""

    place: JobFolder[S]
    status: S = field(init=False)
    _written: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        status = self.place.read()
        assert status is not None  # whoever claims a job writes one
        self.status = status

    def run(self, work: Callable[[], None], state: str = "running") -> None:
        """Does the work to its end, a stop or a failure, and records which; `work` records its success by `tell`."""
        try:
            self.tell(state=state, pid=os.getpid())  # from here on it can be stopped
            work()
        except WorkStopped:
            self.tell(state="stopped", pid=None)
        except WorkbenchError as error:
            self._fail(error.on_screen)
        except BaseException as error:
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            self._fail(f"{type(error).__name__}: {shorten(error, ERROR_LIMIT)}")

    def progress(self, phase: str, done: int, total: int) -> None:
        """Records how far the work is, at once in a new phase, else now and then; raises WorkStopped after a stop."""
        if _STOPPING.is_set():
            raise WorkStopped
        if phase != self.status.phase or time.monotonic() - self._written >= BETWEEN:
            self.tell(phase=phase, done=done, total=total)

    def tell(self, **values: object) -> None:
        """Records a change of the status."""
        self._written = time.monotonic()
        self.status = replace(self.status, updated=now(), **values)  # type: ignore[arg-type]
        self.place.write(self.status)

    def _fail(self, sentence: str) -> None:
        # Where a server keeps uploads means nothing to those who upload.
        self.tell(state="failed", error=sentence.replace(f"{self.place.staged}{os.sep}", ""), pid=None)


def run_worker(work: Callable[[Settings, str], None], stop: Event | None = None) -> None:
    """The life of a worker, `python -m MODULE JOB LOCK`: takes the lock that it was handed, works, and lets go.

    SIGTERM raises WorkStopped wherever the work is; with `stop`, it sets that, and the work looks at it.
    """

    def end(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough, also while things are put away
        if stop is None:
            _STOPPING.set()
            raise WorkStopped
        stop.set()

    job, number = sys.argv[1], int(sys.argv[2])
    lock.keep(number)
    detached.stand_back()
    signal.signal(signal.SIGTERM, end)
    try:
        work(settings.load(), job)
    finally:
        # Now, not when the process has put away its memory: whoever goes on with the job need not wait for that.
        os.close(number)
