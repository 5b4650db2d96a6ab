"""Means with their 95 % intervals: the mean from totals, the interval from what each question got.

Whole questions are drawn, with all the answers to them that are looked at (see metrics.clusters).  From 1,000 questions
on the bootstrap's normal limit is taken.  From 100 values of many different kinds on, quantiles of the bootstrap's
distribution come from its expansion with the skewness (Cornish and Fisher 1938; Hall 1992, chapter 3), which agrees
with 10,000 draws to a hundredth or two of the width and takes no time.  Below that, they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.clusters import influences
from workbench.metrics.scale import scale_of
from workbench.metrics.statistics import FEW_DISTINCT, LEVEL, MANY, bootstrap_interval
from workbench.studies.filters import Dimension, Filter
from workbench.studies.results import Aggregate, aggregate
from workbench.studies.values import Questions, Values, by_group

REACH = NormalDist().inv_cdf((1 + LEVEL) / 2)
KEPT = 4_096
EXPANDED = 100
"""Questions from which the expansion is used, where more than `FEW_DISTINCT` of their values differ."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """One metric over the cells that share `key`. `low` and `high` are None below 2 questions, `mean` if `n` is 0."""

    key: tuple[Any, ...]
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


def bounded(engine: Engine, chosen: Filter, metric: str, by: Sequence[Dimension] = ("run",)) -> list[Bounded]:
    """A metric by group with intervals. Raises UsageError for a metric that nothing was scored by."""
    found = aggregate(engine, chosen, [metric], by)
    return _with_intervals(engine, chosen, metric, by, found)


def best(engine: Engine, chosen: Filter, metric: str, limit: int) -> tuple[list[Bounded], int]:
    """The `limit` best runs with intervals, and how many runs there are. Intervals are made for these alone."""
    found = aggregate(engine, chosen, [metric], ("run",))
    good = scale_of(metric).goodness
    found.sort(key=lambda item: -inf if item.mean is None else good(item.mean), reverse=True)
    kept = found[:limit]
    narrow = replace(chosen, runs=tuple(sorted(int(item.key[0]) for item in kept)))
    return _with_intervals(engine, narrow, metric, ("run",), kept), len(found)


def _with_intervals(
    engine: Engine, chosen: Filter, metric: str, by: Sequence[Dimension], found: Sequence[Aggregate]
) -> list[Bounded]:
    read = by_group(engine, chosen, metric, by, sum(item.n for item in found)) if found else []
    asked = {item.key: item for item in read}
    return [_bounded(item, asked.get(item.key)) for item in found]


def _bounded(found: Aggregate, asked: Questions | None) -> Bounded:
    low, high = interval(influences(asked.sums, asked.sizes), asked.share) if asked else (None, None)
    return Bounded(found.key, found.metric, found.mean, low, high, found.n, found.unscored)


def interval(values: Values, share: float = 1.0) -> tuple[float | None, float | None]:
    """The 95 % interval of the mean of one value a question, which are `share` of all; (None, None) below 2."""
    if values.size < 2:
        return None, None
    if share == 1 and values.size < MANY:
        return _drawn(values.tobytes())
    mean, reach = float(values.mean()), REACH * float(values.std()) / sqrt(values.size / share)
    return mean - reach, mean + reach


@lru_cache(maxsize=KEPT)
def _drawn(packed: bytes) -> tuple[float | None, float | None]:
    values = np.frombuffer(packed, dtype=np.float64)
    if values.size >= EXPANDED and np.unique(values).size > FEW_DISTINCT:
        return expanded(values)
    made = bootstrap_interval(values.tolist())
    return (made.low, made.high) if made else (None, None)


def expanded(values: Values) -> tuple[float, float]:
    """The bootstrap's interval of the mean by its expansion; `values` must vary."""
    mean, spread = float(values.mean()), float(values.std())
    skew = float(np.mean((values - mean) ** 3)) / spread**3
    error = spread / sqrt(values.size)
    shift = skew * (REACH**2 - 1) / (6 * sqrt(values.size))
    return mean + error * (shift - REACH), mean + error * (shift + REACH)
