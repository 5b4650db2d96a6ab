"""The recipes that cannot be told apart from the best: with 95 %, all truly best ones are among them.

For recipes i and j, D_jig is the sum over group g's questions of how much j leads i, and

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

import numpy as np

from workbench.core import UsageError
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores, random_signs

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
