"""Runs against one run, question by question: paired differences with interval, permutation test and Holm correction.

Below 1,000 pairs the tests are those of `metrics.statistics`.  From there on their normal limit is: under tossed signs
the sum of n differences has mean 0 and variance Σd², and the two differ by less than two sets of tosses do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.statistics import bootstrap_interval, holm, permutation_p, smallest_detectable
from workbench.studies.filters import Filter
from workbench.studies.intervals import REACH
from workbench.studies.results import Values, aggregate, paired

NORMAL_FROM = 1_000


@dataclass(frozen=True, slots=True)
class Delta:
    """Run `run` minus the run that it is compared with. `p` is after Holm's correction over all that were compared.

    `mean` is None where `n` is 0; `left_out` cells were unscored for one or both, or not asked of both.
    """

    run: int
    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    left_out: int
    detectable: float | None


def against(
    engine: Engine, metric: str, first: int, others: Sequence[int], languages: Sequence[str] = ()
) -> list[Delta]:
    """Each of `others` against the run `first`, over the questions in some languages (all where none is named)."""
    chosen = Filter(runs=(first, *others), languages=tuple(languages))
    cells = {item.key[0]: item.n + item.unscored for item in aggregate(engine, chosen, [metric])}
    found = []
    for run in others:
        one, other = paired(engine, metric, first, run, languages)
        asked = max(cells.get(run, 0), cells.get(first, 0))
        found.append(_delta(run, other - one, asked))
    return [
        Delta(item.run, item.mean, item.low, item.high, p, item.n, item.left_out, item.detectable)
        for item, p in zip(found, holm([item.p for item in found]), strict=True)
    ]


def _delta(run: int, differences: Values, asked: int) -> Delta:
    n = int(differences.size)
    if not n:
        return Delta(run, None, None, None, None, 0, asked, None)
    mean = float(differences.mean())
    low: float | None
    high: float | None
    if n >= NORMAL_FROM:
        reach = REACH * float(differences.std()) / sqrt(n)
        low, high, p = mean - reach, mean + reach, _normal_p(differences)
    else:
        values = differences.tolist()
        made = bootstrap_interval(values)
        low, high = (made.low, made.high) if made else (None, None)
        p = permutation_p(values)
    return Delta(run, mean, low, high, p, n, asked - n, smallest_detectable(differences.tolist()))


def _normal_p(differences: Values) -> float:
    spread = sqrt(float(np.square(differences).sum()))
    if not spread:
        return 1.0
    return 2 * (1 - NormalDist().cdf(abs(float(differences.sum())) / spread))
