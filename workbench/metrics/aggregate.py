"""Many scores as one figure: the mean over what was scored, its interval, and what was not scored and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum

from workbench.metrics.score import Score
from workbench.metrics.statistics import LEVEL, bootstrap_interval


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`mean` over `n` scored answers, None where there are none; `low` and `high` bound it with 95 %, None below 2.

    `unscored` answers are in no mean; `reasons` says how many were left out for each reason, most frequent first.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    reasons: Mapping[str, int] = field(default_factory=dict)


def aggregate(scores: Iterable[Score], *, level: float = LEVEL, seed: int = 0) -> Aggregate:
    """The aggregate of scores of one measure.

    >>> aggregate([Score(1.0), Score(0.0), Score(None, "No gold.")])
    Aggregate(mean=0.5, low=0.0, high=1.0, n=2, unscored=1, reasons={'No gold.': 1})
    """
    values: list[float] = []
    reasons: Counter[str] = Counter()
    for score in scores:
        if score.value is None:
            reasons[score.reason] += 1
        else:
            values.append(score.value)
    mean = fsum(values) / len(values) if values else None
    interval = bootstrap_interval(values, level=level, seed=seed)
    return Aggregate(
        mean,
        interval.low if interval else None,
        interval.high if interval else None,
        len(values),
        reasons.total(),
        dict(reasons.most_common()),
    )
