"""Recipes compared on the same questions, group by group, whatever some of them have no score for.

All statistics of a selection rest on this: a question and its translations are one group, a group is one draw, and two
recipes are compared on the questions that both have a score for. Higher scores are better; where a metric says
otherwise, the caller turns its sign.

A race stops recipes that can no longer be the best, whenever one looks, with its error under control. For recipes j and
i and the groups so far, D_g in [−1, 1] is by how much j leads i on group g (the mean over the
questions that both have, as a share of the scale). If i is at least as good as j, each wealth

    W_ji(λ) = Π_g (1 + λ D_g),    0 < λ < 1

of a gambler who bets the share λ on j is a nonnegative supermartingale that starts at 1, and so is the mean E_i of
W_ji(λ) over a grid of λ and over all rivals j, if i is a best recipe. By Ville's inequality (1939) E_i ever reaches
1/α with probability at most α, however often one looks and whatever the distribution of scores (Waudby-Smith and
Ramdas, 2024, on betting; Vovk and Wang, 2021, on means of e-values; Howard et al., 2021, on confidence sequences). A
recipe with E_i ≥ 1/α is stopped: a best recipe is kept with 95 %, without any choice of when to look. Races that test
at each look by Student's t or Friedman's test (Maron and Moore, 1994; Birattari et al., 2002) have no such bound.

It holds for groups in random order, each measured in full before one looks: shuffle the questions by group first.

The confidence set holds the recipes that cannot be told apart from the best: with 95 %, all truly best ones are among
them. For recipes i and j, D_jig is the sum over group g's questions of how much j leads i, and

    T_ji = Σ_g D_jig / √(Σ_g D_jig²),    T_i = max_j T_ji

T_ji is the statistic of the paired test by tossed signs (Fisher, 1935; Good, 2005), put on one scale for all pairs:
it is a monotone function of Student's paired t. Recipe i is out if some j leads it by more than chance explains: T_i
> c. The critical value c is the 95 % quantile of max_i T_i when every group's sign is tossed, for all recipes at once
(Westfall and Young, 1993, max-T), and it goes down step by step: once some recipes are out, the maximum is taken over
those that are left against all (Holm, 1979; Romano and Wolf, 2005). That is Holm's procedure with the joint
distribution of the tests in place of his sum of p-values, which every pair of 300 recipes, 44,850 tests, would need
more than a million tosses each for. A confidence set of the best by such tests is that of Gupta (1965), Hsu (1984,
multiple comparisons with the best) and Hansen, Lunde and Nason (2011, model confidence set); the family here holds
all pairs, so that two equal best recipes are both in the set with 95 %, and a winner is claimed in at most 5 of 100
searches where there is none.

With fewer than 6 groups no recipe is ever out: two of the 2ⁿ choices of signs are as extreme as what was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.core import UsageError
from workbench.optimise.measurement import FloatArray

SAME = 1e-9
"""Share of the largest score by which two scores may differ and still count as equal: the rest is rounding."""


class TooFewQuestions(UsageError):
    """A statistic has nothing to say of so few questions, recipes or scores; nothing about them is wrong."""


class PairedScores:
    """`scores`: (recipes, questions), NaN where unscored; `groups`: what a question is a translation of, (questions,).

    `recipes` and `groups` are the numbers of rows and of distinct groups, groups in the order in which they occur.
    Raises UsageError where the table has no recipe or no question, is not as long as `groups`, or has an infinite
    score.
    """

    def __init__(self, scores: FloatArray, groups: Sequence[str]) -> None:
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2:
            raise UsageError(f"Scores are a table of recipes by questions, not one of {table.ndim} dimensions.")
        if not table.size:
            raise TooFewQuestions(f"{table.shape[0]} recipes on {table.shape[1]} questions compare nothing.")
        if table.shape[1] != len(groups):
            raise UsageError(f"Scores of {table.shape[1]} questions need as many groups, not {len(groups)}.")
        if np.isinf(table).any():
            raise UsageError("A score is infinite; scores are numbers, or NaN where a question has none.")
        numbers: dict[str, int] = {}
        places = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
        order = np.argsort(places, kind="stable")
        self.recipes, self.groups = table.shape[0], len(numbers)
        self._starts = np.searchsorted(places[order], np.arange(self.groups))
        ordered = table[:, order]
        self._scored = ~np.isnan(ordered)
        self._values = np.where(self._scored, ordered, 0.0)
        self._rounding = SAME * max(1.0, float(np.abs(self._values).max()))

    @cached_property
    def is_complete(self) -> bool:
        """Whether every recipe has a score for every question."""
        return bool(self._scored.all())

    @cached_property
    def sums(self) -> FloatArray:
        """The sum of each group's scores, 0 where it has none, shape (recipes, groups)."""
        return self._by_group(self._values)

    @cached_property
    def sizes(self) -> FloatArray:
        """How many questions of each group are scored, shape (recipes, groups)."""
        return self._by_group(self._scored.astype(np.float64))

    @cached_property
    def means(self) -> FloatArray:
        """Each recipe's mean over the questions that it has a score for, NaN where it has none, shape (recipes,)."""
        return ratio(self.sums.sum(axis=1), self.sizes.sum(axis=1))

    @cached_property
    def coverage(self) -> FloatArray:
        """The share of the questions that each recipe has a score for, shape (recipes,)."""
        return np.asarray(self._scored.mean(axis=1), dtype=np.float64)

    @cached_property
    def relative_sums(self) -> FloatArray:
        """As `sums`, of scores minus the mean of all recipes that have one for the question: no question is hard."""
        counts = self._scored.sum(axis=0)
        centres = self._values.sum(axis=0) / np.maximum(counts, 1)
        relative = np.where(self._scored, self._values - centres, 0.0)
        return self._by_group(np.where(np.abs(relative) > self._rounding, relative, 0.0))

    @cached_property
    def relative_means(self) -> FloatArray:
        """The mean of each recipe's relative scores, NaN where it has none, shape (recipes,).

        Without gaps: its mean minus the mean of all. With gaps a recipe gains nothing by having the easy questions.
        """
        return ratio(self.relative_sums.sum(axis=1), self.sizes.sum(axis=1))

    def influences(self) -> FloatArray:
        """What each group adds to `relative_means`, shape (recipes, groups): each row sums to 0."""
        totals = self.sizes.sum(axis=1, keepdims=True)
        means = np.nan_to_num(self.relative_means)[:, None]
        return np.asarray((self.relative_sums - means * self.sizes) / np.maximum(totals, 1), dtype=np.float64)

    def leads(self, recipe: int) -> tuple[FloatArray, FloatArray]:
        """By how much every recipe leads one of them: sums over the questions that both have, and how many these are.

        Both of shape (recipes, groups); differences that are rounding are 0.
        """
        both = self._scored & self._scored[recipe]
        differences = np.where(both, self._values - self._values[recipe], 0.0)
        differences[np.abs(differences) <= self._rounding] = 0.0
        sizes = self.sizes if self.is_complete else self._by_group(both.astype(np.float64))
        return self._by_group(differences), sizes

    def _by_group(self, values: FloatArray) -> FloatArray:
        if self.groups == values.shape[1]:
            return values
        return np.asarray(np.add.reduceat(values, self._starts, axis=1), dtype=np.float64)


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """`above` / `below`, NaN where `below` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan), dtype=np.float64)


def random_signs(groups: int, draws: int, seed: int) -> FloatArray:
    """Coin-tossed signs, one per group and draw, shape (groups, draws): under no difference, either sign is as likely.

    The first draw has + throughout: what was seen is one of the draws, so no p is 0. Where there are no more than
    `draws` choices of signs, each of them is a column once instead.
    """
    if 1 << min(groups, 62) <= draws:
        choices = np.arange(1 << groups) >> np.arange(groups)[:, None] & 1
        return (1 - 2 * choices).astype(np.float64)
    signs = np.random.default_rng(seed).integers(0, 2, size=(groups, draws), dtype=np.int8)
    signs[:, 0] = 0
    return np.asarray(1.0 - 2.0 * signs, dtype=np.float64)


BETS = (0.05, 0.1, 0.2, 0.4, 0.7)
"""Shares λ that are bet; best is about the differences' mean by variance, and √2 times that is a fifth slower."""
CHUNK = 32
"""Factors multiplied before a logarithm is taken: .3³² and 1.7³² are far from the limits of floating point."""


class PairedRace:
    """Stops recipes that are worse than others, `alpha` being the chance that a best one is ever stopped.

    Scores lie on the scale from `low` to `high`; higher is better. Raises UsageError where `alpha` is outside ]0, 1[ or
    the scale is empty.
    """

    def __init__(self, alpha: float = 0.05, *, low: float = 0.0, high: float = 1.0) -> None:
        if not 0 < alpha < 1:
            raise UsageError(f"The level of error of a race is between 0 and 1, not {alpha}; 0.05 is usual.")
        if not low < high:
            raise UsageError(f"The scale of scores goes from a lower to a higher number, not from {low} to {high}.")
        self.alpha = alpha
        self._low, self._high = low, high

    def survivors(self, scores: FloatArray, groups: Sequence[str]) -> tuple[int, ...]:
        """The rows of the recipes that may still be the best, in order; never none.

        `scores`: (recipes, questions so far), NaN where a recipe was not measured, as after it was stopped: it stays
        stopped by the questions that it had. `groups`: (questions so far,). Raises UsageError as PairedScores does and
        for a score outside the scale.
        """
        evidence = self.log_evidence(scores, groups)
        kept = np.flatnonzero(evidence < -np.log(self.alpha))
        if not kept.size:
            kept = np.array([np.argmin(evidence)])
        return tuple(int(recipe) for recipe in kept)

    def log_evidence(self, scores: FloatArray, groups: Sequence[str]) -> FloatArray:
        """The logarithm of E_i, the evidence that a recipe is not the best, shape (recipes,); −∞ where none leads it.

        Arguments and errors as for `survivors`. Rivals that do not lead count as a wealth of 0, which only lowers it.
        """
        table = PairedScores(scores, groups)
        least, most = np.nanmin(scores, initial=self._low), np.nanmax(scores, initial=self._high)
        if least < self._low or most > self._high:
            raise UsageError(
                f"Scores from {least:g} to {most:g} are not on the scale from {self._low:g} to {self._high:g}."
            )
        evidence = np.full(table.recipes, -np.inf)
        if table.recipes == 1:
            return evidence
        bets = np.array(BETS)
        for recipe in range(table.recipes):
            sums, sizes = table.leads(recipe)
            leads = sums / np.maximum(sizes, 1) / (self._high - self._low)
            leads = leads[leads.sum(axis=1) > 0]
            if not leads.shape[0]:
                continue
            wealth = _log_wealth(leads, bets)
            top = float(wealth.max())
            evidence[recipe] = top + np.log(np.exp(wealth - top).sum() / (bets.size * (table.recipes - 1)))
        return evidence


def _log_wealth(leads: FloatArray, bets: FloatArray) -> FloatArray:
    """The logarithm of Π_g (1 + λ D_g), shape (bets, rivals); `leads`: D, (rivals, groups)."""
    total = np.zeros((bets.size, leads.shape[0]))
    # Groups in rows: rivals are then multiplied side by side.
    by_group = np.ascontiguousarray(leads.T)
    for start in range(0, by_group.shape[0], CHUNK):
        chunk = by_group[start : start + CHUNK]
        for number, bet in enumerate(bets):
            factors = chunk * bet
            factors += 1
            total[number] += np.log(np.multiply.reduce(factors, axis=0))
    return total


ALPHA = 0.05
DRAWS = 2_000
COVERAGE = 0.8
"""The share of the most scored recipe's questions that a recipe must have to lead the others."""
ROUNDING = 1e-9
"""Statistics this close are ties."""
CANCELLED = 1e-12
"""Share of two recipes' sums of squares below which the square of their distance is rounding."""


@dataclass(frozen=True, slots=True)
class RecipeConfidenceSet:
    """`members`: rows of the recipes that cannot be told apart from the best, `leader` first, then by their lead.

    `p_values`: of each recipe, corrected for all pairs: how often chance alone makes some recipe lead some other by as
    much as the best rival leads this one; a recipe is out below `alpha`. `cheapest` is the member with the least cost,
    None without costs. `groups` were compared; `excluded` is how many recipes are out.
    """

    leader: int
    members: tuple[int, ...]
    p_values: tuple[float, ...]
    cheapest: int | None
    groups: int
    alpha: float

    @property
    def winner(self) -> int | None:
        """The leader where it is the only member of two or more recipes: no other may be as good."""
        return self.leader if len(self.members) == 1 < len(self.p_values) else None

    @property
    def excluded(self) -> int:
        """How many recipes are told apart from the best."""
        return len(self.p_values) - len(self.members)


def recipe_confidence_set(
    scores: FloatArray,
    groups: Sequence[str],
    costs: Sequence[float] | None = None,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    draws: int = DRAWS,
) -> RecipeConfidenceSet:
    """The set of recipes that cannot be told apart from the best one.

    `scores`: (recipes, questions), higher is better, NaN where unscored: a pair is compared on the questions that
    both have. `groups`: (questions,). `costs`: (recipes,), any unit, NaN where unknown. After a race, give the rows
    that it left alone: a recipe that it stopped has few questions, and may look as good on those. `draws` tosses (at
    least 1 / `alpha`); up to 2^groups choices of signs are enumerated where these are fewer. Memory: some 8 · draws ·
    (3 · recipes + groups) bytes. Raises UsageError as PairedScores does, and for an `alpha` outside ]0, 1[ or costs
    of another number.

    >>> copies = recipe_confidence_set(np.tile([1.0, 0.0, 1.0], (4, 1)), ["a", "b", "c"], [3.0, 1.0, 2.0, 5.0])
    >>> copies.members, copies.cheapest, copies.winner
    ((0, 1, 2, 3), 1, None)
    """
    if not 0 < alpha < 1:
        raise UsageError(f"The level of error is between 0 and 1, not {alpha}; 0.05 is usual.")
    table = PairedScores(scores, groups)
    if costs is not None and len(costs) != table.recipes:
        raise UsageError(f"{table.recipes} recipes need as many costs, not {len(costs)}.")
    leads, extremes = _statistics(table, random_signs(table.groups, draws, seed))
    p_values = _step_down(leads, extremes)
    ready = table.coverage >= COVERAGE * table.coverage.max()
    leader = int(np.argmin(np.where(ready, np.round(leads, 9), np.inf)))
    order = np.argsort(np.round(leads, 9), kind="stable")
    inside = [int(recipe) for recipe in order if p_values[recipe] >= alpha and recipe != leader]
    members = (leader, *inside)
    return RecipeConfidenceSet(
        leader, members, tuple(p_values.tolist()), _cheapest(members, costs), table.groups, alpha
    )


def _statistics(table: PairedScores, signs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """T_i of each recipe, shape (recipes,), and the same under tossed signs, shape (draws, recipes)."""
    observed = np.zeros(table.recipes)
    extremes = np.zeros((signs.shape[1], table.recipes))
    compare = _complete_pairs(table, signs) if table.is_complete else _pairs_with_gaps(table, signs)
    for recipe, (totals, norms, sums) in enumerate(compare):
        # A copy leads by nothing, whatever the signs.
        rivals = norms > 0
        if not rivals.any():
            continue
        observed[recipe] = float((totals[rivals] / norms[rivals]).max())
        sums[rivals] /= norms[rivals, None]
        sums[~rivals] = 0.0
        extremes[:, recipe] = sums.max(axis=0)
    return observed, extremes


def _complete_pairs(table: PairedScores, signs: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """For each recipe Σ D and √Σ D² of all rivals, shape (recipes,), and Σ D under tossed signs, (recipes, draws).

    Without gaps all come from sums that are taken once.
    """
    relative = table.relative_sums
    totals, signed, products = relative.sum(axis=1), relative @ signs, relative @ relative.T
    squares = np.diag(products)
    for recipe in range(table.recipes):
        pair = squares + squares[recipe]
        distances = pair - 2 * products[recipe]
        norms = np.sqrt(np.where(distances > CANCELLED * pair, distances, 0.0))
        yield totals - totals[recipe], norms, signed - signed[recipe]


def _pairs_with_gaps(table: PairedScores, signs: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """The same where pairs of recipes share different questions."""
    for recipe in range(table.recipes):
        leads, _ = table.leads(recipe)
        yield leads.sum(axis=1), np.sqrt(np.square(leads).sum(axis=1)), leads @ signs


def _step_down(observed: FloatArray, extremes: FloatArray) -> FloatArray:
    """Adjusted p of each recipe (Romano and Wolf, 2005): never lower than that of a recipe further behind."""
    order = np.argsort(-observed, kind="stable")
    adjusted = np.ones(observed.size)
    # The maximum over each recipe and those less far behind.
    tails = np.maximum.accumulate(extremes[:, order[::-1]], axis=1)[:, ::-1]
    shares = (tails >= observed[order] - ROUNDING).mean(axis=0)
    adjusted[order] = np.maximum.accumulate(shares)
    return adjusted


def _cheapest(members: Sequence[int], costs: Sequence[float] | None) -> int | None:
    """The member with the least cost, the one nearer to the best among equals."""
    if costs is None:
        return None
    priced = [recipe for recipe in members if not np.isnan(costs[recipe])]
    return min(priced, key=lambda recipe: costs[recipe], default=None)
