"""Comparing runs: what can be compared with what, how far they differ, and how far two metrics agree about them.

Single runs are compared, or all runs of one value of a choice with those of another. A choice is one of the matrix, or
any field of a recipe in which runs differ, `corpus` for chunkings among them.

Differences are paired, question by question, with interval and permutation test. Both are corrected by Bonferroni for
all pairs of what is compared, so that two runs differ alike from whichever base they are looked at. What intervals draw
and tests toss signs for is complete questions, in all the languages that are looked at (see metrics.intervals). Below
1,000 questions that differ the tests are those of `metrics.statistics`. From there on they are their normal limit:
under tossed signs the sum of n differences has mean 0 and variance Σd², and the two differ by less than two sets of
tosses do.

Metrics agree as far as Pearson's r says over the answers that both scored. Of very many answers, those to every m-th
question are read, so that some 100,000 values of each metric are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np

from workbench.experiments.results.filters import Filter, of_questions_of
from workbench.experiments.results.queries.aggregates import MetricMean
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import StoredRun, varied_fields
from workbench.experiments.results.queries.score_arrays import MetricValues, Numbers, Values, cell_of, common
from workbench.experiments.results.result_store import ResultView
from workbench.metrics import (
    Scale,
    influences,
    mean_interval,
    not_zero,
    permutation_ps,
    sample_needed,
    scale_of,
    smallest_detectable,
)
from workbench.pipeline import MODES, stored_words

Choice = str
"""What runs of one experiment can differ in: a choice of the matrix, or a field of a recipe."""
Comparison = str
COMPARISONS: tuple[Comparison, ...] = ("run", "mode", "scope", "prompt", "model", "k", "perturbation")
"""What is always compared: single runs, or the values of a choice of the matrix."""

CHOICES = ("experiment_id", "dataset", "corpus", "mode", "scope", "prompt", "model", "k", "perturbation")
"""What two runs must share, as their recipes' other fields, but for the choice that is compared."""
RECIPE_NAMES = {"model": "generator"}
"""The names of choices in a recipe, where they are others."""
PAPER_SCOPES = {mode.name: mode.scope for mode in MODES}
"""The scope that each mode's paper defines for it."""

OtherChoices = tuple[object, ...]
Pair = tuple[int, int]
"""The stored ids of a run with the first value and of its counterpart with the second."""


def candidates(view: ResultView, metric: str, what: Comparison) -> list[str]:
    """What can be compared, the best first: values of a choice as text, runs by their stored ids."""
    return [str(figure.key[0]) for figure in view.ranked_means(metric, what)]


def comparable(view: ResultView, what: Comparison, first: str, others: Sequence[str]) -> dict[str, list[Pair]]:
    """Those of `others` that `first` can be compared with, and the pairs of runs that the comparison is over.

    Runs can be compared where they answered the same dataset; values of a choice where some runs differ in it alone.
    """
    runs = view.runs()
    rest = [name for name in others if name != first]
    if what == "run":
        datasets = {str(run.id): run.dataset for run in runs}
        return {name: [(int(first), int(name))] for name in rest if datasets[name] == datasets[first]}
    pairs_of = {name: pair_runs(runs, what, first, name) for name in rest}
    return {name: pairs for name, pairs in pairs_of.items() if pairs}


def comparisons(runs: Sequence[StoredRun]) -> tuple[Comparison, ...]:
    """What can be compared among some runs: each run, the choices of the matrix, and the fields that were varied."""
    fields = tuple(varied_fields(runs))
    return (*COMPARISONS, *(name for name in fields if name not in COMPARISONS))


def pair_runs(runs: Sequence[StoredRun], choice: Choice, first: str, second: str) -> list[Pair]:
    """Each run whose `choice` is `first` with the run of its experiment that has `second` and is alike in all else.

    Two modes that were run in no scope in common, as tRAG in English and CrossRAG in all languages, are paired in the
    scopes that their papers define for them.
    """
    pairs = _pairs(*(_by_other_choices(runs, choice, value, ()) for value in (first, second)))
    if pairs or choice != "mode":
        return pairs
    in_paper_scope = [run for run in runs if run.scope == PAPER_SCOPES.get(run.mode)]
    return _pairs(*(_by_other_choices(in_paper_scope, choice, value, ("scope",)) for value in (first, second)))


def _by_other_choices(
    runs: Iterable[StoredRun], choice: Choice, value: str, left_out: tuple[str, ...]
) -> dict[OtherChoices, int]:
    names = [name for name in CHOICES if name != choice and name not in left_out]
    apart = {RECIPE_NAMES.get(name, name) for name in (choice, *left_out)}
    return {
        (*(getattr(run, name) for name in names), _rest_of_recipe(run, apart)): run.id
        for run in runs
        if _value(run, choice) == value
    }


def _value(run: StoredRun, choice: Choice) -> str:
    return str(getattr(run, choice)) if choice in CHOICES else stored_words(run.recipe).get(choice, "")


def _rest_of_recipe(run: StoredRun, apart: Collection[str]) -> frozenset[tuple[str, str]]:
    """The choices of a run's recipe but some."""
    return frozenset(item for item in stored_words(run.recipe).items() if item[0] not in apart)


def _pairs(one: Mapping[OtherChoices, int], other: Mapping[OtherChoices, int]) -> list[Pair]:
    return [(run, other[choices]) for choices, run in one.items() if choices in other]


NORMAL_FROM = 1_000
"""Questions with a difference that is not 0 from which the normal limit of the permutation test is taken."""
ALPHA = 0.05
"""How often one or more of all comparisons may be called different by chance, and one or more intervals miss."""
SAME = 1e-9
"""Scores that lie no further apart are the same: what is left is rounding."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The second of two runs minus the first, or of several such pairs together.

    `p` and the interval are corrected for a `family` of comparisons (Dunn, 1961): p times their number, and an interval
    of 1 - 0.05 / family, so that all of them together hold with 95 %. `n` answers to `questions` questions are paired;
    `mean` is None where `n` is 0. `left_out` cells were unscored for one or both, or belong to one run alone.
    `detectable` is the smallest difference that this number of questions would show in this family, `needed` the number
    that would show one of the size of `mean`. `differing` of the pairs have two different scores.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    questions: int
    left_out: int
    detectable: float | None
    needed: int | None
    differing: int
    family: int = 1

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
    view: ResultView, metric: str, comparisons: Sequence[Sequence[Pair]], among: int | None = None
) -> list[Delta]:
    """For each of `comparisons`, which are pairs of runs: the second ones minus the first ones, all pairs together.

    `among`: how many runs or values may be compared with each other, one more than `comparisons` if None. All their
    pairs are the family, for whoever chooses a base has looked at all. Corrected for the pairs with the base alone, of
    10, 20 and 50 equal runs one would differ “significantly” from the best in 8, 16 and 26 of 100 samples.
    Of the view's filter only what it says of questions applies. Raises UsageError for a metric that nothing was scored
    by.
    """
    among = among or len(comparisons) + 1
    return _deltas(view, metric, comparisons, max(1, among * (among - 1) // 2))


def language_deltas(view: ResultView, metric: str, pairs: Sequence[Pair]) -> list[LanguageDelta]:
    """All languages of the view together, then each in which the runs have answers, corrected over them.

    Raises as `run_deltas` does.
    """
    answered = view.with_filter(Filter(runs=tuple(run for pair in pairs for run in pair))).languages()
    allowed = view.filter.languages
    languages = [language for language in answered if not allowed or language in allowed]
    return [
        LanguageDelta(language, delta)
        for language in ("", *languages)
        for delta in _deltas(
            view.with_filter(replace(view.filter, languages=(language,) if language else tuple(languages))),
            metric,
            [pairs],
            len(languages) if language else 1,
        )
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
        for figure in means:
            run, language = figure.key
            self._cells[run][language] = figure.n + figure.unscored

    def of_either(self, first: int, second: int) -> int:
        """Cells that one run of the two has, or both.

        In a language, the run with fewer questions has a part of those of the other: they are sampled so.
        """
        one, other = self._cells[first], self._cells[second]
        return sum(max(one.get(code, 0), other.get(code, 0)) for code in one.keys() | other.keys())


def _deltas(view: ResultView, metric: str, comparisons: Sequence[Sequence[Pair]], family: int) -> list[Delta]:
    """The delta of each of `comparisons`, corrected for `family` of them."""
    if not comparisons:
        return []
    runs = tuple(dict.fromkeys(run for pairs in comparisons for pair in pairs for run in pair))
    compared_runs = view.with_filter(of_questions_of(view.filter, runs))
    counts = _CellCounts(compared_runs.means([metric], ("run", "language")))
    values, numbers = compared_runs.values_by_question(metric), compared_runs.question_numbers()
    scale = scale_of(metric)
    deltas, turned = list[Delta](), list[Values]()
    for pairs in comparisons:
        cells = sum(counts.of_either(first, second) for first, second in pairs)
        scores = [(values[first], values[second]) for first, second in pairs]
        delta, sums = _delta(scores, numbers, scale, cells, family)
        deltas.append(delta)
        turned.append(sums)
    tossed = iter(permutation_ps([sums for sums in turned if sums.size < NORMAL_FROM]))
    p_values = [normal_p(sums) if sums.size >= NORMAL_FROM else next(tossed) for sums in turned]
    return [
        replace(delta, p=min(1.0, p * family)) if delta.n else delta for delta, p in zip(deltas, p_values, strict=True)
    ]


def _delta(
    pairs: Sequence[tuple[MetricValues, MetricValues]], numbers: Numbers, scale: Scale, cells: int, family: int
) -> tuple[Delta, Values]:
    """The delta without its p, and the differences of its questions that are not 0."""
    matches = [common(first, second) for first, second in pairs]
    n = sum(keys.size for keys, _, _ in matches)
    if not n:
        return Delta(None, None, None, None, 0, 0, cells, None, None, 0, family), np.empty(0)
    differences = np.concatenate([other - one for _, one, other in matches])
    question = numbers[np.concatenate([keys for keys, _, _ in matches])]
    counts = np.bincount(question)
    sums: Values = np.bincount(question, weights=differences)[counts > 0].astype(np.float64)
    sizes: Values = counts[counts > 0].astype(np.float64)
    values, level = influences(sums, sizes), 1 - ALPHA / family
    width = scale.high - scale.low
    interval = mean_interval(values, low=-width, high=width, level=level)
    low, high = (interval.low, interval.high) if interval else (None, None)
    detectable, mean, questions = smallest_detectable(values, level=level), float(differences.mean()), int(sizes.size)
    needed = sample_needed(float(values.std(ddof=1)), mean, level=level) if detectable else None
    differing = int(np.count_nonzero(np.abs(differences) > SAME))
    delta = Delta(mean, low, high, None, n, questions, cells - n, detectable, needed, differing, family)
    return delta, not_zero(sums)


ANSWERS_READ = 100_000
FLAT = 1e-12
"""Values that lie no further apart do not vary: what is left is rounding."""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """`r` from -1 to 1, None where one of the two does not vary, over `n` answers."""

    first: str
    second: str
    r: float | None
    n: int


def metric_correlations(view: ResultView, metrics: Sequence[str]) -> list[MetricCorrelation]:
    """Every two of `metrics`, each pair once. Raises UsageError for one that nothing was scored by."""
    step = question_step(view, metrics[0]) if metrics else 1
    values = {name: view.values_by_answer(name, step) for name in metrics}
    correlations = []
    for first, second in combinations(values, 2):
        _, one, other = common(values[first], values[second])
        correlations.append(MetricCorrelation(first, second, pearson(one, other), one.size))
    return correlations


def furthest_apart(view: ResultView, first: str, second: str, *, start: int, limit: int) -> tuple[int, list[Instance]]:
    """How many answers get different values from two metrics, and a page of them, the widest apart first.

    Values are placed between the worst and the best that their metric can give. Raises UsageError for a metric that
    nothing was scored by.
    """
    step = question_step(view, first)
    keys, one, other = common(view.values_by_answer(first, step), view.values_by_answer(second, step))
    distance = np.abs(scale_of(first).goodness(one) - scale_of(second).goodness(other))
    order = np.argsort(-distance, kind="stable")[: int(np.count_nonzero(distance))]
    cells = [cell_of(int(key)) for key in keys[order[start : start + limit]]]
    return int(order.size), view.instances_of(cells)


def question_step(view: ResultView, metric: str) -> int:
    """M where every m-th question is read, 1 where all are."""
    cells = sum(figure.n + figure.unscored for figure in view.means([metric], ("dataset",)))
    return max(1, cells // ANSWERS_READ)


def pearson(one: Values, other: Values) -> float | None:
    """Pearson's r, None where there is nothing or one of the two does not vary.

    >>> pearson(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.4, 0.4]))
    1.0
    """
    if not one.size or np.ptp(one) < FLAT or np.ptp(other) < FLAT:
        return None
    return max(-1.0, min(1.0, round(float(np.corrcoef(one, other)[0, 1]), 12)))
