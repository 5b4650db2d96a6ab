"""How experiments stand: their rows with their jobs, read for any number of experiments in one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection

from workbench.experiments.results.queries.experiment_list import ExperimentRow, experiment_rows
from workbench.workspace import JOB_COLUMNS, Job, job_of, result_tables as t, tables

STEPS = {"ran": "run", "from_cache": "found", "failed": "failed"}
"""The counts of steps by stage in a job's result, and their names in the JSON that programs read."""


@dataclass(frozen=True, slots=True)
class ExperimentStatus:
    """An experiment in a list, and its job; None where it was never started."""

    experiment: ExperimentRow
    job: Job | None

    @property
    def active(self) -> bool:
        """Whether a process is at work on it or about to be."""
        return self.job is not None and self.job.active


def steps_of(job: Job, name: str) -> Mapping[str, int]:
    """How many steps of each stage `ran`, came `from_cache` or `failed`."""
    counts: Mapping[str, int] = job.result.get(name, {})
    return counts


def ends_of(job: Job) -> float | None:
    """When the stage under way ends at the present pace, in seconds since 1970; None while there is no pace."""
    ends = job.result.get("ends")
    return None if ends is None else float(ends)


def job_to_json(job: Job) -> dict[str, Any]:
    """A job as plain values, under the names that programs read."""
    return {
        "experiment": job.id,
        "job": job.id,
        "state": job.state,
        "stage": job.phase,
        "done": job.done,
        "total": job.total,
        "started": job.started,
        "heartbeat": job.heartbeat,
        "pid": job.pid,
        "error": job.error,
        **{title: dict(steps_of(job, name)) for name, title in STEPS.items()},
        "ends": ends_of(job),
    }


def experiment_statuses(connection: Connection, experiment_ids: Sequence[str] = ()) -> list[ExperimentStatus]:
    """Experiments with their jobs, the newest first; all but pilots where none is named. One statement."""
    columns = (column.label(f"job_{column.name}") for column in JOB_COLUMNS)
    statement = experiment_rows().add_columns(*columns).outerjoin(tables.jobs, tables.jobs.c.id == t.experiments.c.id)
    if experiment_ids:
        statement = statement.where(t.experiments.c.id.in_(experiment_ids))
    width = len(fields(ExperimentRow))
    return [
        ExperimentStatus(ExperimentRow(*row[:width]), None if row[width] is None else job_of(row[width:]))
        for row in connection.execute(statement)
    ]
