"""Means with their 95 % intervals: the mean from totals, the interval from the sums of each question.

What an interval draws is complete questions, with all the answers to them that are looked at (see metrics.intervals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from sqlalchemy import Connection

from workbench.experiments.results.filters import Dimension, Filter
from workbench.experiments.results.queries.aggregates import MetricMean, means
from workbench.experiments.results.queries.score_arrays import QuestionSums, sums_by_group
from workbench.metrics import influences, mean_interval, scale_of


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
    sums = sums_by_group(connection, filter_, metric, by, sum(item.n for item in rows)) if rows else []
    by_key = {item.key: item for item in sums}
    return [_with_interval(item, by_key.get(item.key)) for item in rows]


def _with_interval(row: MetricMean, questions: QuestionSums | None) -> MeanWithInterval:
    scale = scale_of(row.metric)
    values = influences(questions.sums, questions.sizes) if questions else ()
    share = questions.share if questions else 1.0
    interval = mean_interval(values, low=scale.low, high=scale.high, mean=row.mean, share=share)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return MeanWithInterval(row.key, row.metric, row.mean, low, high, row.n, row.unscored)
