"""How far two metrics agree over the answers that both scored: Pearson's r, and the answers on which they agree least.

Of very many answers, those to every m-th question are read, so that some 100,000 values of each metric are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.score_arrays import Values, cell_of, common
from workbench.experiments.results.result_store import ResultView
from workbench.metrics import scale_of

ANSWERS_READ = 100_000
FLAT = 1e-12
"""Values that lie no further apart do not vary: what is left is rounding."""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """`r` from -1 to 1, None where one of the two does not vary, over `n` answers."""

    first: str
    second: str
    r: float | None
    n: int


def metric_correlations(view: ResultView, metrics: Sequence[str]) -> list[MetricCorrelation]:
    """Every two of `metrics`, each pair once. Raises UsageError for one that nothing was scored by."""
    step = question_step(view, metrics[0]) if metrics else 1
    values = {name: view.values_by_answer(name, step) for name in metrics}
    correlations = []
    for first, second in combinations(values, 2):
        _, one, other = common(values[first], values[second])
        correlations.append(MetricCorrelation(first, second, pearson(one, other), one.size))
    return correlations


def furthest_apart(view: ResultView, first: str, second: str, *, start: int, limit: int) -> tuple[int, list[Instance]]:
    """How many answers get different values from two metrics, and a page of them, the widest apart first.

    Values are placed between the worst and the best that their metric can give. Raises UsageError for a metric that
    nothing was scored by.
    """
    step = question_step(view, first)
    keys, one, other = common(view.values_by_answer(first, step), view.values_by_answer(second, step))
    distance = np.abs(scale_of(first).goodness(one) - scale_of(second).goodness(other))
    order = np.argsort(-distance, kind="stable")[: int(np.count_nonzero(distance))]
    cells = [cell_of(int(key)) for key in keys[order[start : start + limit]]]
    return int(order.size), view.instances_of(cells)


def question_step(view: ResultView, metric: str) -> int:
    """M where every m-th question is read, 1 where all are."""
    cells = sum(item.n + item.unscored for item in view.means([metric], ("dataset",)))
    return max(1, cells // ANSWERS_READ)


def pearson(one: Values, other: Values) -> float | None:
    """Pearson's r, None where there is nothing or one of the two does not vary.

    >>> pearson(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.4, 0.4]))
    1.0
    """
    if not one.size or np.ptp(one) < FLAT or np.ptp(other) < FLAT:
        return None
    return max(-1.0, min(1.0, round(float(np.corrcoef(one, other)[0, 1]), 12)))
