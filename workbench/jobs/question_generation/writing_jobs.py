"""Writing questions as jobs: a set that is written by a process of its own, stopped, and gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.data import DatasetLibrary
from workbench.jobs.question_generation.draft import WAITING, WritingRequest
from workbench.jobs.question_generation.draft_writer import checked_checker, checked_writer
from workbench.jobs.question_generation.set_writing import SetWriting
from workbench.jobs.question_generation.written_dataset import check_name_free
from workbench.workspace import Jobs, RunningJob, verb


@dataclass(frozen=True, slots=True)
class WritingParameters:
    """The set that is written: its name and what it is asked for."""

    name: str
    request: WritingRequest


class WritingJobs(Jobs):
    """The writing of questions in a workspace; a job's title is the set's name.

    Results have `to_review` and `filtered`, which count the set's drafts, `unwritten` passages whose calls failed, and
    the `reason` why the first of them did.
    """

    kind = "writing"

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: WritingRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job's id.

        Raises UsageError for names that are not allowed, and for a set that is being written.
        """
        check_name_free(DatasetLibrary(self.settings.datasets), name)
        checked_writer(request.generator)
        checked_checker(request.checker)
        self.sweep()
        others = [job for job in self.all() if job.title == name]
        if any(job.active for job in others):
            raise UsageError(f"The questions “{name}” are being written already. Wait for the end, or stop that.")
        job_id = uuid4().hex
        self.launch(job_id, WritingParameters(name, request), title=name)
        for job in others:
            self.discard(job.id)
        return job_id

    def nothing_left(self, job_id: str) -> bool:
        """Never: a job that is done is resumed for the passages whose calls failed."""
        return False


def run_writing(task: RunningJob, parameters: WritingParameters) -> Mapping[str, Any]:
    """Writes what is unwritten.

    Drafts are stored a batch at a time and replies are cached, so that going on after any end pays for nothing twice.
    """
    writing = SetWriting(Workbench(task.settings), parameters.name, parameters.request, task.progress)
    state = writing.write(task.progress, task.stop)
    reasons = [item.reason for item in writing.store.drafts(parameters.name, WAITING) if item.reason]
    return {
        "to_review": state.count("draft"),
        "filtered": state.count("filtered"),
        "unwritten": state.failed,
        "reason": reasons[0] if reasons else "",
    }
