"""Cases measured as they are read, over all and in each language, and what chance alone would score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from workbench.languages import Language
from workbench.metrics.measure import Case, Measure
from workbench.metrics.statistics.aggregate import Aggregate, ScoreTally, aggregate

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
        for item in measures:
            for case, score in zip(batch, item.score(batch), strict=True):
                if case.language.code not in by_language:
                    by_language[case.language.code] = _tallies(measures)
                question = numbers.setdefault(case.id, len(numbers)) if case.id else None
                overall[item.name].add(score, question)
                by_language[case.language.code][item.name].add(score)
        rows += len(batch)
        if progress:
            progress(rows)
    return Report(rows, _figures(overall), {code: _figures(tallies) for code, tallies in by_language.items()})


def _tallies(measures: Sequence[Measure]) -> dict[str, ScoreTally]:
    return {item.name: ScoreTally(item.low, item.high) for item in measures}


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
