"""Means with their 95 % intervals, put together from SQL aggregates.

From 1,000 values on the bootstrap's normal limit is taken, which needs no more than mean, deviation and n.  Below that
the values themselves are asked for, as how often each came.  From 100 values of many different kinds on, quantiles of
the bootstrap's distribution come from its expansion with the skewness (Cornish and Fisher 1938; Hall 1992, chapter 3),
which agrees with 10,000 draws to a hundredth or two of the width and takes no time.  Below that, they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.statistics import FEW_DISTINCT, LEVEL, MANY, bootstrap_interval
from workbench.studies.filters import Dimension, Filter
from workbench.studies.results import Aggregate, Distribution, Values, aggregate, distributions

REACH = NormalDist().inv_cdf((1 + LEVEL) / 2)
KEPT = 4_096
EXPANDED = 100
"""Values from which the expansion is used, where more than `FEW_DISTINCT` of them differ."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """One metric over the cells that share `key`. `low` and `high` are None below 2 values, `mean` where `n` is 0."""

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
    few = [item for item in found if 2 <= item.n < MANY]
    values: dict[tuple[Any, ...], Distribution] = {}
    if few:
        values = {item.key: item for item in distributions(engine, _narrowed(chosen, few, by), metric, by)}
    return [_bounded(item, values.get(item.key)) for item in found]


def best(engine: Engine, chosen: Filter, metric: str, limit: int) -> tuple[list[Bounded], int]:
    """The `limit` best runs with intervals, and how many runs there are. Intervals are made for these alone."""
    found = aggregate(engine, chosen, [metric], ("run",))
    found.sort(key=lambda item: -1.0 if item.mean is None else item.mean, reverse=True)
    kept = found[:limit]
    few = [item for item in kept if 2 <= item.n < MANY]
    values: dict[tuple[Any, ...], Distribution] = {}
    if few:
        values = {item.key: item for item in distributions(engine, _narrowed(chosen, few, ("run",)), metric)}
    return [_bounded(item, values.get(item.key)) for item in kept], len(found)


def _narrowed(chosen: Filter, few: Sequence[Aggregate], by: Sequence[Dimension]) -> Filter:
    """The filter for the runs alone that have few values, where they are grouped by run."""
    if "run" not in by:
        return chosen
    place = list(by).index("run")
    return replace(chosen, runs=tuple(sorted({int(item.key[place]) for item in few})))


def _bounded(found: Aggregate, values: Distribution | None) -> Bounded:
    low = high = None
    if found.mean is not None and found.n >= MANY:
        reach = REACH * found.deviation / sqrt(found.n)
        low, high = found.mean - reach, found.mean + reach
    elif values is not None:
        low, high = _interval(tuple(values.values.tolist()), tuple(values.counts.tolist()))
    return Bounded(found.key, found.metric, found.mean, low, high, found.n, found.unscored)


@lru_cache(maxsize=KEPT)
def _interval(values: tuple[float, ...], counts: tuple[int, ...]) -> tuple[float | None, float | None]:
    if sum(counts) >= EXPANDED and len(values) > FEW_DISTINCT:
        return expanded(np.repeat(values, counts))
    made = bootstrap_interval(np.repeat(values, counts).tolist())
    return (made.low, made.high) if made else (None, None)


def expanded(values: Values) -> tuple[float, float]:
    """The bootstrap's interval of the mean by its expansion; `values` must vary."""
    mean, spread = float(values.mean()), float(values.std())
    skew = float(np.mean((values - mean) ** 3)) / spread**3
    error = spread / sqrt(values.size)
    shift = skew * (REACH**2 - 1) / (6 * sqrt(values.size))
    return mean + error * (shift - REACH), mean + error * (shift + REACH)
