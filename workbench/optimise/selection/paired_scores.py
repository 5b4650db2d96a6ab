"""Recipes compared on the same questions, group by group, whatever some of them have no score for.

All statistics of a selection rest on this: a question and its translations are one group, a group is one draw, and two
recipes are compared on the questions that both have a score for. Higher scores are better; where a metric says
otherwise, the caller turns its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from workbench.core import UsageError
from workbench.optimise.recipe_trial import FloatArray

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
