"""Cases measured as they are read, over all and in each language: a file is never loaded completely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from workbench.metrics.measure import Case, Measure
from workbench.metrics.statistics.aggregate import Aggregate, ScoreTally

BATCH = 512
"""Cases passed to a measure at once."""

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
