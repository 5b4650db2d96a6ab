"""A race that stops recipes which can no longer be the best, whenever one looks, with its error under control.

For recipes j and i and the groups so far, D_g in [−1, 1] is by how much j leads i on group g (the mean over the
questions that both have, as a share of the scale). If i is at least as good as j, each wealth

    W_ji(λ) = Π_g (1 + λ D_g),    0 < λ < 1

of a gambler who bets the share λ on j is a nonnegative supermartingale that starts at 1, and so is the mean E_i of
W_ji(λ) over a grid of λ and over all rivals j, if i is a best recipe. By Ville's inequality (1939) E_i ever reaches
1/α with probability at most α, however often one looks and whatever the distribution of scores (Waudby-Smith and
Ramdas, 2024, on betting; Vovk and Wang, 2021, on means of e-values; Howard et al., 2021, on confidence sequences). A
recipe with E_i ≥ 1/α is stopped: a best recipe is kept with 95 %, without any choice of when to look. Races that test
at each look by Student's t or Friedman's test (Maron and Moore, 1994; Birattari et al., 2002) have no such bound.

It holds for groups in random order, each measured in full before one looks: shuffle the questions by group first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core import UsageError
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores

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
