"""What chance alone gains by taking the best of many recipes: the same search where no recipe differs from another.

The gain seen is the mean of the recipe that the search takes minus the mean of all (or of a reference recipe). Of m
equal recipes one is always ahead, so a gain is expected where there is none. To see how large, each recipe is centred:
r_ig is what group g adds to recipe i's mean after the mean of recipe i and that of the questions are taken out. With
one tossed sign s_g per group,

    mean_i* = √(G / (G − 1)) · Σ_g s_g r_ig

are means of m recipes that are equal but for chance, that vary as these do and that go together as these do (wild
bootstrap: Wu, 1986; Liu, 1988; the maximum over centred rivals: White, 2000, reality check for data snooping). The
search takes its pick of these, many times: that is the distribution of luck. Since one sign is common to all recipes
of a group, two nearly identical recipes have nearly the same luck, and copies that answer alike have none: both the
gain and its luck are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core import UsageError
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores, TooFewQuestions, random_signs

DRAWS = 2_000
ROUNDING = 1e-9
SIGNIFICANT = 0.05

Pick = Callable[[FloatArray], int]
"""Which recipe a search takes, given the means of all, shape (recipes,)."""


@dataclass(frozen=True, slots=True)
class LuckGauge:
    """`gain`: what the search seems to gain; `median`, `high` and `mean`: of what chance alone would gain.

    `high` is exceeded by chance in 5 of 100 searches, `p` is how often chance gains at least as much (never 0).
    All but `p` in units of the score. `recipe` is the row that was taken.
    """

    recipe: int
    gain: float
    mean: float
    median: float
    high: float
    p: float
    recipes: int
    groups: int

    @property
    def is_luck(self) -> bool:
        """Whether luck covers the gain: chance alone gains as much in 5 of 100 searches or more.

        Few groups cannot show more: with two, chance gains as much in one search of four, whatever the scores are.
        """
        return self.p >= SIGNIFICANT or self.gain <= self.high + ROUNDING


def luck_gauge(
    scores: FloatArray,
    groups: Sequence[str],
    pick: Pick | None = None,
    *,
    reference: int | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> LuckGauge:
    """The gain of a search beside the gain of the same search among recipes that do not differ.

    `scores`: (recipes, questions), higher is better, NaN where unscored; means are then relative to the questions
    that a recipe has (PairedScores.relative_means). `groups`: (questions,). `pick` follows the search's path: the row
    that it ends with, given the means of all recipes, as a greedy search does node by node; the best one for None.
    `reference` is the recipe that gains are counted from, the mean of all for None. Raises UsageError as PairedScores
    does, below two groups, for a recipe without any score and for a `reference` that is not a row.

    >>> luck_gauge(np.tile([1.0, 0.0, 1.0], (30, 1)), ["a", "b", "c"]).is_luck
    True
    """
    table = PairedScores(scores, groups)
    if table.groups < 2:
        raise TooFewQuestions("The luck of a search shows on two or more questions; translations of one count as one.")
    if not table.sizes.sum(axis=1).all():
        raise TooFewQuestions("A recipe has no score for any question: leave it out of the luck gauge.")
    if reference is not None and not 0 <= reference < table.recipes:
        raise UsageError(f"The reference is one of {table.recipes} recipes, numbered from 0, not {reference}.")
    take = pick or _best
    means = table.relative_means
    recipe = take(means)
    correction = np.sqrt(table.groups / (table.groups - 1))
    influences = table.influences() * correction
    # Signs without the first: what was seen is counted in p by itself.
    signs = random_signs(table.groups, draws + 1, seed)[:, 1:]
    luck = (influences @ signs).T
    gains = np.array([_gain(row, take(row), reference) for row in luck])
    gain = _gain(means, recipe, reference)
    median, high = np.quantile(gains, [0.5, 0.95])
    p = (1 + np.count_nonzero(gains >= gain - ROUNDING)) / (1 + gains.size)
    return LuckGauge(
        recipe, gain, float(gains.mean()), float(median), float(high), float(p), table.recipes, table.groups
    )


def _best(means: FloatArray) -> int:
    return int(np.argmax(means))


def _gain(means: FloatArray, recipe: int, reference: int | None) -> float:
    return float(means[recipe] - (means.mean() if reference is None else means[reference]))
