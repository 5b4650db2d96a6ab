"""Many scores as one figure: the mean over what was scored, its interval, and what was not scored and why."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

import numpy as np

from workbench.metrics.clusters import influences
from workbench.metrics.score import Score
from workbench.metrics.statistics import LEVEL, bootstrap_interval


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`mean` over `n` scored answers, None where there are none; `low` and `high` bound it with 95 %, None below 2
    questions.

    `unscored` answers are in no mean; `reasons` says how many were left out for each reason, most frequent first.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    reasons: Mapping[str, int] = field(default_factory=dict)


class Tally:
    """Scores gathered one by one, in 16 bytes each: files may hold millions."""

    def __init__(self) -> None:
        self._values = array("d")
        self._questions = array("q")
        self._reasons: Counter[str] = Counter()

    def add(self, score: Score, question: int | None = None) -> None:
        """Counts one more score. `question` (from 0) is a number that the answers to one question share; a question of
        its own where None."""
        if score.value is None:
            self._reasons[score.reason] += 1
        else:
            self._values.append(score.value)
            self._questions.append(-len(self._values) if question is None else question)

    def aggregate(self, *, level: float = LEVEL, seed: int = 0) -> Aggregate:
        """The figure for all that was added so far."""
        n = len(self._values)
        interval = bootstrap_interval(self._by_question(), level=level, seed=seed)
        return Aggregate(
            fsum(self._values) / n if n else None,
            interval.low if interval else None,
            interval.high if interval else None,
            n,
            self._reasons.total(),
            dict(self._reasons.most_common()),
        )

    def _by_question(self) -> Sequence[float]:
        """What the bootstrap draws from: the values, where no two answer one question."""
        found, place, sizes = np.unique(np.asarray(self._questions), return_inverse=True, return_counts=True)
        if found.size == len(self._values):
            return self._values
        sums = np.bincount(place, weights=np.asarray(self._values))
        drawn: list[float] = influences(sums.astype(np.float64), sizes.astype(np.float64)).tolist()
        return drawn


def aggregate(scores: Iterable[Score], *, level: float = LEVEL, seed: int = 0) -> Aggregate:
    """The aggregate of scores of one measure.

    >>> aggregate([Score(1.0), Score(0.0), Score(None, "No gold.")])
    Aggregate(mean=0.5, low=0.0, high=1.0, n=2, unscored=1, reasons={'No gold.': 1})
    """
    tally = Tally()
    for score in scores:
        tally.add(score)
    return tally.aggregate(level=level, seed=seed)
