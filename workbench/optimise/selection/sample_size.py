"""How many questions a search needs before it starts, and what a number of questions can show.

To tell a recipe from one that is better by δ, with s the standard deviation of their difference on a group of
questions,

    n = ((z_{1 − α/2k} + z_{power}) · s / δ)²

groups are needed (Cohen, 1988; Bloom, 1995; the t quantiles of n − 1 degrees of freedom are used). k = m (m − 1) / 2
is the number of pairs of m recipes: the first of Holm's steps, since the best one is not known before. To claim a
winner all m − 1 others must be told from it, so that each test may fail with only (1 − power) / (m − 1). The set not
told apart (`confidence_set`) uses the joint distribution of the tests and further steps, so it needs no more than this.

s comes from a pilot: the root mean square over all pairs of recipes of the deviation of their paired differences. A few
questions give an uncertain s; `high` is its upper 80 % limit by the χ² distribution (Browne, 1995), for who wants to be
on the safe side.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt
from statistics import NormalDist

import numpy as np

from workbench.core import UsageError
from workbench.metrics import t_quantile
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores

ALPHA = 0.05
POWER = 0.8
CAUTION = 0.8
AT_MOST = 10_000_000
"""Groups beyond which a number is no use: no one asks as many questions."""
GAINS = (0.02, 0.05, 0.1, 0.2)
"""Gains that the questions needed are given for, on a scale from 0 to 1."""
TYPICAL_SPREADS = (0.2, 0.35, 0.5)
"""Deviations of two recipes' difference for when no pilot was run: scores that seldom, sometimes and often differ."""


@dataclass(frozen=True, slots=True)
class PilotSpread:
    """`value`: the typical standard deviation of two recipes' difference on a group, in units of the score.

    `high` is its upper limit of 80 %, from `groups` groups that `questions` questions belong to on average.
    """

    value: float
    high: float
    groups: int
    questions: float


def pilot_spread(scores: FloatArray, groups: Sequence[str]) -> PilotSpread:
    """How much the difference of two recipes varies from group to group, in a pilot.

    `scores`: (recipes, questions), NaN where unscored; `groups`: (questions,). Raises UsageError as PairedScores
    does, and for fewer than two recipes or than three groups that a pair of recipes shares.
    """
    table = PairedScores(scores, groups)
    variances, shared = [], []
    for recipe in range(table.recipes - 1):
        sums, sizes = table.leads(recipe)
        sums, sizes = sums[recipe + 1 :], sizes[recipe + 1 :]
        counts = (sizes > 0).sum(axis=1)
        usable = counts > 2
        sums, sizes, counts = sums[usable], sizes[usable], counts[usable]
        means = sums.sum(axis=1) / sizes.sum(axis=1)
        deviations = (sums - means[:, None] * sizes) / (sizes.sum(axis=1) / counts)[:, None]
        variances += (np.square(deviations).sum(axis=1) / (counts - 1)).tolist()
        shared += counts.tolist()
    if not variances:
        raise UsageError("A pilot has two or more recipes that share three or more questions; run a larger one.")
    from scipy.special import chdtri

    value, freedom = sqrt(float(np.mean(variances))), float(np.median(shared)) - 1
    # chdtri gives the point that χ² exceeds with a probability: the lower quantile bounds the variance from above.
    return PilotSpread(
        value,
        value * sqrt(freedom / float(chdtri(freedom, CAUTION))),
        table.groups,
        len(groups) / table.groups,
    )


def groups_needed(
    spread: float, gain: float, recipes: int, *, winner: bool = False, power: float = POWER, alpha: float = ALPHA
) -> int:
    """The groups of questions with which a gain shows with probability `power`.

    `spread` is the deviation of paired differences (`pilot_spread`), `gain` the true difference, both in units of the
    score; `recipes` are searched. It is the number to tell one recipe from one that leads it by `gain`; with `winner`,
    to tell all others from one that leads each of them by at least that. Raises UsageError for a gain that is not
    positive, a negative spread, fewer than two recipes, a power or level outside ]0, 1[, or a gain too small to show.

    >>> groups_needed(0.5, 0.1, 2), groups_needed(0.5, 0.1, 30), groups_needed(0.5, 0.1, 30, winner=True)
    (199, 559, 1005)
    """
    _check(spread, recipes, power, alpha)
    if not gain > 0:
        raise UsageError(f"The gain to be seen is above 0, not {gain}; such as 0.05 on a scale from 0 to 1.")
    level, strength = _quantile_levels(recipes, power, alpha, winner=winner)
    least = _least_groups(level)
    normal = NormalDist()
    # The normal's number is too low by a few; Student's t is never less.
    size = max(least, ceil(((normal.inv_cdf(level) + normal.inv_cdf(strength)) * spread / gain) ** 2))
    if size > AT_MOST:
        raise UsageError(f"A gain of {gain:g} is too small to be seen with any number of questions that can be asked.")
    too_few = least - 1
    while _visible(spread, size, level, strength) > gain:
        too_few, size = size, 2 * size
    # What is visible falls with every group: the first number that shows the gain lies in between.
    return bisect_left(range(size), True, too_few + 1, key=lambda n: _visible(spread, n, level, strength) <= gain)


def visible_gain(
    spread: float, groups: int, recipes: int, *, winner: bool = False, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """The smallest true gain that `groups` groups show with probability `power`; None where they are too few for any.

    Arguments and errors as for `groups_needed`.
    """
    _check(spread, recipes, power, alpha)
    level, strength = _quantile_levels(recipes, power, alpha, winner=winner)
    if groups < _least_groups(level):
        return None
    return _visible(spread, groups, level, strength)


def _visible(spread: float, groups: int, level: float, strength: float) -> float:
    return (t_quantile(level, groups - 1) + t_quantile(strength, groups - 1)) * spread / sqrt(groups)


def _quantile_levels(recipes: int, power: float, alpha: float, *, winner: bool) -> tuple[float, float]:
    pairs = recipes * (recipes - 1) / 2
    return 1 - alpha / (2 * pairs), 1 - (1 - power) / (recipes - 1 if winner else 1)


def _least_groups(level: float) -> int:
    """Groups with which a test by signs can reach a level at all: 2 of 2ⁿ choices are as extreme as any."""
    return max(2, ceil(1 - log2(2 * (1 - level))))


def _check(spread: float, recipes: int, power: float, alpha: float) -> None:
    if not spread >= 0:
        raise UsageError(f"The spread of differences is not negative, so not {spread}; take it from a pilot.")
    if recipes < 2:
        raise UsageError(f"A search compares two or more recipes, not {recipes}.")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(
            f"Power and level of error are between 0 and 1, not {power} and {alpha}; 0.8 and 0.05 are usual."
        )


def needed_rows(recipes: int, spread: PilotSpread | None) -> list[tuple[float, float, int, int]]:
    """Spread, gain, the questions that show it against one recipe, and against all others; [] for one recipe.

    The spreads are typical ones where no pilot, or one in which recipes did not differ, tells which it is.
    """
    rows = []
    spreads = (spread.value,) if spread is not None and spread.value > 0 else TYPICAL_SPREADS
    for spread_value in spreads if recipes > 1 else ():
        for gain in GAINS:
            try:
                one = groups_needed(spread_value, gain, recipes)
                rows.append((spread_value, gain, one, groups_needed(spread_value, gain, recipes, winner=True)))
            except UsageError:
                continue
    return rows
