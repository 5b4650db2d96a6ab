"""Writing questions as jobs: a set that is written by a process of its own, stopped, and gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self
from uuid import uuid4

from workbench.core import UsageError
from workbench.data import DatasetLibrary
from workbench.jobs.folder_jobs import FolderJobs
from workbench.jobs.job_folder import WorkStatus
from workbench.jobs.question_generation.draft import WritingRequest
from workbench.jobs.question_generation.draft_writer import checked_checker, checked_writer
from workbench.jobs.question_generation.written_dataset import check_name_free
from workbench.workspace import verb

NO_REQUEST = WritingRequest("", "", "")


@dataclass(frozen=True, slots=True)
class WritingStatus(WorkStatus):
    """How the writing of the set `name` stands. `to_review` and `filtered` count its drafts once it is done.

    `unwritten` counts passages whose calls failed, `reason` is why the first of them did.
    """

    name: str = ""
    request: WritingRequest = field(default=NO_REQUEST)
    to_review: int = 0
    filtered: int = 0
    unwritten: int = 0
    reason: str = ""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The status of values as they were written. Raises ValueError, TypeError, KeyError for others."""
        request = values["request"]
        request = WritingRequest(**{**request, "languages": tuple(request["languages"])})
        # In full: a dataclass with slots is a class made anew, which the short form does not know.
        return super(WritingStatus, cls).from_json({**values, "request": request})


@dataclass(frozen=True, slots=True)
class WritingJobs(FolderJobs[WritingStatus]):
    """The writing of questions in a workspace."""

    folder_name = "question-writing"
    worker = "workbench.jobs.question_generation.writing_worker"
    gone = "There is no such job. Begin it again."
    busy = "These questions are being written. Stop that first, or wait for the end."

    def kind(self) -> type[WritingStatus]:
        """The class of the jobs' statuses."""
        return WritingStatus

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: WritingRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job.

        Raises UsageError for names that are not allowed, and for a set that is being written.
        """
        check_name_free(DatasetLibrary(self.settings.datasets), name)
        checked_writer(request.generator)
        checked_checker(request.checker)
        self.sweep()
        others = [item for item in self.list() if item.name == name]
        if any(item.active for item in others):
            raise UsageError(f"The questions “{name}” are being written already. Wait for the end, or stop that.")
        job = uuid4().hex
        self.begin(job, lambda status: replace(status, name=name, request=request))
        for item in others:
            self.discard(item.job)
        return job

    @verb("drafts.write", "{job}")
    def go_on(self, job: str) -> bool:
        """Writes what is unwritten yet; False where a process is at work on it already."""
        return self.begin(job, lambda status: status)
