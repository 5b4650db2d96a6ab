"""Runs against runs, question by question: paired differences with interval, permutation test and Holm correction.

What intervals count and signs are tossed for are whole questions, in all the languages that are looked at (see
metrics.clusters).  Below 1,000 questions the tests are those of `metrics.statistics`.  From there on they are their
normal limit: under tossed signs the sum of n differences has mean 0 and variance Σd², and the two differ by less than
two sets of tosses do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.scale import Scale, scale_of
from workbench.metrics.statistics.clusters import influences
from workbench.metrics.statistics.intervals import mean_interval
from workbench.metrics.statistics.significance import holm, permutation_p, smallest_detectable
from workbench.results.experiment_list import answered_languages
from workbench.results.filters import Filter
from workbench.results.result_store import MetricMean, aggregate
from workbench.results.run_pairs import Pair
from workbench.results.score_arrays import Column, Numbers, Values, by_question, common, question_numbers

NORMAL_FROM = 1_000
"""Questions from which the normal limit of the permutation test is taken."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The second of two runs minus the first, or of several such pairs together.

    `p` is after Holm's correction over all that were compared.

    `n` answers to `questions` questions are paired; `mean` is None where `n` is 0. `left_out` cells were unscored for
    one or both, or not asked of both.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    questions: int
    left_out: int
    detectable: float | None


def compared(
    engine: Engine, metric: str, comparisons: Sequence[Sequence[Pair]], languages: Sequence[str] = ()
) -> list[Delta]:
    """For each of `comparisons`, which are pairs of runs, the second ones minus the first ones, all its pairs together.

    Over the questions in some languages, all where none is named.
    """
    runs = list(dict.fromkeys(run for pairs in comparisons for pair in pairs for run in pair))
    chosen = Filter(runs=tuple(runs), languages=tuple(languages))
    asked = _Asked(aggregate(engine, chosen, [metric], ("run", "language")))
    columns, numbers = by_question(engine, metric, runs, languages), question_numbers(engine, runs)
    scale = scale_of(metric)
    found = []
    for pairs in comparisons:
        cells = sum(asked.of_either(first, second) for first, second in pairs)
        found.append(_delta([(columns[first], columns[second]) for first, second in pairs], numbers, scale, cells))
    return [replace(item, p=p) for item, p in zip(found, holm([item.p for item in found]), strict=True)]


class _Asked:
    """How many cells runs have in each language."""

    def __init__(self, counted: Iterable[MetricMean]) -> None:
        self._cells: dict[int, dict[str, int]] = defaultdict(dict)
        for item in counted:
            run, language = item.key
            self._cells[run][language] = item.n + item.unscored

    def of_either(self, first: int, second: int) -> int:
        """Cells that one run of the two has, or both. In a language the fewer questions are among the more: they are
        drawn so.
        """
        one, other = self._cells[first], self._cells[second]
        return sum(max(one.get(code, 0), other.get(code, 0)) for code in one.keys() | other.keys())


def _delta(pairs: Sequence[tuple[Column, Column]], numbers: Numbers, scale: Scale, asked: int) -> Delta:
    both = [common(first, second) for first, second in pairs]
    n = sum(keys.size for keys, _, _ in both)
    if not n:
        return Delta(None, None, None, None, 0, 0, asked, None)
    apart = np.concatenate([other - one for _, one, other in both])
    asked_in = numbers[np.concatenate([keys for keys, _, _ in both])]
    questions, place, sizes = np.unique(asked_in, return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=apart).astype(np.float64)
    values = influences(sums, sizes.astype(np.float64))
    mean = float(apart.mean())
    width = scale.high - scale.low
    made = mean_interval(values, low=-width, high=width)
    low, high = (made.low, made.high) if made else (None, None)
    p = normal_p(sums) if questions.size >= NORMAL_FROM else permutation_p(sums.tolist())
    detectable = smallest_detectable(values.tolist())
    return Delta(mean, low, high, p, n, int(questions.size), asked - n, detectable)


def normal_p(sums: Values) -> float:
    """The two-sided p of the permutation test's normal limit, given each question's summed difference."""
    spread = sqrt(float(np.square(sums).sum()))
    if not spread:
        return 1.0
    return 2 * (1 - NormalDist().cdf(abs(float(sums.sum())) / spread))


@dataclass(frozen=True, slots=True)
class LanguageDelta:
    """The second minus the first over the questions in `language`, "" for all of them together."""

    language: str
    delta: Delta


def by_language(
    engine: Engine, metric: str, pairs: Sequence[Pair], languages: Sequence[str] = ()
) -> list[LanguageDelta]:
    """All languages together, then each of those that were asked in (of `languages`, where some are named)."""
    asked = answered_languages(engine, Filter(runs=tuple(run for pair in pairs for run in pair)))
    codes = [code for code in asked if not languages or code in languages]
    (whole,) = compared(engine, metric, [pairs], codes)
    each = [compared(engine, metric, [pairs], [code])[0] for code in codes]
    corrected = holm([item.p for item in each])
    return [
        LanguageDelta("", whole),
        *(LanguageDelta(code, replace(item, p=p)) for code, item, p in zip(codes, each, corrected, strict=True)),
    ]
