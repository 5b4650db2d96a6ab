"""The process of a job: `python -m workbench.workspace.jobs.worker JOB LOCK` works to the end, a stop or a failure.

LOCK is the number of the lock that it was handed. A stop is a column of the job's row, or SIGTERM. The work tells its
progress and sees a stop through a `RunningJob`, which records how it ended.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event, Lock, Thread
from typing import Any

from sqlalchemy import update

from workbench.core import JobStopped, MissingError, UsageError, WorkbenchError, is_panic, shorten
from workbench.workspace import detached, lock, settings
from workbench.workspace.database import writing
from workbench.workspace.jobs.job import ERROR_LIMIT, KINDS, Job, as_json
from workbench.workspace.jobs.jobs import JobFiles, Jobs
from workbench.workspace.settings import Settings
from workbench.workspace.tables import jobs as t

HEARTBEAT = 0.5
"""Seconds between two writes of a job's row, which are looks at whether it shall stop as well."""


def nothing() -> None:
    """Does nothing."""


@dataclass
class RunningJob:
    """The work of a job that was claimed for this process. Progress may be told from any thread.

    `stop` is set once the job shall stop; `on_stop` is called then. `on_beat` is called at each heartbeat, to store
    what the kind keeps elsewhere, and `on_done` once the job is recorded as done.
    """

    jobs: Jobs
    job: Job
    stop: Event = field(default_factory=Event)
    on_stop: Callable[[], None] = nothing
    on_beat: Callable[[], None] = nothing
    on_done: Callable[[], object] = nothing
    _lock: Lock = field(init=False, repr=False, default_factory=Lock)

    @property
    def settings(self) -> Settings:
        """The settings of the workspace."""
        return self.jobs.settings

    @property
    def files(self) -> JobFiles:
        """The files of the job."""
        return self.jobs.files(self.job.id)

    def progress(self, phase: str, done: int, total: int) -> None:
        """Tells how far the work is; the next heartbeat records it. Raises JobStopped once it shall stop."""
        self.tell(phase, done, total)
        self.check_stop()

    def tell(self, phase: str, done: int, total: int, **result: Any) -> None:
        """As `progress`, without a stop; further values are added to the job's result."""
        self._change(result, phase=phase, done=done, total=total)

    def check_stop(self) -> None:
        """Raises JobStopped once the job shall stop."""
        if self.stop.is_set():
            raise JobStopped

    @contextmanager
    def at_work(self, *, in_turn: bool = False) -> Iterator[None]:
        """Records that the work begins, that it goes on, and how it ends. What it raises is passed on.

        `in_turn`: it begins once no other job of its kind that waits for its turn is at work.
        """
        state, ending = "done", ""
        try:
            self._write(state="waiting" if in_turn else "running", pid=os.getpid())
            with self._heartbeat(), self._turn(in_turn):
                yield
        except JobStopped as reason:
            state, ending = "stopped", str(reason)
            raise
        except WorkbenchError as error:
            state, ending = "failed", error.on_screen
            raise
        except BaseException as error:
            state = "stopped"  # by Ctrl+C
            if isinstance(error, Exception) or is_panic(error):
                state, ending = "failed", f"{type(error).__name__}: {shorten(error, ERROR_LIMIT)}"
            raise
        finally:
            # Where a server keeps uploads means nothing to those who upload.
            sentence = ending.replace(f"{self.files.staged}{os.sep}", "")
            self._write(state=state, error=sentence, ended=time.time())

    def note(self, **result: Any) -> None:
        """Adds values to the job's result, which the next heartbeat or the end records."""
        self._change(result)

    def _change(self, result: Mapping[str, Any], **values: Any) -> Job:
        # The heartbeat's thread changes the job as well: neither may take back what the other has just told.
        with self._lock:
            self.job = replace(self.job, result={**self.job.result, **result}, **values)
            return self.job

    @contextmanager
    def _turn(self, in_turn: bool) -> Iterator[None]:
        queue = f"{self.job.kind}-short" if self.job.parameters.get("short") else self.job.kind
        while in_turn:
            self.check_stop()
            with lock.acquired(self.jobs.folder / f"{queue}-turn.lock") as number:
                if number is not None:
                    self._write(state="running")
                    yield
                    return
        yield

    @contextmanager
    def _heartbeat(self) -> Iterator[None]:
        ended = Event()

        def beat() -> None:
            while not ended.wait(HEARTBEAT):
                # A database out of reach for a moment: the next heartbeat tells as much.
                with suppress(MissingError):
                    self._write()
                    self.on_beat()

        thread = Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.on_beat()

    def _write(self, **values: object) -> None:
        """Writes the row, and sees whether the job shall stop; one that was removed shall."""
        job = self._change({}, heartbeat=time.time(), **values)
        stored = {
            **values,
            "heartbeat": job.heartbeat,
            "phase": job.phase,
            "done": job.done,
            "total": job.total,
            "result": as_json(dict(job.result)),
        }
        with writing(self.jobs.engine) as connection:
            stop = connection.execute(update(t).where(t.c.id == job.id).values(**stored).returning(t.c.stop)).scalar()
        if stop is not False and not self.stop.is_set():
            self.stop.set()
            self.on_stop()


def task_of(config: Settings, job_id: str) -> RunningJob:
    """The work of a job that was claimed for this process. Raises UsageError for one that does not exist."""
    jobs = Jobs(config)
    job = jobs.job(job_id)
    if job is None:
        raise UsageError(f"There is no job “{shorten(job_id)}”.")
    return RunningJob(jobs, job)


def work(task: RunningJob) -> None:
    """Does the work of a job, and records how it ends: a failure is in its row, for whoever looks."""
    kind = KINDS[task.job.kind]
    try:
        with task.at_work(in_turn=kind.in_turn):
            task.note(**(kind.function()(task, kind.checked(task.job.parameters)) or {}))
        task.on_done()
    except (JobStopped, WorkbenchError):
        pass
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        traceback.print_exc()


def main() -> None:
    """Takes the lock that was handed over, works, and releases it."""
    job_id, number = sys.argv[1], int(sys.argv[2])
    lock.keep(number)
    try:
        task = task_of(settings.load(), job_id)
        kind = KINDS[task.job.kind]
        if kind.in_background:
            detached.stand_back()
        signal.signal(signal.SIGTERM, partial(_stop, task.stop, kind.breaks_off))
        task.on_stop = partial(os.kill, os.getpid(), signal.SIGTERM)
        work(task)
    finally:
        # Now, not when the process has put away its memory: whoever resumes the job need not wait for that.
        with suppress(OSError):
            lock.release(number)


def _stop(stop: Event, breaks_off: bool, _number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough, also while things are put away
    # Python swallows what a handler raises within a destructor: the next look at `stop` raises it again.
    stop.set()
    if breaks_off:
        raise JobStopped


if __name__ == "__main__":
    main()
