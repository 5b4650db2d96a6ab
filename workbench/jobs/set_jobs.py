"""Writing sets of drafts in the background: what questions and demonstrations have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from workbench.core import UsageError
from workbench.jobs.review_store import WAITING, ReviewStore
from workbench.workspace import Jobs


class SetJobs(Jobs):
    """The writing of sets of one kind in a workspace; a job's title is the set's name, its result `written_result`."""

    def start_set(self, name: str, parameters: object) -> str:
        """Starts writing the set called `name`, or what is unwritten of it, for verbs; returns the job's id.

        Raises UsageError for a set that is being written.
        """
        self.sweep()
        others = [job for job in self.all() if job.title == name]
        if any(job.active for job in others):
            raise UsageError(f"The set “{name}” is already being written. Wait for that to finish, or stop it.")
        job_id = uuid4().hex
        self.launch(job_id, parameters, title=name)
        for job in others:
            self.discard(job.id)
        return job_id

    def nothing_left(self, job_id: str) -> bool:
        """Never: a job that is done is resumed for the drafts whose calls failed."""
        return False


def written_result(store: ReviewStore[Any, Any], name: str) -> Mapping[str, Any]:
    """How many drafts wait for review, are held back, and are unwritten as their calls failed, with a reason of one."""
    state = store.progress(name)
    reasons = [item.reason for item in store.drafts(name, WAITING) if item.reason]
    return {
        "to_review": state.count("draft"),
        "filtered": state.count("filtered"),
        "unwritten": state.failed,
        "reason": reasons[0] if reasons else "",
    }
