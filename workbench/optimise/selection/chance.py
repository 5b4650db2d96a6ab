"""What chance does to a search: the gain of the best of many equal recipes, the optimism of its score, and sample size.

Luck is the gain of the same search where no recipe differs from another. The gain seen is the mean of the recipe that
the search takes minus the mean of all (or of a reference recipe). Of m equal recipes one is always ahead, so a gain is
expected where there is none. To see how large, each recipe is centred: r_ig is what group g adds to recipe i's mean
after the mean of recipe i and that of the questions are taken out. With one tossed sign s_g per group,

    mean_i* = √(G / (G − 1)) · Σ_g s_g r_ig

are means of m recipes that are equal but for chance, that vary as these do and that go together as these do (wild
bootstrap: Wu, 1986; Liu, 1988; the maximum over centred rivals: White, 2000, reality check for data snooping). The
search takes its pick of these, many times: that is the distribution of luck. Since one sign is common to all recipes of
a group, two nearly identical recipes have nearly the same luck, and copies that answer alike have none: both the gain
and its luck are 0.

Optimism: the mean on the questions of the search is too high, since the search took the recipe for it. Shrinkage is
that mean minus the mean on the held-out questions. Its interval combines those of the two means, which are of different
questions:

    d − √((a − a_low)² + (b_high − b)²)   to   d + √((a_high − a)² + (b − b_low)²),    d = a − b

(Newcombe, 1998; Zou and Donner, 2008: the method of variance estimates recovery).

Sample size: to tell a recipe from one that is better by δ, with s the standard deviation of their difference on a group
of questions,

    n = ((z_{1 − α/2k} + z_{power}) · s / δ)²

groups are needed (Cohen, 1988; Bloom, 1995; the t quantiles of n − 1 degrees of freedom are used). k = m (m − 1) / 2 is
the number of pairs of m recipes: the first of Holm's steps, since the best one is not known before. To claim a winner
all m − 1 others must be told from it, so that each test may fail with only (1 − power) / (m − 1). The set not told
apart (`recipe_confidence_set`) uses the joint distribution of the tests and further steps, so it needs no more than
this.

s comes from a pilot: the root mean square over all pairs of recipes of the deviation of their paired differences. A few
questions give an uncertain s; `high` is its upper 80 % limit by the χ² distribution (Browne, 1995), for who wants to be
on the safe side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.core import UsageError
from workbench.metrics import Interval, detectable_by, influences, mean_interval, sample_needed
from workbench.optimise.measurement import FloatArray
from workbench.optimise.selection.greedy_path import GreedyPath
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
    path: GreedyPath | None = None,
    reference: int | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> LuckGauge:
    """The gain of a search beside the gain of the same search among recipes that do not differ.

    `scores`: (recipes, questions), higher is better, NaN where unscored; means are then relative to the questions
    that a recipe has (PairedScores.relative_means). `groups`: (questions,). `pick` gives the row that a search ends
    with, given the means of all recipes; the best one for None. `path` follows a greedy search instead: its rows
    `compared` are those of `scores`.
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
    recipe = path.recipe if path else take(means)
    correction = np.sqrt(table.groups / (table.groups - 1))
    influences = table.influences() * correction
    # Signs without the first: what was seen is counted in p by itself.
    signs = random_signs(table.groups, draws + 1, seed)[:, 1:]
    luck = (influences @ signs).T
    ends = path.ends(groups, signs) if path else [take(row) for row in luck]
    gains = np.array([_gain(row, end, reference) for row, end in zip(luck, ends, strict=True)])
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


ALPHA = 0.05
POWER = 0.8
CAUTION = 0.8


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


GAINS = (0.02, 0.05, 0.1, 0.2)
"""Gains that the questions needed are given for, on a scale from 0 to 1."""
TYPICAL_SPREADS = (0.2, 0.35, 0.5)
"""Deviations of two recipes' difference for when no pilot was run: scores that seldom, sometimes and often differ."""


def groups_needed(spread: float, gain: float, recipes: int, *, winner: bool = False) -> int:
    """The groups of questions with which a gain shows with probability POWER, tested at the level ALPHA.

    `spread` is the deviation of paired differences (`pilot_spread`), `gain` the true difference, both in units of the
    score; `recipes` are searched. It is the number to tell one recipe from one that leads it by `gain`; with `winner`,
    to tell all others from one that leads each of them by at least that. Raises UsageError for a gain that is not
    positive, a negative spread, fewer than two recipes, or a gain too small to show.

    >>> groups_needed(0.5, 0.1, 2), groups_needed(0.5, 0.1, 30), groups_needed(0.5, 0.1, 30, winner=True)
    (199, 559, 1005)
    """
    _check(spread, recipes)
    if not gain > 0:
        raise UsageError(f"The gain to be seen is above 0, not {gain}; such as 0.05 on a scale from 0 to 1.")
    level, power = _level_and_power(recipes, winner=winner)
    size = sample_needed(spread, gain, level=level, power=power)
    if size is None:
        raise UsageError(f"A gain of {gain:g} is too small to be seen with any number of questions that can be asked.")
    return size


def visible_gain(spread: float, groups: int, recipes: int) -> float | None:
    """The smallest true gain that `groups` groups show with probability POWER; None where they are too few for any.

    Arguments and errors as for `groups_needed`.
    """
    _check(spread, recipes)
    level, power = _level_and_power(recipes, winner=False)
    return detectable_by(groups, spread, level=level, power=power)


def _level_and_power(recipes: int, *, winner: bool) -> tuple[float, float]:
    pairs = recipes * (recipes - 1) / 2
    return 1 - ALPHA / pairs, 1 - (1 - POWER) / (recipes - 1 if winner else 1)


def _check(spread: float, recipes: int) -> None:
    if not spread >= 0:
        raise UsageError(f"The spread of differences is not negative, so not {spread}; take it from a pilot.")
    if recipes < 2:
        raise UsageError(f"A search compares two or more recipes, not {recipes}.")


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
