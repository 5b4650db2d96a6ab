"""Waiting for a job of a process of its own, and ending that process as a power cut would."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

from sqlalchemy import update

from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.jobs.indexing.index_report import IndexJobs, encoders_on_demand, index_id
from workbench.workspace import lock
from workbench.workspace.jobs.job import Job
from workbench.workspace.jobs.jobs import Jobs
from workbench.workspace.jobs.worker import task_of, work
from workbench.workspace.settings import Settings
from workbench.workspace.tables import jobs as table

PATIENCE = 240.0


def work_on(settings: Settings, job_id: str) -> None:
    """Does the work of a job that was claimed for this process, to its end."""
    work(task_of(settings, job_id))


def until(jobs: Jobs, job_id: str, *states: str, having: Callable[[Job], bool] = lambda _job: True) -> Job:
    """The job once its state is one of `states` and it fulfils a condition."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        job = jobs.job(job_id)
        if job is not None and job.state in states and having(job):
            return job
        time.sleep(0.02)
    raise AssertionError(f"it is still {jobs.job(job_id)}")


def ended(jobs: Jobs, job_id: str) -> Job:
    """The status once no process is at work."""
    return until(jobs, job_id, "done", "failed", "stopped", "interrupted")


def kill(jobs: Jobs, job_id: str) -> None:
    """Ends the process at work, if there is one still, by SIGKILL, and waits until its lock is free."""
    job = jobs.job(job_id)
    if job is not None and job.active and job.pid is not None:
        with suppress(ProcessLookupError):
            os.kill(job.pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while lock.is_locked(jobs.files(job_id).lock) and time.monotonic() < deadline:
        time.sleep(0.01)


def stop_indexing(settings: Settings) -> None:
    """Ends the indexing that imports have begun in the background, so that it slows no other test."""
    for manifest in CorpusLibrary(settings.corpora).list():
        for encoder in encoders_on_demand():
            IndexJobs(settings).stop(index_id(manifest, encoder))


def write(jobs: Jobs, job_id: str, **values: object) -> None:
    """Changes columns of a job's row, as its process does."""
    with jobs.engine.begin() as connection:
        connection.execute(update(table).where(table.c.id == job_id).values(**values))


def in_a_thread(jobs: Jobs, job_id: str, lock_number: int) -> None:
    """As `Jobs.spawn`, but a thread of the test's process does the work, with what the test has replaced."""
    number = os.dup(lock_number)

    def run() -> None:
        try:
            work_on(jobs.settings, job_id)
        finally:
            os.close(number)

    Thread(target=run, daemon=True).start()
