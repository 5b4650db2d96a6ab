"""How much of the score that a recipe was chosen for is left on questions that the search never saw.

The mean on the questions of the search is too high, since the search took the recipe for it. Shrinkage is that mean
minus the mean on the held-out questions. Its interval combines those of the two means, which are of different
questions:

    d − √((a − a_low)² + (b_high − b)²)   to   d + √((a_high − a)² + (b − b_low)²),    d = a − b

(Newcombe, 1998; Zou and Donner, 2008: the method of variance estimates recovery).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core import UsageError
from workbench.metrics import Interval, influences, mean_interval
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores, TooFewQuestions


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """One recipe's `search` mean beside its `holdout` mean; `shrinkage` is the first minus the second.

    `interval` is of 95 % and None below two groups on a side.
    """

    recipe: int
    search: float
    holdout: float
    shrinkage: float
    interval: Interval | None

    @property
    def is_beyond_sampling(self) -> bool:
        """Whether the recipe lost more than two samples of questions explain."""
        return self.interval is not None and self.interval.low > 0


def shrinkage(
    search: FloatArray,
    search_groups: Sequence[str],
    holdout: FloatArray,
    holdout_groups: Sequence[str],
    *,
    recipe: int | None = None,
    low: float = 0.0,
    high: float = 1.0,
) -> Shrinkage:
    """The recipe that the search took (`recipe`, the best mean for None) on both parts of the questions.

    `search`: (recipes, questions of the search), `holdout`: (recipes, held-out questions), the same recipes in the same
    order, NaN where unscored; scores on the scale from `low` to `high`. Raises UsageError as PairedScores does, where a
    group is on both sides, where the numbers of recipes differ, and where the recipe has no score on a side.
    """
    if both := set(search_groups) & set(holdout_groups):
        raise UsageError(
            f"{len(both)} groups are on both sides of the split; held-out questions are new to the search."
        )
    sides = PairedScores(search, search_groups), PairedScores(holdout, holdout_groups)
    if sides[0].recipes != sides[1].recipes:
        raise UsageError(f"Both sides have the same recipes, not {sides[0].recipes} and {sides[1].recipes}.")
    if recipe is None:
        recipe = int(np.argmax(np.nan_to_num(sides[0].relative_means, nan=-np.inf)))
    means = [float(side.means[recipe]) for side in sides]
    if np.isnan(means).any():
        raise TooFewQuestions("The recipe has no score on one side of the split; measure it on both.")
    intervals = [_interval(side, recipe, low, high) for side in sides]
    return Shrinkage(recipe, means[0], means[1], means[0] - means[1], _difference_interval(means, intervals))


def _interval(table: PairedScores, recipe: int, low: float, high: float) -> Interval | None:
    sizes = table.sizes[recipe]
    scored = sizes > 0
    if np.count_nonzero(scored) < 2:
        return None
    return mean_interval(influences(table.sums[recipe][scored], sizes[scored]), low=low, high=high)


def _difference_interval(means: Sequence[float], intervals: Sequence[Interval | None]) -> Interval | None:
    one, other = intervals
    if one is None or other is None:
        return None
    below = np.hypot(means[0] - one.low, other.high - means[1])
    above = np.hypot(one.high - means[0], means[1] - other.low)
    difference = means[0] - means[1]
    return Interval(float(difference - below), float(difference + above))
