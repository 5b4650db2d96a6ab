"""What matters: how important each choice of a recipe is, and whether one recipe per language pays.

The importance of a field is its share of the variance between recipes. The recipes' means are explained by a sum of one
effect per field, mean_r = μ + Σ_f e_f(value of f in r), by least squares. The importance of a field is Var_r(e_f) /
Var_r(mean_r). Where every combination of values was measured this is the exact analysis of variance: a value's effect
is its marginal mean minus the mean of all, and importance is the main effect of functional ANOVA (Hoeffding, 1948;
Sobol', 1993; Hutter, Hoos and Leyton-Brown, 2014, fANOVA), the rest of the variance being interactions. Where only some
were measured, effects are marginal means adjusted for the other fields (least squares means: Searle, Speed and
Milliken, 1980), shares of two fields may overlap, and a field whose values came only together with those of others is
not separable: its share is not named.

Means of few questions vary by chance, which any field seems to explain a little of. So groups of questions are
resampled (Efron and Tibshirani, 1993): the resamples' variance exceeds that of the sample by about what the sample's
exceeds the true one, and is taken off once from shares and twice from the resamples that their interval is made of (as
ε² does in the analysis of variance: Kelley, 1935). Intervals of a value's effect are those of a mean over groups.

One recipe for all languages or one for each: the single winner is the best in the mean over languages, which counts
every language alike, however many questions it has. The best of many recipes in each language looks better than one for
all even where nothing differs, because each language has its luck. So winners are taken on the questions of the search
and compared on the held-out ones: D_q is the score of the winner of q's language minus that of the single winner, in a
mean over languages; groups are the draws of its interval and of its permutation test (`metrics.statistics`). Of
languages by themselves p is corrected by Holm (1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core import UsageError
from workbench.metrics import Interval, holm, mean_interval, permutation_p
from workbench.optimise.measurement import FloatArray
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
        results.append(_importance(language, [choices[row] for row in measured], paired, width, draws))
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


def _importance(language: str, choices: Choices, table: PairedScores, width: float, draws: int) -> Importance:
    design = _Design(choices)
    generator = np.random.default_rng(0)
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


GROUPS_AT_LEAST = 6
"""Groups below which no test by signs is significant at 5 %: 2 of 2⁵ choices are always as extreme."""
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class LanguageGain:
    """A language's `winner` against the single one on `groups` held-out groups; `p` is corrected over languages.

    `gain`, `interval` and `p` are None where nothing is scored or, for the latter two, where groups are too few.
    """

    language: str
    winner: int
    gain: float | None
    interval: Interval | None
    p: float | None
    groups: int

    @property
    def is_too_few(self) -> bool:
        """Whether there are too few questions for any result to be significant."""
        return self.groups < GROUPS_AT_LEAST


@dataclass(frozen=True, slots=True)
class Specialisation:
    """The `single` winner, and what one winner per language gains over it on held-out questions.

    `gain` is a mean over languages, None where nothing is scored; `languages` are in the order of their first question.
    """

    single: int
    gain: float | None
    interval: Interval | None
    p: float | None
    groups: int
    languages: tuple[LanguageGain, ...]

    @property
    def is_too_few(self) -> bool:
        """Whether there are too few held-out questions for any result to be significant."""
        return self.groups < GROUPS_AT_LEAST

    @property
    def pays(self) -> bool:
        """Whether one winner per language is better by more than chance explains."""
        return self.p is not None and self.p < SIGNIFICANT and self.gain is not None and self.gain > 0


def language_means(scores: FloatArray, languages: Sequence[str]) -> tuple[tuple[str, ...], FloatArray]:
    """The languages in the order of their first question, and the means in them, shape (recipes, languages).

    `scores`: (recipes, questions), NaN where unscored; `languages`: (questions,). NaN where a recipe has no score.
    Raises UsageError as PairedScores does.
    """
    codes = tuple(dict.fromkeys(languages))
    return codes, by_language(PairedScores(scores, languages))


def by_language(table: PairedScores) -> FloatArray:
    """The means of a table whose groups are languages, shape (recipes, languages)."""
    return ratio(table.sums, table.sizes)


def specialisation(
    scores: FloatArray,
    groups: Sequence[str],
    languages: Sequence[str],
    search: Sequence[int],
    holdout: Sequence[int],
    *,
    width: float = 1.0,
) -> Specialisation:
    """Winners on the questions `search`, one per language and one for all, compared on the questions `holdout`.

    `scores`: (recipes, questions); `groups`, `languages`: (questions,); `search`, `holdout`: disjoint rows of questions
    (`split_questions`). `width` is that of the scores' scale. Recipes without a score in some language of the search
    cannot be the single winner. Raises UsageError as PairedScores does, where a side is empty, where a group is on both
    sides, and where no recipe is measured in all languages.
    """
    table = np.asarray(scores, dtype=np.float64)
    if not search or not holdout:
        raise TooFewQuestions("Specialising is judged on held-out questions; hold some out, such as half of them.")
    if {groups[row] for row in search} & {groups[row] for row in holdout}:
        raise UsageError("A group is on both sides of the split; held-out questions are new to the search.")
    searched = [languages[row] for row in search]
    codes, means = language_means(table[:, list(search)], searched)
    overall = means.mean(axis=1)
    if np.isnan(overall).all():
        raise TooFewQuestions("No recipe has a score in every language; measure at least one in all of them.")
    single = int(np.nanargmax(overall))
    # A tie goes to the single winner: then nothing is gained or lost by specialising.
    tops = np.nanmax(means, axis=0)
    winners = [
        single if means[single, index] == top else int(np.nanargmax(means[:, index])) for index, top in enumerate(tops)
    ]
    rows = np.array([row for row in holdout if languages[row] in codes], dtype=np.int64)
    places = np.array([codes.index(languages[row]) for row in rows], dtype=np.int64)
    leads = table[np.array(winners)[places], rows] - table[single, rows]
    scored = ~np.isnan(leads)
    rows, places, leads = rows[scored], places[scored], leads[scored]
    names = [groups[row] for row in rows]
    gains = [
        _language_gain(code, winners[index], leads[places == index], _among(names, places == index), width)
        for index, code in enumerate(codes)
    ]
    corrected = holm([gain.p for gain in gains])
    gains = [
        LanguageGain(g.language, g.winner, g.gain, g.interval, p, g.groups)
        for g, p in zip(gains, corrected, strict=True)
    ]
    counts = np.bincount(places, minlength=len(codes))
    weights = 1 / (np.count_nonzero(counts) * counts[places]) if leads.size else leads
    gain, interval, p, count = _test(leads, weights, names, width)
    return Specialisation(single, gain, interval, p, count, tuple(gains))


def _language_gain(code: str, winner: int, leads: FloatArray, names: list[str], width: float) -> LanguageGain:
    weights = np.full(leads.size, 1 / max(1, leads.size))
    return LanguageGain(code, winner, *_test(leads, weights, names, width))


def _among(names: list[str], mask: NDArray[np.bool_]) -> list[str]:
    return [name for name, inside in zip(names, mask, strict=True) if inside]


def _test(
    leads: FloatArray, weights: FloatArray, names: list[str], width: float
) -> tuple[float | None, Interval | None, float | None, int]:
    """The weighted mean of leads with interval and p over groups, and the number of groups."""
    if not leads.size:
        return None, None, None, 0
    _, places = np.unique(np.array(names), return_inverse=True)
    sums = np.bincount(places, weights=leads * weights).astype(np.float64)
    shares = np.bincount(places, weights=weights).astype(np.float64)
    gain = float(sums.sum())
    if sums.size < GROUPS_AT_LEAST:
        return gain, None, None, int(sums.size)
    values = gain + (sums - gain * shares) * sums.size
    return gain, mean_interval(values, low=-width, high=width), permutation_p(sums.tolist()), int(sums.size)
