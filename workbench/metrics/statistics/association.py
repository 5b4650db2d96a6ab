"""How far two columns of values go together over the same answers, with bootstrap intervals over questions.

- AUC: the chance that an answer that is right has a higher value than one that is wrong, ties counting half (Hanley and
  McNeil, 1982).  .5 is chance, 1 tells all apart.
- τ_b: concordant minus discordant pairs of answers, over those tied in neither column (Kendall, 1945).
- r: Pearson's; where one column is 0 and 1, it is the point-biserial correlation.
- κ: Cohen's (1960), where both columns are 0 and 1.

Intervals are percentiles of resampled questions, each with all its answers (Efron and Tibshirani, 1993; Field and
Welsh, 2007, for clusters).  A resample in which a figure is not defined does not count; where more than 1 in 20 do not,
there is no interval.  A bootstrap knows no answer that it has not seen, so where all right answers lie above all wrong
ones it would be of no width: the interval of an AUC reaches at least as far as the answers that a sample of that size
may have missed (`intervals`, Hanley and Lippman-Hand, 1983).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from workbench.metrics.statistics.intervals import LEVEL, Floats

DRAWS = 1_000
UNDEFINED = 0.05
"""The share of resamples without a value from which there is no interval."""
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class AssociationFigure:
    """`value` with its 95 % interval; None where it is not defined. `low` and `high` are None without an interval."""

    value: float | None
    low: float | None
    high: float | None


def question_weights(questions: Sequence[Hashable], *, seed: int = 0, draws: int = DRAWS) -> Floats:
    """How often each answer is drawn, shape (1 + draws, n): first every answer once, then resampled questions.

    `questions[i]` is what answer i belongs to. The same questions and seed give the same weights.
    """
    numbers: dict[Hashable, int] = {}
    places = np.array([numbers.setdefault(question, len(numbers)) for question in questions], dtype=np.int64)
    size = max(1, len(numbers))
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(size, np.full(size, 1 / size), draws).astype(np.float64)
    return np.vstack([np.ones(len(places)), counts[:, places]])


def auc(values: Floats, right: Floats, weights: Floats) -> Floats:
    """The AUC under each row of weights, NaN where all answers are right or all wrong. `right` is 0 or 1.

    >>> auc(np.array([0.2, 0.9, 0.9]), np.array([0.0, 1.0, 0.0]), np.ones((1, 3))).tolist()
    [0.75]
    """
    table = _table(values, right, weights)
    if table.shape[2] < 2:
        return np.full(len(weights), np.nan)
    wrongs, rights = table[:, :, 0], table[:, :, 1]
    below = np.cumsum(wrongs, axis=1) - wrongs
    wins = np.sum(rights * (below + wrongs / 2), axis=1)
    return _ratio(wins, wrongs.sum(axis=1) * rights.sum(axis=1))


def kendall_tau_b(values: Floats, others: Floats, weights: Floats) -> Floats:
    """τ_b under each row of weights, NaN where one column does not vary; quick where `others` has few levels.

    >>> kendall_tau_b(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.5, 1.0]), np.ones((1, 3))).tolist()
    [1.0]
    """
    table = _table(values, others, weights)
    balance = np.zeros(len(weights))
    below = np.cumsum(table, axis=1) - table
    for low in range(table.shape[2]):
        for high in range(low + 1, table.shape[2]):
            balance += np.sum(table[:, :, high] * below[:, :, low] - table[:, :, low] * below[:, :, high], axis=1)
    total = table.sum(axis=(1, 2)) ** 2
    untied = [(total - (table.sum(axis=axis) ** 2).sum(axis=1)) / 2 for axis in (1, 2)]
    return _ratio(balance, np.sqrt(untied[0] * untied[1]))


def pearson_r(values: Floats, others: Floats, weights: Floats) -> Floats:
    """Pearson's r under each row of weights, NaN where one column does not vary."""
    totals = weights.sum(axis=1)
    one, other = values - values.mean(), others - others.mean()
    means = weights @ one / totals, weights @ other / totals
    spreads = [weights @ column**2 / totals - mean**2 for column, mean in zip((one, other), means, strict=True)]
    spreads = [np.where(spread > TOLERANCE, spread, 0.0) for spread in spreads]
    return np.clip(
        _ratio(weights @ (one * other) / totals - means[0] * means[1], np.sqrt(spreads[0] * spreads[1])), -1, 1
    )


def binary_kappa(values: Floats, others: Floats, weights: Floats) -> Floats:
    """Cohen's κ of two columns of 0 and 1 under each row of weights, NaN where chance alone gives full agreement."""
    totals = weights.sum(axis=1)
    one, other = weights @ values / totals, weights @ others / totals
    chance = one * other + (1 - one) * (1 - other)
    return _ratio(weights @ (values == others) / totals - chance, 1 - chance)


def association_figure(rows: Floats, reach: tuple[float, float] = (1.0, 0.0)) -> AssociationFigure:
    """The first of `rows` with the interval of the others, which contains the value and at least `reach`."""
    value = float(rows[0])
    if not np.isfinite(value):
        return AssociationFigure(None, None, None)
    others = rows[1:][np.isfinite(rows[1:])]
    if not len(rows) > 1 or len(others) < (1 - UNDEFINED) * (len(rows) - 1):
        return AssociationFigure(value, None, None)
    low, high = np.quantile(others, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return AssociationFigure(value, min(value, float(low), reach[0]), max(value, float(high), reach[1]))


def auc_reach(values: Floats, right: Floats, area: float) -> tuple[float, float]:
    """How far the interval of an AUC must reach at least, for answers of either kind that a sample may have missed."""
    normal = NormalDist().inv_cdf((1 + LEVEL) / 2)
    sides = [values[right == side] for side in (0.0, 1.0)]
    low, high = 1.0, 0.0
    for number, side in enumerate(sides):
        other = sides[1 - number]
        unseen = normal**2 / (len(side) + normal**2)
        wins = np.array([np.mean(other < value) + np.mean(other == value) / 2 for value in np.unique(side)])
        wins = wins if number else 1 - wins
        low, high = min(low, area - unseen * float(wins.min())), max(high, area + unseen * (1 - float(wins.max())))
    return max(0.0, low), min(1.0, high)


def _table(values: Floats, others: Floats, weights: Floats) -> Floats:
    """The weight of each pair of levels, shape (rows of weights, levels of values, levels of others), ascending."""
    levels, starts = np.unique(np.sort(values), return_index=True)
    order = np.argsort(values, kind="stable")
    columns = [np.where(others[order] == level, weights[:, order], 0.0) for level in np.unique(others)]
    if not len(levels):
        return np.zeros((len(weights), 0, 0))
    return np.stack([np.add.reduceat(column, starts, axis=1) for column in columns], axis=2)


def _ratio(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > TOLERANCE, above / below, np.nan), dtype=np.float64)
