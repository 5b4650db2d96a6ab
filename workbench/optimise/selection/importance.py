"""How important each choice of a recipe is: its share of the variance between recipes, and what its values give.

The recipes' means are explained by a sum of one effect per field, mean_r = μ + Σ_f e_f(value of f in r), by least
squares. The importance of a field is Var_r(e_f) / Var_r(mean_r). Where every combination of values was measured this
is the exact analysis of variance: a value's effect is its marginal mean minus the mean of all, and importance is the
main effect of functional ANOVA (Hoeffding, 1948; Sobol', 1993; Hutter, Hoos and Leyton-Brown, 2014, fANOVA), the rest
of the variance being interactions. Where only some were measured, effects are marginal means adjusted for the other
fields (least squares means: Searle, Speed and Milliken, 1980), shares of two fields may overlap, and a field whose
values came only together with those of others is not separable: its share is not named.

Means of few questions vary by chance, which any field seems to explain a little of. So groups of questions are
resampled (Efron and Tibshirani, 1993): the resamples' variance exceeds that of the sample by about what the sample's
exceeds the true one, and is taken off once from shares and twice from the resamples that their interval is made of
(as ε² does in the analysis of variance: Kelley, 1935). Intervals of a value's effect are those of a mean over groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core import UsageError
from workbench.metrics import Interval, mean_interval
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores, TooFewQuestions, ratio

DRAWS = 500
TINY = 1e-12
"""Variance between recipes that is rounding."""

Choices = Sequence[Mapping[str, str]]
"""One mapping per recipe: field → value, as text."""


@dataclass(frozen=True, slots=True)
class ValueEffect:
    """By how much a field's value raises the mean over that of all recipes; `recipes` have it. Units of the score."""

    value: str
    effect: float
    interval: Interval | None
    recipes: int


@dataclass(frozen=True, slots=True)
class FieldImportance:
    """A field's share of the variance between recipes, from 0 to 1, with its 95 % interval, and its values' effects.

    `share` is None where the field is not separable from others or where no two recipes differ.
    """

    field: str
    share: float | None
    interval: Interval | None
    values: tuple[ValueEffect, ...]
    separable: bool

    @property
    def spread(self) -> float:
        """The best value's effect minus the worst one's, in units of the score."""
        effects = [value.effect for value in self.values]
        return max(effects) - min(effects)


@dataclass(frozen=True, slots=True)
class Importance:
    """Importances of one language ("" for all questions), the largest share first.

    `complete`: every combination of the values was measured, so shares are exact and add up to 1 with `interactions`,
    before the part of chance is taken off each; that is what no sum of fields explains, None where no two recipes
    differ. `recipes` and `groups` went in.
    """

    language: str
    fields: tuple[FieldImportance, ...]
    interactions: float | None
    complete: bool
    recipes: int
    groups: int


def importances(
    choices: Choices,
    scores: FloatArray,
    groups: Sequence[str],
    languages: Sequence[str],
    *,
    width: float = 1.0,
    seed: int = 0,
    draws: int = DRAWS,
) -> list[Importance]:
    """The importance of each field that takes two or more values: over all questions, then in each language.

    `choices`: one per recipe, all with the same fields; `scores`: (recipes, questions), NaN where unscored; `groups`,
    `languages`: (questions,). `width` is that of the scores' scale. Recipes without a score in a language are left
    out there; a language with fewer than two groups or two recipes is left out. Raises UsageError as PairedScores
    does, where fields differ, and where no field takes two values.
    """
    table = np.asarray(scores, dtype=np.float64)
    if len(choices) != len(table):
        raise UsageError(f"{len(table)} recipes have as many lists of choices, not {len(choices)}.")
    if any(choice.keys() != choices[0].keys() for choice in choices):
        raise UsageError("All recipes name the same fields; write an empty text where a field has no value.")
    if all(len({choice[field] for choice in choices}) < 2 for field in choices[0]):
        raise TooFewQuestions("No field takes two values, so none can be important; measure recipes that differ.")
    results = []
    for language in ("", *dict.fromkeys(languages)):
        columns = [column for column, code in enumerate(languages) if language in ("", code)]
        part = table[:, columns]
        measured = np.flatnonzero(~np.isnan(part).all(axis=1)).tolist()
        names = [groups[column] for column in columns]
        if len(measured) < 2 or len(set(names)) < 2:
            continue
        paired = PairedScores(part[measured], names)
        results.append(_importance(language, [choices[row] for row in measured], paired, width, seed, draws))
    return results


class _Design:
    """The least squares estimate of effects, as a matrix: effects = `solution` @ means, shape (values, recipes)."""

    def __init__(self, choices: Choices) -> None:
        self.values: list[tuple[str, str]] = []
        blocks: list[FloatArray] = []
        self.slices: dict[str, slice] = {}
        for field in choices[0]:
            column = np.array([choice[field] for choice in choices])
            levels = sorted(set(column.tolist()))
            if len(levels) < 2:
                continue
            dummies = (column[:, None] == np.array(levels)).astype(np.float64)
            self.slices[field] = slice(len(self.values), len(self.values) + len(levels))
            self.values += [(field, level) for level in levels]
            # Centred, so that a field's effects are deviations from the mean of all recipes.
            blocks.append(dummies - dummies.mean(axis=0))
        self.columns = np.hstack(blocks) if blocks else np.zeros((len(choices), 0))
        self.solution: FloatArray = np.asarray(np.linalg.pinv(self.columns), dtype=np.float64)
        self.parts = {field: self.columns[:, place] @ self.solution[place] for field, place in self.slices.items()}
        self.separable = {field: self._is_separable(field) for field in self.slices}
        combinations = {tuple(choice[field] for field in self.slices) for choice in choices}
        sizes = [place.stop - place.start for place in self.slices.values()]
        self.complete = len(combinations) == len(choices) == int(np.prod(sizes))

    def counts(self, choices: Choices) -> list[int]:
        """How many recipes have each value."""
        return [sum(choice[field] == level for choice in choices) for field, level in self.values]

    def effects(self, means: FloatArray) -> FloatArray:
        """The effects of all values, shape (values, …), of means of shape (recipes, …); each is of its value alone."""
        effects = self.solution @ means
        for field, place in self.slices.items():
            weights = self._weights(field)
            effects[place] -= weights @ effects[place]
        return effects

    def _weights(self, field: str) -> FloatArray:
        """The share of recipes with each value of a field."""
        block = self.columns[:, self.slices[field]]
        # A centred dummy is 1 − share where the value is, −share elsewhere.
        return np.asarray(-block.min(axis=0), dtype=np.float64)

    def _is_separable(self, field: str) -> bool:
        place = self.slices[field]
        others = np.delete(self.columns, np.s_[place], axis=1)
        rank = int(np.linalg.matrix_rank(others)) if others.size else 0
        return bool(np.linalg.matrix_rank(self.columns) - rank == place.stop - place.start - 1)


def _importance(
    language: str, choices: Choices, table: PairedScores, width: float, seed: int, draws: int
) -> Importance:
    design = _Design(choices)
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(table.groups, np.full(table.groups, 1 / table.groups), draws).astype(np.float64)
    resampled = np.nan_to_num(ratio(table.relative_sums @ weights.T, table.sizes @ weights.T))
    means = np.column_stack([table.relative_means, resampled])
    total, total_draws = _corrected(means)
    effects = design.effects(table.relative_means)
    per_group = design.effects(table.influences() * table.groups)
    counts = design.counts(choices)
    fields = []
    for field, place in design.slices.items():
        share = interval = None
        if design.separable[field] and total > TINY:
            part, part_draws = _corrected(design.parts[field] @ means)
            share = float(np.clip(part / total, 0, 1))
            shares = np.clip(ratio(np.maximum(part_draws, 0), total_draws), 0, 1)
            shares = shares[~np.isnan(shares)]
            if shares.size >= draws / 2:
                low, high = np.quantile(shares, [0.025, 0.975])
                interval = Interval(min(share, float(low)), max(share, float(high)))
        values = tuple(
            ValueEffect(
                design.values[number][1],
                float(effects[number]),
                mean_interval(effects[number] + per_group[number], low=-width, high=width),
                counts[number],
            )
            for number in range(place.start, place.stop)
        )
        fields.append(FieldImportance(field, share, interval, values, design.separable[field]))
    fields.sort(key=lambda item: -(item.share or 0.0))
    rest = means - sum((design.parts[field] @ means for field in design.slices), np.zeros_like(means))
    interactions = float(np.clip(_corrected(rest)[0] / total, 0, 1)) if total > TINY else None
    return Importance(language, tuple(fields), interactions, design.complete, table.recipes, table.groups)


def _corrected(means: FloatArray) -> tuple[float, FloatArray]:
    """The variance over recipes of the first column without what chance adds, and that of the others, shape (draws,).

    `means`: (recipes, 1 + draws), the first of the sample and the others of resamples.
    """
    variances: NDArray[np.float64] = means.var(axis=0)
    chance = max(0.0, float(variances[1:].mean() - variances[0]))
    return max(0.0, float(variances[0]) - chance), variances[1:] - 2 * chance
