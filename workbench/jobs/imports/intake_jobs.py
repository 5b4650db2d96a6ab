"""Uploaded documents as jobs: staged, previewed, added, stopped and discarded from any process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core import UsageError
from workbench.jobs.folder_jobs import FolderJobs
from workbench.jobs.imports.intake_status import IntakeChoices, IntakeFiles, IntakeStatus, Verb
from workbench.workspace import verb


@dataclass(frozen=True, slots=True)
class IntakeJobs(FolderJobs[IntakeStatus]):
    """The uploads of a workspace."""

    folder_name = "uploads"
    worker = "workbench.jobs.imports.intake_worker"
    gone = "There is no such upload. Add the files again."
    busy = "These files are being read. Stop that first, or wait for the end."

    def kind(self) -> type[IntakeStatus]:
        """The class of the uploads' statuses."""
        return IntakeStatus

    def files(self, job: str) -> IntakeFiles:
        """The files of a job. Raises UsageError for what is not one's name."""
        return IntakeFiles(self._place(job), IntakeStatus)

    @verb("imports.change", "{job}")
    def stage(self, files: Iterable[tuple[str, bytes | memoryview]], job: str = "") -> str:
        """As for every job; names have no folders, and the preview of a job that gets files is gone."""

        def named() -> Iterable[tuple[str, bytes | memoryview]]:
            for name, data in files:
                if name != Path(name).name:
                    raise UsageError("A file's name must not contain a folder.")
                yield name, data

        job = FolderJobs.stage(self, named(), job)
        self.files(job).preview.unlink(missing_ok=True)
        return job

    @verb("corpora.add", "{choices.corpus}")
    def start(self, job: str, verb: Verb, choices: IntakeChoices) -> bool:
        """Starts a process that previews the files of a job or adds them; False where one is at work already.

        Raises UsageError where the files are gone, and for choices that are not allowed.
        """
        if not self.files(job).paths():
            raise UsageError("The uploaded files are gone. Add them again.")
        return self.begin(job, lambda before: replace(before, verb=verb, choices=choices))
