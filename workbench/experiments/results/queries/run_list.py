"""Runs as they are stored, the metrics that they were scored by and the languages that they were asked in.

No answer is counted here, so these lists are read at once at any size.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from workbench.experiments.results.filters import Filter, run_conditions, run_ids
from workbench.experiments.results.writer import RunRow
from workbench.workspace import result_tables as t


@dataclass(frozen=True, slots=True)
class StoredRun(RunRow):
    """A run with its choices, its stored id and its experiment's."""

    id: int
    experiment_id: str


def runs(connection: Connection, filter_: Filter) -> list[StoredRun]:
    """The runs that a filter lets through, in the order in which they were stored."""
    names = tuple(StoredRun.__dataclass_fields__)
    columns = (t.runs.c[name] for name in names)
    statement = select(*columns).where(*run_conditions(filter_)).order_by(t.runs.c.id)
    rows = (dict(zip(names, row, strict=True)) for row in connection.execute(statement))
    return [StoredRun(**row) for row in rows]


def metrics(connection: Connection, filter_: Filter) -> list[str]:
    """The names of the metrics that some of the runs were scored by, in the order in which they were first stored."""
    totals = t.score_totals.c
    scored = select(totals.metric).where(totals.metric == t.metrics.c.id, totals.run.in_(run_ids(filter_)))
    statement = select(t.metrics.c.name).where(scored.exists()).order_by(t.metrics.c.id)
    return list(connection.execute(statement).scalars())


def languages(connection: Connection, filter_: Filter) -> list[str]:
    """The question languages of the runs that a filter lets through, in the order of their codes."""
    r, a = t.runs.c, t.answers.c
    # Runs over one dataset answer the same questions: one of them is enough.
    samples = select(func.min(r.id)).where(*run_conditions(filter_)).group_by(r.experiment_id, r.dataset)
    codes: set[str] = set()
    for run in connection.execute(samples).scalars().all():
        # Each next language is one step in the index on (run, language), however many answers lie between.
        code: str | None = ""
        while code is not None:
            statement = select(func.min(a.language)).where(a.run == run, a.language > code)
            code = connection.execute(statement).scalar()
            codes |= {code} if code else set()
    return sorted(codes)
