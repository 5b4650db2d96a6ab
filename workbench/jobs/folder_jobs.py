"""All jobs of one kind in a workspace: staged, started, watched, stopped, gone on with and discarded by any process."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Generic
from uuid import uuid4

import regex

from workbench.core import UsageError
from workbench.jobs.job_folder import JobFolder, S, now
from workbench.workspace import Settings, atomic, detached, lock, verb

JOB = regex.compile(r"[0-9a-f]{32}")
IDLE = 7 * 24 * 3600.0
"""Seconds after which jobs at rest are removed with their files."""


@dataclass(frozen=True, slots=True)
class FolderJobs(Generic[S]):
    """The jobs of one kind. A kind states its folder in the workspace, its worker's module and two sentences."""

    folder_name: ClassVar[str]
    worker: ClassVar[str]
    gone: ClassVar[str]
    """What to say of a job that does not exist."""
    busy: ClassVar[str]
    """What to say where a job at work is to be changed."""

    settings: Settings

    def kind(self) -> type[S]:
        """The class of the kind's statuses."""
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        """Where the jobs' folders are."""
        return self.settings.home / self.folder_name

    def files(self, job: str) -> JobFolder[S]:
        """The folder of a job. Raises UsageError for what is not one's name."""
        return JobFolder(self._place(job), self.kind())

    @verb("imports.change", "{job}")
    def stage(self, files: Iterable[tuple[str, bytes | memoryview]], job: str = "") -> str:
        """Puts files, by paths that lead down, on disk as a new job or into one at rest; returns the job.

        A file replaces one of the same path. Raises UsageError for a path that leads elsewhere, a job that is at work.
        """
        self.sweep()
        place = self.files(job or uuid4().hex)
        with lock.acquired(place.lock) as number:
            if number is None:
                raise UsageError(self.busy)
            before = place.read() or self.kind()(place.folder.name, started=now())
            for path, data in files:
                check_path(path)
                atomic.write_bytes(place.staged / path, bytes(data))
            place.write(replace(before, state="staged", error="", updated=now()))
        return place.folder.name

    def list(self) -> list[S]:
        """All jobs, the latest first."""
        statuses = [status for entry in self._entries() if (status := self.files(entry.name).read())]
        return sorted(statuses, key=lambda status: (-status.started, status.job))

    def status(self, job: str) -> S | None:
        """How a job stands, None where there is none."""
        return self.files(job).read() if JOB.fullmatch(job) else None

    @verb("imports.change", "{job}")
    def begin(self, job: str, change: Callable[[S], S]) -> bool:
        """Starts a process for a job with its status changed; False where one is at work already."""
        place = self.files(job)
        with lock.acquired(place.lock) as number:
            if number is None:
                return False
            before = change(place.read() or self.kind()(job, started=now()))
            place.write(replace(before, state="waiting", phase="", done=0, total=0, error="", pid=None, updated=now()))
            self._spawn(job, place, number)
        return True

    @verb("imports.change", "{job}")
    def stop(self, job: str) -> bool:
        """Asks the process at work to end; False where none is."""
        status = self.status(job)
        if status is None or not status.active or status.pid is None:
            return False
        with suppress(ProcessLookupError):
            os.kill(status.pid, signal.SIGTERM)
        return True

    @verb("imports.change", "{job}")
    def discard(self, job: str) -> None:
        """Removes a job and its files. Raises UsageError for one that is at work."""
        place = self.files(job)
        if lock.is_locked(place.lock):
            raise UsageError(self.busy)
        shutil.rmtree(place.folder, ignore_errors=True)

    def sweep(self) -> None:
        """Removes jobs at rest that nobody looked after for days."""
        for entry in self._entries():
            status = self.files(entry.name).read()
            with suppress(OSError):
                updated = status.updated if status else entry.stat().st_mtime
                if not (status and status.active) and now() - updated > IDLE:
                    self.discard(entry.name)

    def _place(self, job: str) -> Path:
        if not JOB.fullmatch(job):
            raise UsageError(self.gone)
        return self.folder / job

    def _entries(self) -> Iterable[Path]:
        return [entry for entry in self.folder.iterdir() if JOB.fullmatch(entry.name)] if self.folder.is_dir() else []

    def _spawn(self, job: str, place: JobFolder[S], number: int) -> None:
        detached.start(
            self.worker,
            [job],
            self.settings,
            lock_number=number,
            log=place.log,
            environment=detached.background_environment(),
        )


def check_path(path: str) -> None:
    """Raises UsageError for a path that does not lead from a folder down to a file in it."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise UsageError("A file's name must not lead to another folder.")
