"""Uploaded files as jobs: staged, previewed, added, stopped and discarded from any process."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import regex

from workbench.errors import UsageError
from workbench.intake.intake_status import IntakeChoices, IntakeFiles, IntakeStatus, Verb, now
from workbench.processes import detached, lock
from workbench.settings import Settings
from workbench.storage import atomic

WORKER = "workbench.intake.intake_worker"
FOLDER = "uploads"
"""The folder of a workspace with the files that are on their way."""
JOB = regex.compile(r"[0-9a-f]{32}")
IDLE = 7 * 24 * 3600.0
"""Seconds after which files that nobody added are removed."""


@dataclass(frozen=True, slots=True)
class IntakeJobs:
    """The uploads of a workspace."""

    settings: Settings

    @property
    def folder(self) -> Path:
        """Where the jobs' folders are."""
        return self.settings.home / FOLDER

    def files(self, job: str) -> IntakeFiles:
        """The files of a job. Raises UsageError for what is not one's name."""
        if not JOB.fullmatch(job):
            raise UsageError("There is no such upload. Add the files again.")
        return IntakeFiles(self.folder / job)

    def stage(self, files: Iterable[tuple[str, bytes | memoryview]], job: str = "") -> str:
        """Puts files, by names without folders, on disk as a new job or into one at rest; returns the job.

        A file replaces one of the same name. Raises UsageError for a job that is at work.
        """
        self._sweep()
        place = self.files(job or uuid4().hex)
        with lock.acquired(place.lock) as number:
            if number is None:
                raise UsageError("These files are being read. Stop that first, or wait for the end.")
            before = place.read() or IntakeStatus(place.folder.name, started=now())
            for name, data in files:
                if name != Path(name).name:
                    raise UsageError("A file's name must not contain a folder.")
                atomic.write_bytes(place.staged / name, bytes(data))
            place.preview.unlink(missing_ok=True)
            place.write(replace(before, state="staged", error="", updated=now()))
        return place.folder.name

    def list(self) -> list[IntakeStatus]:
        """All jobs, the latest first."""
        folders = (
            [entry for entry in self.folder.iterdir() if JOB.fullmatch(entry.name)] if self.folder.is_dir() else []
        )
        statuses = [status for entry in folders if (status := IntakeFiles(entry).read())]
        return sorted(statuses, key=lambda status: (-status.started, status.job))

    def status(self, job: str) -> IntakeStatus | None:
        """How a job stands, None where there is none."""
        return self.files(job).read() if JOB.fullmatch(job) else None

    def start(self, job: str, verb: Verb, choices: IntakeChoices) -> bool:
        """Starts a process that previews the files of a job or adds them; False where one is at work already.

        Raises UsageError where the files are gone, and for choices that are not allowed.
        """
        place = self.files(job)
        if not place.paths():
            raise UsageError("The uploaded files are gone. Add them again.")
        with lock.acquired(place.lock) as number:
            if number is None:
                return False
            before = place.read() or IntakeStatus(job, started=now())
            place.write(
                replace(
                    before, state="waiting", verb=verb, choices=choices, phase="", done=0, total=0, error="", pid=None,
                    updated=now(),
                )
            )  # fmt: skip
            self._spawn(job, place, number)
        return True

    def stop(self, job: str) -> bool:
        """Ends the process at work, whose corpus then is as it was; False where none is."""
        status = self.status(job)
        if status is None or not status.active or status.pid is None:
            return False
        with suppress(ProcessLookupError):
            os.kill(status.pid, signal.SIGTERM)
        return True

    def discard(self, job: str) -> None:
        """Removes a job and its files. Raises UsageError for one that is at work."""
        place = self.files(job)
        if lock.is_locked(place.lock):
            raise UsageError("These files are being read. Stop that first, or wait for the end.")
        shutil.rmtree(place.folder, ignore_errors=True)

    def _spawn(self, job: str, place: IntakeFiles, number: int) -> None:
        detached.start(
            WORKER,
            [job],
            self.settings,
            lock_number=number,
            log=place.log,
            environment=detached.background_environment(),
        )

    def _sweep(self) -> None:
        """Removes files that nobody added for days."""
        for status in self.list():
            if not status.active and now() - status.updated > IDLE:
                self.discard(status.job)
