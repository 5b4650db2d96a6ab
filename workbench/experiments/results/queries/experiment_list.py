"""Experiments as they are stored: in a list with what is answered, by name alone, and with their specification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, select

from workbench.core import unknown_name
from workbench.workspace import result_tables as t, tables

PILOT = "pilot"
"""The kind of an experiment that only holds what a pilot measured; no list shows it."""
IMPORTING = "importing"
"""The kind of an experiment whose predictions are still being scored and written; no list shows it."""
HIDDEN = (PILOT, IMPORTING)
HINT = "Type: runs list"


@dataclass(frozen=True, slots=True)
class ExperimentName:
    """An experiment's id and name, when it was created (seconds since 1970), and how many cells it has."""

    id: str
    name: str
    kind: str
    created: float
    cells: int


@dataclass(frozen=True, slots=True)
class ExperimentRow(ExperimentName):
    """An experiment in a list. `answered` counts cells with an answer, `failed` those that failed."""

    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """What a job must know of an experiment: `kind`, its YAML and the fingerprint of its questions and corpora."""

    kind: str
    spec: str
    material: str


def experiment_names(connection: Connection) -> list[ExperimentName]:
    """All experiments but pilots, the newest first, without counting their answers."""
    e = t.experiments.c
    columns = (e[name] for name in ExperimentName.__dataclass_fields__)
    statement = select(*columns).where(e.kind.not_in(HIDDEN)).order_by(e.created.desc(), e.id)
    return [ExperimentName(*row) for row in connection.execute(statement)]


def experiment_rows() -> Select[Any]:
    """The statement of all experiments but pilots, the newest first, with the columns of `ExperimentRow`."""
    totals, e = t.answer_totals.c, t.experiments.c
    counts = (
        select(
            t.runs.c.experiment_id,
            func.sum(totals.answered).label("answered"),
            func.sum(totals.failed).label("failed"),
        )
        .join(t.answer_totals, totals.run == t.runs.c.id)
        .group_by(t.runs.c.experiment_id)
        .subquery()
    )
    names = (e[name] for name in ExperimentName.__dataclass_fields__)
    sums = (func.coalesce(counts.c[name], 0).label(name) for name in ("answered", "failed"))
    return (
        select(*names, *sums)
        .outerjoin(counts, counts.c.experiment_id == e.id)
        .where(e.kind.not_in(HIDDEN))
        .order_by(e.created.desc(), e.id)
    )


def experiments(connection: Connection) -> list[ExperimentRow]:
    """All experiments but pilots, the newest first."""
    return [ExperimentRow(*row) for row in connection.execute(experiment_rows())]


def experiment(connection: Connection, experiment_id: str) -> ExperimentRow:
    """One experiment; raises UsageError for one that does not exist."""
    row = connection.execute(experiment_rows().where(t.experiments.c.id == experiment_id)).first()
    if row is None:
        ids = [item.id for item in experiment_names(connection)]
        raise unknown_name("experiment", experiment_id, ids, HINT)
    return ExperimentRow(*row)


def stored_experiment(connection: Connection, experiment_id: str) -> StoredExperiment:
    """What a job must know of an experiment of any kind; raises UsageError for one that does not exist."""
    e = t.experiments.c
    row = connection.execute(select(e.kind, e.spec, e.material).where(e.id == experiment_id)).first()
    if row is None:
        raise unknown_name("experiment", experiment_id, connection.execute(select(e.id)).scalars(), HINT)
    return StoredExperiment(*row)


def state_of_results(connection: Connection) -> tuple[float, ...]:
    """A value that changes when results do: equal before and after, what is drawn is still right. Reads no answers."""
    counts = [select(func.count()).select_from(table).scalar_subquery() for table in (t.batches, t.experiments, t.runs)]
    heartbeat = select(func.max(tables.jobs.c.heartbeat)).where(tables.jobs.c.kind == "experiment").scalar_subquery()
    created = select(func.max(t.experiments.c.created)).scalar_subquery()
    row = connection.execute(select(*counts, heartbeat, created)).one()
    return tuple(float(value or 0.0) for value in row)
