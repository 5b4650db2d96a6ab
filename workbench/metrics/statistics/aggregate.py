"""Many scores as one figure: the mean of what was scored, its interval, and what was not scored and why."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

import numpy as np

from workbench.metrics.measure import Score
from workbench.metrics.statistics.intervals import LEVEL, Floats, influences, mean_interval


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Many scores as one figure.

    `mean` is over `n` scored answers, None where there are none; `low` and `high` bound it with 95 %, None below 2
    questions. `unscored` answers are in no mean; `reasons` states how many there are for each reason, most frequent
    first.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    reasons: Mapping[str, int] = field(default_factory=dict)


class ScoreTally:
    """Scores on the scale from `low` to `high`, added one by one, in 16 bytes each: files may have millions."""

    def __init__(self, low: float = 0.0, high: float = 1.0) -> None:
        """`low` and `high` are the bounds of the measure's values."""
        self._low, self._high = low, high
        self._values = array("d")
        self._questions = array("q")
        self._reasons: Counter[str] = Counter()

    def add(self, score: Score, question: int | None = None) -> None:
        """Adds one score.

        `question` is a number (from 0) that the answers to one question share; None for a question's only answer.
        """
        if score.value is None:
            self._reasons[score.reason] += 1
        else:
            self._values.append(score.value)
            self._questions.append(-len(self._values) if question is None else question)

    def aggregate(self, *, level: float = LEVEL) -> Aggregate:
        """The figure for all scores added so far."""
        n = len(self._values)
        interval = mean_interval(self._by_question(), low=self._low, high=self._high, level=level)
        return Aggregate(
            fsum(self._values) / n if n else None,
            interval.low if interval else None,
            interval.high if interval else None,
            n,
            self._reasons.total(),
            dict(self._reasons.most_common()),
        )

    def _by_question(self) -> Sequence[float] | Floats:
        """One value per question: the values themselves where no two answer the same question."""
        questions, positions, sizes = np.unique(np.asarray(self._questions), return_inverse=True, return_counts=True)
        if questions.size == len(self._values):
            return self._values
        sums = np.bincount(positions, weights=np.asarray(self._values))
        return influences(sums.astype(np.float64), sizes.astype(np.float64))


def aggregate(scores: Iterable[Score], *, low: float = 0.0, high: float = 1.0, level: float = LEVEL) -> Aggregate:
    """The aggregate of scores of one measure, whose scale goes from `low` to `high`.

    >>> figure = aggregate([Score(1.0), Score(0.0), Score(None, "No gold.")])
    >>> figure.mean, figure.n, figure.unscored, dict(figure.reasons)
    (0.5, 2, 1, {'No gold.': 1})
    """
    tally = ScoreTally(low, high)
    for score in scores:
        tally.add(score)
    return tally.aggregate(level=level)
