"""Jobs that begin with files which people upload: the files lie in the job's folder until its work is done."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

from workbench.core import UsageError
from workbench.workspace import atomic
from workbench.workspace.jobs.jobs import Jobs
from workbench.workspace.permissions.actor import verb


class UploadJobs(Jobs):
    """Jobs of one kind that begin with uploaded files."""

    @verb("imports.change", "{job_id}")
    def stage(self, files: Iterable[tuple[str, bytes | memoryview]], job_id: str = "") -> str:
        """Puts files, by paths that lead down, on disk as a new job or into one at rest; returns the job's id.

        A file replaces one of the same path. Raises UsageError for a path that leads elsewhere, a job that is at work.
        """
        self.sweep()
        job_id = job_id or uuid4().hex
        with self.undisturbed(job_id) as claim:
            before = self.job(job_id)
            # The row comes first: what it does not name is never swept away.
            claim.record("staged", before.parameters if before else None, title=before.title if before else "")
            try:
                for path, data in files:
                    check_path(path)
                    atomic.write_bytes(claim.files.staged / path, bytes(data))
            except BaseException:
                if before is None:
                    claim.remove()
                raise
        return job_id


def check_path(path: str) -> None:
    """Raises UsageError for a path that does not lead from a folder down to a file in it."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise UsageError("A file's name must not lead to another folder.")
