"""Writing sets of drafts in the background: what questions and demonstrations have in common."""

from __future__ import annotations

from uuid import uuid4

from workbench.core import UsageError
from workbench.workspace import Jobs


class SetJobs(Jobs):
    """The writing of sets of one kind in a workspace; a job's title is the set's name."""

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
