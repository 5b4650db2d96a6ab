"""Means with their 95 % intervals: the mean from totals, the interval from what each question got.

What an interval counts is whole questions, with all the answers to them that are looked at (see metrics.clusters).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from sqlalchemy import Engine

from workbench.metrics.scale import scale_of
from workbench.metrics.statistics.clusters import influences
from workbench.metrics.statistics.intervals import mean_interval
from workbench.results.filters import Dimension, Filter
from workbench.results.result_store import MetricMean, aggregate
from workbench.results.score_arrays import Questions, by_group


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
    engine: Engine, chosen: Filter, metric: str, by: Sequence[Dimension] = ("run",)
) -> list[MeanWithInterval]:
    """A metric by group with intervals. Raises UsageError for a metric that nothing was scored by."""
    found = aggregate(engine, chosen, [metric], by)
    return _with_intervals(engine, chosen, metric, by, found)


def best(engine: Engine, chosen: Filter, metric: str, limit: int) -> tuple[list[MeanWithInterval], int]:
    """The `limit` best runs with intervals, and how many runs there are. Intervals are made for these alone."""
    found = ranked(engine, chosen, metric, "run")
    kept = found[:limit]
    narrow = replace(chosen, runs=tuple(sorted(int(item.key[0]) for item in kept)))
    return _with_intervals(engine, narrow, metric, ("run",), kept), len(found)


def ranked(engine: Engine, chosen: Filter, metric: str, by: Dimension) -> list[MetricMean]:
    """The means of a metric by what cells have in common, the best first and the unscored last."""
    good = scale_of(metric).goodness
    found = aggregate(engine, chosen, [metric], (by,))
    return sorted(found, key=lambda item: -inf if item.mean is None else good(item.mean), reverse=True)


def _with_intervals(
    engine: Engine, chosen: Filter, metric: str, by: Sequence[Dimension], found: Sequence[MetricMean]
) -> list[MeanWithInterval]:
    read = by_group(engine, chosen, metric, by, sum(item.n for item in found)) if found else []
    asked = {item.key: item for item in read}
    return [_bounded(item, asked.get(item.key)) for item in found]


def _bounded(found: MetricMean, asked: Questions | None) -> MeanWithInterval:
    scale = scale_of(found.metric)
    values = influences(asked.sums, asked.sizes) if asked else ()
    share = asked.share if asked else 1.0
    made = mean_interval(values, low=scale.low, high=scale.high, mean=found.mean, share=share)
    low, high = (made.low, made.high) if made else (None, None)
    return MeanWithInterval(found.key, found.metric, found.mean, low, high, found.n, found.unscored)
