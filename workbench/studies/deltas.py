"""Runs against one run, question by question: paired differences with interval, permutation test and Holm correction.

What is drawn and what signs are tossed for are whole questions, in all the languages that are looked at (see
metrics.clusters).  Below 1,000 questions the tests are those of `metrics.statistics`.  From there on their normal limit
is: under tossed signs the sum of n differences has mean 0 and variance Σd², and the two differ by less than two sets of
tosses do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.clusters import influences
from workbench.metrics.statistics import holm, permutation_p, smallest_detectable
from workbench.studies.filters import Filter
from workbench.studies.intervals import interval
from workbench.studies.results import aggregate
from workbench.studies.values import Column, Numbers, Values, by_question, common, question_numbers

NORMAL_FROM = 1_000

NORMAL_FROM = 1_000


@dataclass(frozen=True, slots=True)
class Delta:
    """Run `run` minus the run that it is compared with. `p` is after Holm's correction over all that were compared.

    `n` answers to `questions` questions are paired; `mean` is None where `n` is 0. `left_out` cells were unscored for
    one or both, or not asked of both.
    """

    run: int
    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    questions: int
    left_out: int
    detectable: float | None


def against(
    engine: Engine, metric: str, first: int, others: Sequence[int], languages: Sequence[str] = ()
) -> list[Delta]:
    """Each of `others` against the run `first`, over the questions in some languages (all where none is named)."""
    runs = list(dict.fromkeys([first, *others]))
    chosen = Filter(runs=tuple(runs), languages=tuple(languages))
    cells = {item.key[0]: item.n + item.unscored for item in aggregate(engine, chosen, [metric])}
    columns, numbers = by_question(engine, metric, runs, languages), question_numbers(engine, runs)
    found = []
    for run in others:
        asked = max(cells.get(run, 0), cells.get(first, 0))
        found.append(_delta(run, columns[first], columns[run], numbers, asked))
    return [replace(item, p=p) for item, p in zip(found, holm([item.p for item in found]), strict=True)]


def _delta(run: int, first: Column, second: Column, numbers: Numbers, asked: int) -> Delta:
    keys, one, other = common(first, second)
    n = int(keys.size)
    if not n:
        return Delta(run, None, None, None, None, 0, 0, asked, None)
    questions, place, sizes = np.unique(numbers[keys], return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=other - one).astype(np.float64)
    values = influences(sums, sizes.astype(np.float64))
    mean = float((other - one).mean())
    low, high = interval(values)
    p = normal_p(sums) if questions.size >= NORMAL_FROM else permutation_p(sums.tolist())
    detectable = smallest_detectable(values.tolist())
    return Delta(run, mean, low, high, p, n, int(questions.size), asked - n, detectable)


def normal_p(sums: Values) -> float:
    """The two-sided p of the permutation test's normal limit, given each question's summed difference."""
    spread = sqrt(float(np.square(sums).sum()))
    if not spread:
        return 1.0
    return 2 * (1 - NormalDist().cdf(abs(float(sums.sum())) / spread))
