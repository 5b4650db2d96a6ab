"""Waiting for a job of a process of its own, and ending that process as a power cut would."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.jobs.folder_jobs import FolderJobs
from workbench.jobs.indexing.index_jobs import IndexJobs
from workbench.jobs.indexing.on_demand import encoders_on_demand
from workbench.jobs.job_folder import S
from workbench.workspace import lock
from workbench.workspace.settings import Settings

PATIENCE = 240.0


def until(jobs: FolderJobs[S], job: str, *states: str) -> S:
    """The status once it is one of `states`."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        status = jobs.status(job)
        if status is not None and status.state in states:
            return status
        time.sleep(0.02)
    raise AssertionError(f"it is still {jobs.status(job)}")


def ended(jobs: FolderJobs[S], job: str) -> S:
    """The status once no process is at work."""
    return until(jobs, job, "done", "failed", "stopped", "interrupted")


def kill(jobs: FolderJobs[S], job: str) -> None:
    """Ends the process at work, if there is one still, by SIGKILL, and waits until its lock is free."""
    status = jobs.status(job)
    if status is not None and status.active and status.pid is not None:
        with suppress(ProcessLookupError):
            os.kill(status.pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while lock.is_locked(jobs.files(job).lock) and time.monotonic() < deadline:
        time.sleep(0.01)


def stop_indexing(settings: Settings) -> None:
    """Ends the indexing that imports have begun in the background, so that it slows no other test."""
    for manifest in CorpusLibrary(settings.corpora).list():
        for encoder in encoders_on_demand():
            IndexJobs(settings).stop(manifest, encoder)
