"""Results, read by SQL aggregation: a million scored answers never become a million Python rows.

Means, counts and times are put together from the totals by run and language that are kept as answers are written; only
a filter by question reads the answers and scores themselves.  Every aggregate carries n, the unscored and the failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine, Subquery, case, func, select

from workbench.errors import unknown
from workbench.results.experiment_list import PILOT
from workbench.results.filters import (
    Dimension,
    Filter,
    answer_conditions,
    dimension,
    run_conditions,
    run_ids,
    score_conditions,
    total_conditions,
)
from workbench.results.writer import RunRow
from workbench.storage import result_tables as t


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """An experiment in a list. `answered` counts cells with an answer, `failed` those that failed."""

    id: str
    name: str
    kind: str
    created: float
    cells: int
    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class StoredRun(RunRow):
    """A run with its choices, its stored id and its experiment's."""

    id: int
    experiment: str


@dataclass(frozen=True, slots=True)
class MetricMean:
    """One metric over the cells that share `key` (the values of the dimensions asked for, in order).

    `mean` is None where n is 0; `deviation` is the population's. `unscored` had no value.
    """

    key: tuple[Any, ...]
    metric: str
    mean: float | None
    deviation: float
    n: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Effort:
    """Answers, failures, mean seconds a cell and tokens of the cells that share `key`."""

    key: tuple[Any, ...]
    answers: int
    failed: int
    seconds: float | None
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Flow:
    """`documents` of one language given to questions of another, and the language that the answer came in."""

    language: str
    document_language: str
    answer_language: str
    documents: int


def experiments(engine: Engine) -> list[ExperimentRow]:
    """All experiments but pilots, the newest first."""
    totals = t.answer_totals.c
    counted = (
        select(
            t.runs.c.experiment,
            func.sum(totals.answered).label("answered"),
            func.sum(totals.failed).label("failed"),
        )
        .join(t.answer_totals, totals.run == t.runs.c.id)
        .group_by(t.runs.c.experiment)
        .subquery()
    )
    e = t.experiments.c
    asked = (
        select(
            e.id,
            e.name,
            e.kind,
            e.created,
            e.cells,
            func.coalesce(counted.c.answered, 0),
            func.coalesce(counted.c.failed, 0),
        )
        .outerjoin(counted, counted.c.experiment == e.id)
        .where(e.kind != PILOT)
        .order_by(e.created.desc(), e.id)
    )
    with engine.connect() as connection:
        return [ExperimentRow(*row) for row in connection.execute(asked)]


def experiment(engine: Engine, identity: str) -> ExperimentRow:
    """One experiment. Raises UsageError."""
    found = experiments(engine)
    for row in found:
        if row.id == identity:
            return row
    raise unknown("experiment", identity, [row.id for row in found], "Type: runs list")


def spec(engine: Engine, identity: str) -> str:
    """An experiment's YAML. Raises UsageError."""
    experiment(engine, identity)
    with engine.connect() as connection:
        return str(connection.execute(select(t.experiments.c.spec).where(t.experiments.c.id == identity)).scalar_one())


def runs(engine: Engine, chosen: Filter) -> list[StoredRun]:
    """The runs that a filter lets through, in order."""
    names = StoredRun.__dataclass_fields__
    asked = select(*(t.runs.c[name] for name in names)).where(*run_conditions(chosen)).order_by(t.runs.c.id)
    with engine.connect() as connection:
        return [StoredRun(*row) for row in connection.execute(asked)]


def metrics(engine: Engine, chosen: Filter) -> list[str]:
    """The metrics that some of the runs were scored by."""
    totals = t.score_totals.c
    there = select(totals.metric).where(totals.metric == t.metrics.c.id, totals.run.in_(run_ids(chosen)))
    with engine.connect() as connection:
        return list(
            connection.execute(select(t.metrics.c.name).where(there.exists()).order_by(t.metrics.c.id)).scalars()
        )


def aggregate(
    engine: Engine, chosen: Filter, names: Sequence[str], by: Sequence[Dimension] = ("run",)
) -> list[MetricMean]:
    """Metrics over groups of cells, in the order of the groups' keys."""
    found: list[MetricMean] = []
    with engine.connect() as connection:
        for name, metric in _metric_ids(connection.execute(select(t.metrics.c.name, t.metrics.c.id)).tuples(), names):
            part = _score_totals(chosen, metric)
            keys = [dimension(name_, part.c.language) for name_ in by]
            sums = [func.sum(part.c[column]) for column in ("n", "cells", "total", "squares")]
            asked = select(*keys, *sums).join(t.runs, t.runs.c.id == part.c.run).group_by(*keys).order_by(*keys)
            for row in connection.execute(asked):
                *key, n, cells, total, squares = row
                mean = total / n if n else None
                spread = max(squares / n - mean * mean, 0.0) ** 0.5 if mean is not None else 0.0
                found.append(MetricMean(tuple(key), name, mean, spread, n, cells - n))
    return found


def effort(engine: Engine, chosen: Filter, by: Sequence[Dimension] = ("run",)) -> list[Effort]:
    """Answers, failures, seconds and tokens by group."""
    part = _answer_totals(chosen)
    keys = [dimension(name, part.c.language) for name in by]
    columns = ("answered", "failed", "seconds", "prompt_tokens", "completion_tokens")
    sums = [func.sum(part.c[column]) for column in columns]
    asked = select(*keys, *sums).join(t.runs, t.runs.c.id == part.c.run).group_by(*keys).order_by(*keys)
    with engine.connect() as connection:
        return [
            Effort(tuple(key), done, failed, seconds / done if done else None, read, written)
            for *key, done, failed, seconds, read, written in connection.execute(asked)
        ]


def failures(engine: Engine, chosen: Filter) -> list[tuple[str, int]]:
    """Why cells failed, and how many of each reason, the most frequent first."""
    a = t.answers.c
    count = func.count()
    asked = (
        select(a.error, count)
        .where(a.failed, *answer_conditions(chosen))
        .group_by(a.error)
        .order_by(count.desc(), a.error)
    )
    with engine.connect() as connection:
        return [(reason, number) for reason, number in connection.execute(asked)]


def unscored(engine: Engine, chosen: Filter, metric: str) -> list[tuple[str, int]]:
    """Why answers were not scored by a metric, and how many of each reason, the most frequent first."""
    s = t.scores.c
    count = func.count()
    asked = (
        select(s.reason, count)
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_(None), *score_conditions(chosen))
        .group_by(s.reason)
        .order_by(count.desc())
    )
    with engine.connect() as connection:
        return [(reason or "", number) for reason, number in connection.execute(asked)]


def flows(engine: Engine, chosen: Filter) -> list[Flow]:
    """Documents by question language, document language and answer language (`found_in` does not apply)."""
    f = t.flows.c
    keys = (f.language, f.document_language, f.answer_language)
    asked = select(*keys, func.sum(f.documents)).where(f.run.in_(run_ids(chosen))).group_by(*keys).order_by(*keys)
    if chosen.languages:
        asked = asked.where(f.language.in_(chosen.languages))
    with engine.connect() as connection:
        return [Flow(*row) for row in connection.execute(asked)]


def _score_totals(chosen: Filter, metric: int) -> Subquery:
    """`run`, `language`, `cells`, `n`, `total` and `squares` of a metric."""
    if not chosen.found_in:
        mine = t.score_totals.c.metric == metric
        return select(t.score_totals).where(mine, *total_conditions(chosen, t.score_totals)).subquery()
    s = t.scores.c
    sums: dict[str, ColumnElement[Any]] = {"cells": func.count(), "n": func.count(s.value), "total": func.sum(s.value)}
    sums["squares"] = func.sum(s.value * s.value)
    return (
        select(s.run, s.language, *(value.label(name) for name, value in sums.items()))
        .where(s.metric == metric, *score_conditions(chosen))
        .group_by(s.run, s.language)
        .subquery()
    )


def _answer_totals(chosen: Filter) -> Subquery:
    """`run`, `language`, `answered`, `failed`, `seconds` and tokens."""
    if not chosen.found_in:
        return select(t.answer_totals).where(*total_conditions(chosen, t.answer_totals)).subquery()
    a = t.answers.c
    answered: ColumnElement[int] = case((a.failed, 0), else_=1)
    tokens = [func.coalesce(column, 0).label(column.name) for column in (a.prompt_tokens, a.completion_tokens)]
    return (
        select(
            a.run,
            a.language,
            answered.label("answered"),
            (1 - answered).label("failed"),
            (a.seconds * answered).label("seconds"),
            *tokens,
        )
        .where(*answer_conditions(chosen))
        .subquery()
    )


def _metric_ids(rows: Iterable[tuple[str, int]], names: Sequence[str]) -> list[tuple[str, int]]:
    ids = {name: metric for name, metric in rows}  # noqa: C416 - a result has `keys`, so `dict` takes it for a mapping
    for name in names:
        if name not in ids:
            raise unknown("metric of these results", name, ids)
    return [(name, ids[name]) for name in names]
