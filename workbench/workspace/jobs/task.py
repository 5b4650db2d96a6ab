"""The work of a job as its own process sees it: how it tells its progress, sees a stop, and records how it ended."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Thread
from typing import Any

from sqlalchemy import update

from workbench.core import JobStopped, MissingError, WorkbenchError, is_panic, shorten
from workbench.workspace import lock
from workbench.workspace.job_tables import jobs as t
from workbench.workspace.jobs.job import ERROR_LIMIT, Job, as_json
from workbench.workspace.jobs.jobs import JobFiles, Jobs
from workbench.workspace.settings import Settings

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
        while in_turn:
            self.check_stop()
            with lock.acquired(self.jobs.folder / f"{self.job.kind}-turn.lock") as number:
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
        with self.jobs.engine.begin() as connection:
            stop = connection.execute(update(t).where(t.c.id == job.id).values(**stored).returning(t.c.stop)).scalar()
        if stop is not False and not self.stop.is_set():
            self.stop.set()
            self.on_stop()
