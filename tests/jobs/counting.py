"""A toy kind of job: all that a new kind needs is a module as this one and its entry among the kinds."""

from __future__ import annotations

from pydantic import BaseModel

from workbench.workspace.jobs.job import JobKind
from workbench.workspace.jobs.worker import RunningJob


class CountingParameters(BaseModel):
    """How far to count, and the number at which somebody asks the job to stop, 0 for none."""

    steps: int
    stop_at: int = 0


def count(task: RunningJob, parameters: CountingParameters) -> dict[str, int]:
    """Counts on from where an earlier attempt stopped."""
    for number in range(1, parameters.steps + 1):
        if number == parameters.stop_at and task.job.title != "resumed":
            task.jobs.stop(task.job.id)
            task.stop.wait()
        task.progress("counting", number, parameters.steps)
    return {"sum": sum(range(parameters.steps + 1))}


KIND = JobKind(
    name="counting",
    title="Counting",
    run="tests.jobs.counting:count",
    parameters="tests.jobs.counting:CountingParameters",
    start="runs.start",
    change="runs.stop",
    by_parameters=True,
)
