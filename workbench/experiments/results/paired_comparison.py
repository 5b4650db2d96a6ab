"""Runs against runs, question by question: paired differences with interval, permutation test and Holm correction.

What intervals draw and tests toss signs for is complete questions, in all the languages that are looked at (see
metrics.intervals).  Below 1,000 questions that differ the tests are those of `metrics.statistics`.  From there on they
are their normal limit: under tossed signs the sum of n differences has mean 0 and variance Σd², and the two differ by
less than two sets of tosses do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np

from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.aggregates import MetricMean
from workbench.experiments.results.queries.score_arrays import MetricValues, Numbers, Values, common
from workbench.experiments.results.result_store import ResultView
from workbench.experiments.results.run_pairs import Pair
from workbench.metrics import (
    Scale,
    holm,
    influences,
    mean_interval,
    not_zero,
    permutation_p,
    scale_of,
    smallest_detectable,
)

NORMAL_FROM = 1_000
"""Questions with a difference that is not 0 from which the normal limit of the permutation test is taken."""
SAME = 1e-9
"""Scores that lie no further apart are the same: what is left is rounding."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The second of two runs minus the first, or of several such pairs together.

    `p` is after Holm's correction over all that were compared. `n` answers to `questions` questions are paired; `mean`
    is None where `n` is 0. `left_out` cells were unscored for one or both, or belong to one run alone. `detectable` is
    the smallest difference that this number of questions would show. `differing` of the pairs have two different
    scores.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    questions: int
    left_out: int
    detectable: float | None
    differing: int

    @property
    def is_same(self) -> bool:
        """Whether both have the same score on every question that they share."""
        return self.n > 0 and not self.differing


@dataclass(frozen=True, slots=True)
class LanguageDelta:
    """The second minus the first over the questions in `language`, "" for all of them together."""

    language: str
    delta: Delta


def run_deltas(
    view: ResultView, metric: str, comparisons: Sequence[Sequence[Pair]], *, base_by_score: bool = False
) -> list[Delta]:
    """For each of `comparisons`, which are pairs of runs: the second ones minus the first ones, all pairs together.

    Where the base was chosen by its score (`base_by_score`), all pairs have been looked at: p is corrected for them.
    Without that, of 10, 20 and 50 equal runs one differs “significantly” from the best in 6, 11 and 16 of 100 samples.
    Of the view's filter only the languages apply. Raises UsageError for a metric that nothing was scored by.
    """
    runs = tuple(dict.fromkeys(run for pairs in comparisons for pair in pairs for run in pair))
    compared_runs = view.with_filter(Filter(runs=runs, languages=view.filter.languages))
    counts = _CellCounts(compared_runs.means([metric], ("run", "language")))
    values, numbers = compared_runs.values_by_question(metric), compared_runs.question_numbers()
    scale = scale_of(metric)
    deltas = []
    for pairs in comparisons:
        cells = sum(counts.of_either(first, second) for first, second in pairs)
        deltas.append(_delta([(values[first], values[second]) for first, second in pairs], numbers, scale, cells))
    others = len(deltas) * (len(deltas) - 1) // 2 if base_by_score else 0
    corrected = holm([delta.p for delta in deltas], others=others)
    return [replace(delta, p=p) for delta, p in zip(deltas, corrected, strict=True)]


def language_deltas(view: ResultView, metric: str, pairs: Sequence[Pair]) -> list[LanguageDelta]:
    """All languages of the view together, then each in which the runs have answers; `p` is corrected over them.

    Raises as `run_deltas` does.
    """
    answered = view.with_filter(Filter(runs=tuple(run for pair in pairs for run in pair))).languages()
    allowed = view.filter.languages
    languages = [language for language in answered if not allowed or language in allowed]
    (together,) = _deltas_in(view, metric, pairs, languages)
    each = [_deltas_in(view, metric, pairs, [language])[0] for language in languages]
    corrected = holm([delta.p for delta in each])
    return [
        LanguageDelta("", together),
        *(
            LanguageDelta(language, replace(delta, p=p))
            for language, delta, p in zip(languages, each, corrected, strict=True)
        ),
    ]


def normal_p(sums: Values) -> float:
    """The two-sided p of the permutation test's normal limit, given each question's summed difference."""
    spread = sqrt(float(np.square(sums).sum()))
    if not spread:
        return 1.0
    return 2 * (1 - NormalDist().cdf(abs(float(sums.sum())) / spread))


class _CellCounts:
    """How many cells runs have in each language."""

    def __init__(self, means: Iterable[MetricMean]) -> None:
        self._cells: dict[int, dict[str, int]] = defaultdict(dict)
        for item in means:
            run, language = item.key
            self._cells[run][language] = item.n + item.unscored

    def of_either(self, first: int, second: int) -> int:
        """Cells that one run of the two has, or both.

        In a language, the run with fewer questions has a part of those of the other: they are sampled so.
        """
        one, other = self._cells[first], self._cells[second]
        return sum(max(one.get(code, 0), other.get(code, 0)) for code in one.keys() | other.keys())


def _deltas_in(view: ResultView, metric: str, pairs: Sequence[Pair], languages: Sequence[str]) -> list[Delta]:
    return run_deltas(view.with_filter(Filter(languages=tuple(languages))), metric, [pairs])


def _delta(pairs: Sequence[tuple[MetricValues, MetricValues]], numbers: Numbers, scale: Scale, cells: int) -> Delta:
    matches = [common(first, second) for first, second in pairs]
    n = sum(keys.size for keys, _, _ in matches)
    if not n:
        return Delta(None, None, None, None, 0, 0, cells, None, 0)
    differences = np.concatenate([other - one for _, one, other in matches])
    question = numbers[np.concatenate([keys for keys, _, _ in matches])]
    questions, place, sizes = np.unique(question, return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=differences).astype(np.float64)
    values = influences(sums, sizes.astype(np.float64))
    width = scale.high - scale.low
    interval = mean_interval(values, low=-width, high=width)
    low, high = (interval.low, interval.high) if interval else (None, None)
    turned = not_zero(sums)
    p = normal_p(turned) if turned.size >= NORMAL_FROM else permutation_p(turned.tolist())
    detectable = smallest_detectable(values.tolist())
    differing = int(np.count_nonzero(np.abs(differences) > SAME))
    return Delta(float(differences.mean()), low, high, p, n, int(questions.size), cells - n, detectable, differing)
