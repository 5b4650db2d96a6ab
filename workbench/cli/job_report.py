"""What the command line shows of an experiment's job: its state in words, its progress, and what came of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from workbench.cli.shared import print_json, say
from workbench.core import WorkbenchError

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.workspace import Job


def state_of(job: Job | None) -> str:
    """The job's state as JSON names it; "complete" for stored results, which have no job."""
    return job.state if job else "complete"


def state_words(job: Job | None) -> str:
    """The job's state as a person reads it."""
    from workbench.workspace import STATE_TITLES

    return STATE_TITLES[job.state if job else "done"]


def follow_job(bench: Workbench, experiment_id: str, *, follow: bool, as_json: bool) -> None:
    """Follows a job to its end if wanted, and reports its state. Raises WorkbenchError where it failed."""
    from workbench.experiments import ExperimentJobs, ends_of, left_words

    jobs = ExperimentJobs(bench.settings)
    status = jobs.status(experiment_id)
    line = ""
    for status in jobs.watch(experiment_id) if follow else ():
        if line != (line := f"{status.phase} {status.done:,}/{status.total:,}" if status.total else status.phase):
            left = left_words(status.phase, ends_of(status), time.time())
            say(f"{line}, {left}" if left else line)
    if follow and status is not None and status.state in ("done", "stopped"):
        _say_outcome(bench, experiment_id)
    if as_json:
        print_json({"experiment": experiment_id, "state": state_of(status)})
    if status is not None and status.state in ("failed", "interrupted"):
        ending = "failed" if status.state == "failed" else "was interrupted"
        raise WorkbenchError(f"The job {ending}. {status.error} Resume it: runs resume {experiment_id}")


def _say_outcome(bench: Workbench, experiment_id: str) -> None:
    """How many cells have an answer, and why others have none."""
    from workbench.experiments import ResultStore

    store = ResultStore.at(bench.settings.database_url)
    row = store.experiment(experiment_id)
    for reason, count in store.of(experiment_id).failures():
        say(f"  {count:,} {'cell' if count == 1 else 'cells'} failed: {reason}")
    say(f"{row.answered:,} of {row.cells:,} cells have an answer. See more: runs show {experiment_id}")
