"""Results added up by SQL: a million scored answers never become a million Python rows.

Means, counts and times are put together from the totals by run and language that are stored with the answers; only a
filter by question reads the answers and scores themselves. Every aggregate carries n, the unscored and the failed. What
the 95 % interval of a mean draws is complete questions, with all the answers to them that are looked at (see
metrics.intervals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from sqlalchemy import ColumnElement, Connection, Subquery, case, func, select

from workbench.core import unknown_name
from workbench.experiments.results.filters import (
    Dimension,
    Filter,
    answer_conditions,
    run_ids,
    score_conditions,
    total_conditions,
)
from workbench.experiments.results.queries.run_list import grouping_column
from workbench.experiments.results.queries.score_arrays import QuestionSums, sums_by_group
from workbench.metrics import influences, mean_interval, scale_of
from workbench.workspace import result_tables as t


@dataclass(frozen=True, slots=True)
class MetricMean:
    """One metric over the cells that share `key` (the values of the dimensions, in their order).

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
    """Answers, failures, mean seconds per cell and tokens of the cells that share `key`."""

    key: tuple[Any, ...]
    answers: int
    failed: int
    seconds: float | None
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Flow:
    """`documents` of one language given to questions of another, and the language of the answer."""

    language: str
    document_language: str
    answer_language: str
    documents: int


def means(
    connection: Connection, filter_: Filter, metrics: Sequence[str], by: Sequence[Dimension] = ("run",)
) -> list[MetricMean]:
    """Metrics over groups of cells, in the order of the groups' keys.

    Raises UsageError for a metric that nothing was scored by.
    """
    rows: list[MetricMean] = []
    for name, metric in _metric_ids(connection, metrics):
        totals = _score_totals(filter_, metric)
        keys = _keys(connection, filter_, by, totals)
        sums = [func.sum(totals.c[column]) for column in ("n", "cells", "total", "squares")]
        statement = select(*keys, *sums).join(t.runs, t.runs.c.id == totals.c.run).group_by(*keys).order_by(*keys)
        for *key, n, cells, total, squares in connection.execute(statement):
            mean = total / n if n else None
            deviation = max(squares / n - mean * mean, 0.0) ** 0.5 if mean is not None else 0.0
            rows.append(MetricMean(tuple(key), name, mean, deviation, n, cells - n))
    return rows


def effort(connection: Connection, filter_: Filter, by: Sequence[Dimension] = ("run",)) -> list[Effort]:
    """Answers, failures, seconds and tokens by group, in the order of the groups' keys."""
    totals = _answer_totals(filter_)
    keys = _keys(connection, filter_, by, totals)
    columns = ("answered", "failed", "seconds", "prompt_tokens", "completion_tokens")
    sums = [func.sum(totals.c[column]) for column in columns]
    statement = select(*keys, *sums).join(t.runs, t.runs.c.id == totals.c.run).group_by(*keys).order_by(*keys)
    return [
        Effort(tuple(key), answers, failed, seconds / answers if answers else None, prompt_tokens, completion_tokens)
        for *key, answers, failed, seconds, prompt_tokens, completion_tokens in connection.execute(statement)
    ]


def failures(connection: Connection, filter_: Filter) -> list[tuple[str, int]]:
    """Why cells failed, and how many of each reason, the most frequent first."""
    a, count = t.answers.c, func.count()
    conditions = (a.failed, *answer_conditions(filter_))
    statement = select(a.error, count).where(*conditions).group_by(a.error).order_by(count.desc(), a.error)
    return [(reason, cells) for reason, cells in connection.execute(statement)]


def nothing_retrieved(connection: Connection, filter_: Filter) -> list[tuple[int, int]]:
    """Run ids with the number of their questions for which the search found nothing; runs without one are left out."""
    a, count = t.answers.c, func.count()
    statement = (
        select(a.run, count)
        .join(t.runs, t.runs.c.id == a.run)
        # Predictions from elsewhere have no mode, and the baseline does not search.
        .where(a.passages == "[]", ~a.failed, t.runs.c.mode.not_in(("", "baseline")), *answer_conditions(filter_))
        .group_by(a.run)
        .order_by(a.run)
    )
    return [(run, cells) for run, cells in connection.execute(statement)]


def unscored(connection: Connection, filter_: Filter, metric: str) -> list[tuple[str, int]]:
    """Why answers were not scored by a metric, and how many of each reason, the most frequent first."""
    s, count = t.scores.c, func.count()
    statement = (
        select(s.reason, count)
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_(None), *score_conditions(filter_))
        .group_by(s.reason)
        .order_by(count.desc())
    )
    return [(reason or "", cells) for reason, cells in connection.execute(statement)]


def flows(connection: Connection, filter_: Filter) -> list[Flow]:
    """Documents by question language, document language and answer language (`evidence_in` does not apply)."""
    f = t.flows.c
    keys = (f.language, f.document_language, f.answer_language)
    statement = select(*keys, func.sum(f.documents)).where(f.run.in_(run_ids(filter_))).group_by(*keys).order_by(*keys)
    if filter_.languages:
        statement = statement.where(f.language.in_(filter_.languages))
    return [Flow(*row) for row in connection.execute(statement)]


def _keys(
    connection: Connection, filter_: Filter, by: Sequence[Dimension], totals: Subquery
) -> list[ColumnElement[Any]]:
    """The columns that dimensions group by."""
    return [
        totals.c.language if name == "language" else grouping_column(connection, filter_, name).label(f"by_{name}")
        for name in by
    ]


def _score_totals(filter_: Filter, metric: int) -> Subquery:
    """`run`, `language`, `cells`, `n`, `total` and `squares` of a metric."""
    if not filter_.evidence_in:
        totals = t.score_totals
        return select(totals).where(totals.c.metric == metric, *total_conditions(filter_, totals)).subquery()
    s = t.scores.c
    sums: dict[str, ColumnElement[Any]] = {"cells": func.count(), "n": func.count(s.value), "total": func.sum(s.value)}
    sums["squares"] = func.sum(s.value * s.value)
    return (
        select(s.run, s.language, *(value.label(name) for name, value in sums.items()))
        .where(s.metric == metric, *score_conditions(filter_))
        .group_by(s.run, s.language)
        .subquery()
    )


def _answer_totals(filter_: Filter) -> Subquery:
    """`run`, `language`, `answered`, `failed`, `seconds` and tokens."""
    if not filter_.evidence_in:
        return select(t.answer_totals).where(*total_conditions(filter_, t.answer_totals)).subquery()
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
        .where(*answer_conditions(filter_))
        .subquery()
    )


def _metric_ids(connection: Connection, names: Sequence[str]) -> list[tuple[str, int]]:
    ids = {row.name: row.id for row in connection.execute(select(t.metrics.c.name, t.metrics.c.id))}
    for name in names:
        if name not in ids:
            raise unknown_name("metric of these results", name, ids)
    return [(name, ids[name]) for name in names]


@dataclass(frozen=True, slots=True)
class MeanWithInterval:
    """One metric over the cells that share `key`. `low` and `high` are None below 2 questions, `mean` if `n` is 0."""

    key: tuple[Any, ...]
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


def means_with_intervals(
    connection: Connection, filter_: Filter, metric: str, by: Sequence[Dimension] = ("run",)
) -> list[MeanWithInterval]:
    """A metric by group with intervals. Raises UsageError for a metric that nothing was scored by."""
    return _with_intervals(connection, filter_, metric, by, means(connection, filter_, [metric], by))


def best_runs(connection: Connection, filter_: Filter, metric: str, limit: int) -> tuple[list[MeanWithInterval], int]:
    """The `limit` best runs with intervals, and how many runs there are. Other runs get no interval."""
    every = ranked_means(connection, filter_, metric, "run")
    best = every[:limit]
    narrow = replace(filter_, runs=tuple(sorted(int(item.key[0]) for item in best)))
    return _with_intervals(connection, narrow, metric, ("run",), best), len(every)


def ranked_means(connection: Connection, filter_: Filter, metric: str, by: Dimension) -> list[MetricMean]:
    """The means of a metric by one dimension, the best first and the unscored last."""
    goodness = scale_of(metric).goodness
    rows = means(connection, filter_, [metric], (by,))
    return sorted(rows, key=lambda item: -inf if item.mean is None else goodness(item.mean), reverse=True)


def _with_intervals(
    connection: Connection, filter_: Filter, metric: str, by: Sequence[Dimension], rows: Sequence[MetricMean]
) -> list[MeanWithInterval]:
    sums = sums_by_group(connection, filter_, metric, by, sum(row.n for row in rows)) if rows else []
    by_key = {total.key: total for total in sums}
    return [_with_interval(row, by_key.get(row.key)) for row in rows]


def _with_interval(row: MetricMean, questions: QuestionSums | None) -> MeanWithInterval:
    scale = scale_of(row.metric)
    values = influences(questions.sums, questions.sizes) if questions else ()
    share = questions.share if questions else 1.0
    interval = mean_interval(values, low=scale.low, high=scale.high, mean=row.mean, share=share)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return MeanWithInterval(row.key, row.metric, row.mean, low, high, row.n, row.unscored)
