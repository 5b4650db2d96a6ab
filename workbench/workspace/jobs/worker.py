"""The process of a job: `python -m workbench.workspace.jobs.worker JOB LOCK` works to the end, a stop or a failure.

LOCK is the number of the lock that it was handed. A stop is a column of the job's row, or SIGTERM.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import suppress
from functools import partial
from threading import Event

from workbench.core import JobStopped, UsageError, WorkbenchError, is_panic, shorten
from workbench.workspace import detached, lock, settings
from workbench.workspace.jobs.jobs import Jobs
from workbench.workspace.jobs.kinds import KINDS
from workbench.workspace.jobs.task import RunningJob
from workbench.workspace.settings import Settings


def task_of(config: Settings, job_id: str) -> RunningJob:
    """The work of a job that was claimed for this process. Raises UsageError for one that does not exist."""
    jobs = Jobs(config)
    job = jobs.job(job_id)
    if job is None:
        raise UsageError(f"There is no job “{shorten(job_id)}”.")
    return RunningJob(jobs, job)


def work(task: RunningJob) -> None:
    """Does the work of a job, and records how it ends: a failure is in its row, for whoever looks."""
    kind = KINDS[task.job.kind]
    try:
        with task.at_work(in_turn=kind.in_turn):
            task.note(**(kind.function()(task, kind.checked(task.job.parameters)) or {}))
        task.on_done()
    except (JobStopped, WorkbenchError):
        pass
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        traceback.print_exc()


def work_on(config: Settings, job_id: str) -> None:
    """As `work`, in a process that a signal does not end; the job must have been claimed for this process."""
    work(task_of(config, job_id))


def main() -> None:
    """Takes the lock that was handed over, works, and releases it."""
    job_id, number = sys.argv[1], int(sys.argv[2])
    lock.keep(number)
    try:
        task = task_of(settings.load(), job_id)
        kind = KINDS[task.job.kind]
        if kind.in_background:
            detached.stand_back()
        signal.signal(signal.SIGTERM, partial(_stop, task.stop, kind.breaks_off))
        task.on_stop = partial(os.kill, os.getpid(), signal.SIGTERM)
        work(task)
    finally:
        # Now, not when the process has put away its memory: whoever resumes the job need not wait for that.
        with suppress(OSError):
            lock.release(number)


def _stop(stop: Event, breaks_off: bool, _number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough, also while things are put away
    # Python swallows what a handler raises within a destructor: the next look at `stop` raises it again.
    stop.set()
    if breaks_off:
        raise JobStopped


if __name__ == "__main__":
    main()
