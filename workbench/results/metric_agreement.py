"""How far two metrics agree over the answers that both scored: Pearson's r.

Where there are many answers, every m-th question is taken, so that some 100,000 values of each metric are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.scale import scale_of
from workbench.results import result_store, score_arrays
from workbench.results.filters import Filter
from workbench.results.instances import Instance, instances_of
from workbench.results.score_arrays import Values

ENOUGH = 100_000
FLAT = 1e-12
"""Values that lie no further apart do not vary: what is left is rounding."""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """`r` from -1 to 1, None where one of the two does not vary, over `n` answers."""

    first: str
    second: str
    r: float | None
    n: int


def agreement(engine: Engine, chosen: Filter, names: Sequence[str]) -> list[MetricCorrelation]:
    """Every two of the metrics `names`, each pair once. Raises UsageError for one that nothing was scored by."""
    every = read_every(engine, chosen, names[0]) if names else 1
    columns = {name: score_arrays.by_answer(engine, chosen, name, every) for name in names}
    found = []
    for first, second in combinations(columns, 2):
        _, one, other = score_arrays.common(columns[first], columns[second])
        found.append(MetricCorrelation(first, second, pearson(one, other), one.size))
    return found


def read_every(engine: Engine, chosen: Filter, metric: str) -> int:
    """Every how many questions are read, so that enough are and no more."""
    cells = sum(item.n + item.unscored for item in result_store.aggregate(engine, chosen, [metric], ("dataset",)))
    return max(1, cells // ENOUGH)


def pearson(one: Values, other: Values) -> float | None:
    """Pearson's r, None where there is nothing or one of the two does not vary.

    >>> pearson(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.4, 0.4]))
    1.0
    """
    if not one.size or np.ptp(one) < FLAT or np.ptp(other) < FLAT:
        return None
    return max(-1.0, min(1.0, round(float(np.corrcoef(one, other)[0, 1]), 12)))


def furthest_apart(
    engine: Engine, chosen: Filter, first: str, second: str, *, start: int, limit: int
) -> tuple[int, list[Instance]]:
    """How many answers one metric finds better than the other does, and a page of them, the widest apart first.

    Values count as what they are between the worst and the best that their metric can give.

    Of very many answers those to every m-th question are read, as for the correlation. Raises UsageError for a metric
    that nothing was scored by.
    """
    every = read_every(engine, chosen, first)
    columns = [score_arrays.by_answer(engine, chosen, name, every) for name in (first, second)]
    keys, one, other = score_arrays.common(*columns)
    apart = np.abs(scale_of(first).goodness(one) - scale_of(second).goodness(other))
    order = np.argsort(-apart, kind="stable")[: int(np.count_nonzero(apart))]
    cells = [divmod(int(key), score_arrays.BEYOND) for key in keys[order[start : start + limit]]]
    return int(order.size), instances_of(engine, cells)
