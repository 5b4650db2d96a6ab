"""One recipe for all languages or one for each: the means by language, and whether specialising pays.

The single winner is the best in the mean over languages, which counts every language alike, however many questions it
has. The best of many recipes in
each language looks better than one for all even where nothing differs, because each language has its luck. So winners
are taken on the questions of the search and compared on the held-out ones: D_q is the score of the winner of q's
language minus that of the single winner, in a mean over languages; groups are the draws of its interval and of its
permutation test (`metrics.statistics`). Of languages by themselves p is corrected by Holm (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core import UsageError
from workbench.metrics import Interval, holm, mean_interval, permutation_p
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores, TooFewQuestions, ratio

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
        single if means[single, place] == top else int(np.nanargmax(means[:, place])) for place, top in enumerate(tops)
    ]
    rows = np.array([row for row in holdout if languages[row] in codes], dtype=np.int64)
    places = np.array([codes.index(languages[row]) for row in rows], dtype=np.int64)
    leads = table[np.array(winners)[places], rows] - table[single, rows]
    scored = ~np.isnan(leads)
    rows, places, leads = rows[scored], places[scored], leads[scored]
    names = [groups[row] for row in rows]
    gains = [
        _language_gain(code, winners[place], leads[places == place], _among(names, places == place), width)
        for place, code in enumerate(codes)
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
