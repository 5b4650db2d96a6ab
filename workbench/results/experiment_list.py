"""Experiments by name and the languages asked in, without counting answers: for lists to choose from, at any size."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from workbench.results.filters import Filter, run_conditions
from workbench.storage import result_tables as t

PILOT = "pilot"
"""The kind of an experiment that is there only to hold what a pilot measured; no list shows it."""


@dataclass(frozen=True, slots=True)
class ExperimentName:
    """An experiment's id and name, when it was made (seconds since 1970), and how many cells it asks for."""

    id: str
    name: str
    kind: str
    created: float
    cells: int


def named_experiments(engine: Engine) -> list[ExperimentName]:
    """All experiments but pilots, the newest first."""
    e = t.experiments.c
    asked = select(e.id, e.name, e.kind, e.created, e.cells).where(e.kind != PILOT).order_by(e.created.desc(), e.id)
    with engine.connect() as connection:
        return [ExperimentName(*row) for row in connection.execute(asked)]


def answered_languages(engine: Engine, chosen: Filter) -> list[str]:
    """The question languages of the runs that a filter lets through, in the order of their codes."""
    # Runs over one dataset are asked the same questions: one of them tells.
    some = select(func.min(t.runs.c.id)).where(*run_conditions(chosen)).group_by(t.runs.c.experiment, t.runs.c.dataset)
    found: set[str] = set()
    with engine.connect() as connection:
        for run in connection.execute(some).scalars().all():
            # Each next language is one step in the index on (run, language), however many answers lie between.
            at: str | None = ""
            while at is not None:
                asked = select(func.min(t.answers.c.language)).where(t.answers.c.run == run, t.answers.c.language > at)
                at = connection.execute(asked).scalar()
                found |= {at} if at else set()
    return sorted(found)


def state_of_results(engine: Engine) -> tuple[float, ...]:
    """Equal before and after means that what is drawn is still so. Reads no answers."""
    counts = [select(func.count()).select_from(table).scalar_subquery() for table in (t.batches, t.experiments, t.runs)]
    latest = select(func.max(t.jobs.c.heartbeat)).scalar_subquery()
    newest = select(func.max(t.experiments.c.created)).scalar_subquery()
    with engine.connect() as connection:
        row = connection.execute(select(*counts, latest, newest)).one()
    return tuple(float(value or 0.0) for value in row)
