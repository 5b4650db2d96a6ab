"""Many scores as one figure, over all cases and in each language, and what chance alone would score.

A figure is the mean of what was scored, its interval, and what was not scored and why. Cases are measured as they are
read.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import fsum

import numpy as np

from workbench.languages import Language
from workbench.metrics.measure import Case, Measure, Score
from workbench.metrics.statistics.intervals import LEVEL, Floats, influences, mean_interval


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Many scores as one figure.

    `mean` is over `n` scored answers, None where there are none; `low` and `high` bound it with 95 %, None below 2
    questions. `unscored` answers are in no mean; `reasons` states how many there are for each reason, most frequent
    first.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    reasons: Mapping[str, int] = field(default_factory=dict)


class ScoreTally:
    """Scores on the scale from `low` to `high`, added one by one, in 16 bytes each: files may have millions."""

    def __init__(self, low: float = 0.0, high: float = 1.0) -> None:
        """`low` and `high` are the bounds of the measure's values."""
        self._low, self._high = low, high
        self._values = array("d")
        self._questions = array("q")
        self._reasons: Counter[str] = Counter()

    def add(self, score: Score, question: int | None = None) -> None:
        """Adds one score.

        `question` is a number (from 0) that the answers to one question share; None for a question's only answer.
        """
        if score.value is None:
            self._reasons[score.reason] += 1
        else:
            self._values.append(score.value)
            self._questions.append(-len(self._values) if question is None else question)

    def aggregate(self, *, level: float = LEVEL) -> Aggregate:
        """The figure for all scores added so far."""
        n = len(self._values)
        interval = mean_interval(self._by_question(), low=self._low, high=self._high, level=level)
        return Aggregate(
            fsum(self._values) / n if n else None,
            interval.low if interval else None,
            interval.high if interval else None,
            n,
            self._reasons.total(),
            dict(self._reasons.most_common()),
        )

    def _by_question(self) -> Sequence[float] | Floats:
        """One value per question: the values themselves where no two answer the same question."""
        questions, positions, sizes = np.unique(np.asarray(self._questions), return_inverse=True, return_counts=True)
        if questions.size == len(self._values):
            return self._values
        sums = np.bincount(positions, weights=np.asarray(self._values))
        return influences(sums.astype(np.float64), sizes.astype(np.float64))


def aggregate(scores: Iterable[Score], *, low: float = 0.0, high: float = 1.0, level: float = LEVEL) -> Aggregate:
    """The aggregate of scores of one measure, whose scale goes from `low` to `high`.

    >>> figure = aggregate([Score(1.0), Score(0.0), Score(None, "No gold.")])
    >>> figure.mean, figure.n, figure.unscored, dict(figure.reasons)
    (0.5, 2, 1, {'No gold.': 1})
    """
    tally = ScoreTally(low, high)
    for score in scores:
        tally.add(score)
    return tally.aggregate(level=level)


BATCH = 512
"""Cases passed to a measure at once."""

DRAWS = 5
"""Other questions whose gold is taken for the answer, for each question."""

Figures = Mapping[str, Aggregate]
"""Aggregates by the name of their measure."""


@dataclass(frozen=True, slots=True)
class Report:
    """`metrics` over all `rows` cases, and the same for each of their `languages`, in order of first appearance."""

    rows: int
    metrics: Figures
    languages: Mapping[str, Figures]


def score_cases(
    cases: Iterable[Case], measures: Sequence[Measure], progress: Callable[[int], None] | None = None
) -> Report:
    """Every measure of every case. `progress` is called with the number done after each batch.

    Over all languages, cases with the same id are answers to one question, and intervals count them as one.
    """
    overall = _tallies(measures)
    by_language: dict[str, dict[str, ScoreTally]] = {}
    numbers: dict[str, int] = {}
    rows = 0
    remaining = iter(cases)
    while batch := list(islice(remaining, BATCH)):
        for measure in measures:
            for case, score in zip(batch, measure.score(batch), strict=True):
                if case.language.code not in by_language:
                    by_language[case.language.code] = _tallies(measures)
                question = numbers.setdefault(case.id, len(numbers)) if case.id else None
                overall[measure.name].add(score, question)
                by_language[case.language.code][measure.name].add(score)
        rows += len(batch)
        if progress:
            progress(rows)
    return Report(rows, _figures(overall), {code: _figures(tallies) for code, tallies in by_language.items()})


def _tallies(measures: Sequence[Measure]) -> dict[str, ScoreTally]:
    return {measure.name: ScoreTally(measure.low, measure.high) for measure in measures}


def _figures(tallies: Mapping[str, ScoreTally]) -> Figures:
    return {name: tally.aggregate() for name, tally in tallies.items()}


def chance_level(
    measure: Measure, golds: Sequence[Sequence[str]], language: Language, *, draws: int = DRAWS, seed: int = 0
) -> Aggregate:
    """The mean of `measure` where each question's answer is the first gold of others, drawn by `seed`.

    It is the level from which figures are read: golds share letters by chance, in some languages more than in others.

    `golds` are the gold answers of each question, all in `language`. Where another question has a gold in common with
    it, that is a right answer and not drawn. Fewer than two questions leave nothing to measure: n is 0.
    """
    generator = np.random.default_rng(seed)
    cases: list[Case] = []
    for number, answers in enumerate(golds):
        for _ in range(draws if len(golds) > 1 else 0):
            other = golds[(number + int(generator.integers(1, len(golds)))) % len(golds)]
            if other and not set(other) & set(answers):
                cases.append(Case(other[0], tuple(answers), language, id=str(number)))
    return aggregate(measure.score(cases), low=measure.low, high=measure.high)
