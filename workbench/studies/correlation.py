"""How far two metrics agree over the answers that both scored: Pearson's r.

Where there are many answers, every m-th question is taken, so that some 100,000 values of each metric are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sqlalchemy import Engine

from workbench.studies import results, values
from workbench.studies.filters import Filter
from workbench.studies.values import Values

ENOUGH = 100_000
FLAT = 1e-12
"""Values that lie no further apart do not vary: what is left is rounding."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """`r` from -1 to 1, None where one of the two does not vary, over `n` answers."""

    first: str
    second: str
    r: float | None
    n: int


def agreement(engine: Engine, chosen: Filter, names: Sequence[str]) -> list[Agreement]:
    """Every two of the metrics `names`, each pair once. Raises UsageError for one that nothing was scored by."""
    every = read_every(engine, chosen, names[0]) if names else 1
    columns = {name: values.by_answer(engine, chosen, name, every) for name in names}
    found = []
    for first, second in combinations(columns, 2):
        _, one, other = values.common(columns[first], columns[second])
        found.append(Agreement(first, second, pearson(one, other), one.size))
    return found


def read_every(engine: Engine, chosen: Filter, metric: str) -> int:
    """Every how many questions are read, so that enough are and no more."""
    cells = sum(item.n + item.unscored for item in results.aggregate(engine, chosen, [metric], ("dataset",)))
    return max(1, cells // ENOUGH)


def pearson(one: Values, other: Values) -> float | None:
    """Pearson's r, None where there is nothing or one of the two does not vary.

    >>> pearson(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.4, 0.4]))
    1.0
    """
    if not one.size or np.ptp(one) < FLAT or np.ptp(other) < FLAT:
        return None
    return max(-1.0, min(1.0, round(float(np.corrcoef(one, other)[0, 1]), 12)))
