"""How jobs stand, as their rows say: read for any number of experiments in one statement.

Whether a job that claims to be at work still has its process is for `control` to check.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from sqlalchemy import Connection, Subquery, and_, func, select

from workbench.experiments.results.queries.experiment_list import ExperimentRow, experiment_rows
from workbench.workspace import result_tables as t

State = Literal["waiting", "running", "done", "stopped", "failed", "interrupted"]
"""`interrupted`: its process was killed; resuming goes on where it was."""
STATE_WORDS: Mapping[str, str] = {
    "waiting": "starting",
    "running": "running",
    "done": "finished",
    "stopped": "stopped",
    "failed": "failed",
    "interrupted": "interrupted",
    "": "not started",
}
"""What a person reads for each state, on screens and on the command line; "" for an experiment without a job."""
UNDER_WAY = ("waiting", "running")
STORED_NAMES = {"experiment_id": "experiment", "job_id": "job", "ran": "run", "from_cache": "found"}
"""The names of fields in JSON, where they differ."""
STEPS = ("ran", "from_cache", "failed")
COLUMNS = ("id", "experiment_id", "state", "stage", "done", "total", "started", "heartbeat", "pid", "error", "steps")


@dataclass(frozen=True, slots=True)
class Status:
    """How a job on an experiment stands. `done` and `total` count the batches of the stage under way.

    `ran`, `from_cache` and `failed` count its steps by stage. Times are seconds since 1970. `ends`: when its stage will
    end at the present pace, None as long as there is none.
    """

    experiment_id: str
    job_id: str
    state: State
    stage: str
    done: int
    total: int
    started: float
    heartbeat: float
    pid: int | None = None
    error: str = ""
    ran: Mapping[str, int] = field(default_factory=dict)
    from_cache: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    ends: float | None = None

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""
        return self.state in UNDER_WAY

    def to_json(self) -> dict[str, Any]:
        """The status as plain values, under the names that programs read."""
        return {STORED_NAMES.get(item.name, item.name): getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class ExperimentStatus:
    """An experiment in a list, and its latest job; None where none was started."""

    experiment: ExperimentRow
    job: Status | None

    @property
    def active(self) -> bool:
        """Whether a process is at work on it or about to be."""
        return self.job is not None and self.job.active


def latest_jobs(connection: Connection, experiment_ids: Iterable[str]) -> dict[str, Status]:
    """The latest job of each of some experiments that have one, by experiment."""
    jobs = _latest_jobs()
    statement = select(*(jobs.c[name] for name in COLUMNS)).where(jobs.c.experiment_id.in_(list(experiment_ids)))
    statuses = (_status(row) for row in connection.execute(statement.where(jobs.c.place == 1)))
    return {status.experiment_id: status for status in statuses}


def experiment_statuses(connection: Connection, experiment_ids: Sequence[str] = ()) -> list[ExperimentStatus]:
    """Experiments with their latest jobs, the newest first; all but pilots where none is named. One statement."""
    jobs = _latest_jobs()
    latest = and_(jobs.c.experiment_id == t.experiments.c.id, jobs.c.place == 1)
    columns = (jobs.c[name].label(f"job_{name}") for name in COLUMNS)
    statement = experiment_rows().add_columns(*columns).outerjoin(jobs, latest)
    if experiment_ids:
        statement = statement.where(t.experiments.c.id.in_(experiment_ids))
    width = len(fields(ExperimentRow))
    return [
        ExperimentStatus(ExperimentRow(*row[:width]), None if row[width] is None else _status(row[width:]))
        for row in connection.execute(statement)
    ]


def _latest_jobs() -> Subquery:
    """All jobs with their `place` among those of their experiment, 1 for the latest."""
    newest_first = func.row_number().over(partition_by=t.jobs.c.experiment_id, order_by=t.jobs.c.started.desc())
    return select(t.jobs, newest_first.label("place")).subquery()


def _status(row: Sequence[Any]) -> Status:
    values = dict(zip(COLUMNS, row, strict=True))
    steps = json.loads(values.pop("steps"))
    counts = {name: steps.get(STORED_NAMES.get(name, name), {}) for name in STEPS}
    return Status(job_id=values.pop("id"), **values, **counts, ends=steps.get("ends"))
