"""How far columns of values go together over the same answers, and people who label them agree beyond chance.

- AUC: the chance that an answer that is right has a higher value than one that is wrong, ties counting half (Hanley and
  McNeil, 1982). .5 is chance, 1 tells all apart.
- τ_b: concordant minus discordant pairs of answers, over those tied in neither column (Kendall, 1945).
- r: Pearson's; where one column is 0 and 1, it is the point-biserial correlation.
- κ: Cohen's (1960), where both columns are 0 and 1.

Intervals are percentiles of resampled questions, each with all its answers (Efron and Tibshirani, 1993; Field and
Welsh, 2007, for clusters). A resample in which a figure is not defined does not count; where more than 1 in 20 do not,
there is no interval. A bootstrap knows no answer that it has not seen, so where all right answers lie above all wrong
ones it would be of no width: the interval of an AUC reaches at least as far as the answers that a sample of that size
may have missed (`intervals`, Hanley and Lippman-Hand, 1983).

Agreement of people: Cohen (1960; κ, two people), Krippendorff (2004; α, any number of people, gaps allowed). Range
[−1, 1]: 1 is full agreement, 0 what chance gives. Nominal labels. Unscored where chance alone would give full agreement
(everybody used one label throughout): 0 divided by 0 is not an agreement of 1. Its intervals are those of the observed
agreement over the labelled answers (`intervals`), put into the formula with the agreement by chance held fixed, as in
Cohen's own standard error. Where people agree on nearly all, a bootstrap has seen too few disagreements: with 20
answers and a κ of 0.94, its 95 % interval contains the true κ in 53 of 100 samples, this one in 96. The package
krippendorff gives the same α (a test compares) but is under the GPL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from workbench.metrics.measure import Score
from workbench.metrics.statistics.intervals import LEVEL, Floats, influences, mean_interval

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


Label = str | None

ONE_LABEL = "Everybody used one label throughout, so agreement cannot be told from chance."
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Agreement:
    """`score` over the `n` answers that at least two people labelled.

    `low` and `high` bound it with 95 %; they are None where `score` has no value or `n` is below 2.
    """

    score: Score
    low: float | None
    high: float | None
    n: int


def cohen_kappa(first: Sequence[Label], second: Sequence[Label], items: Sequence[int] | None = None) -> Agreement:
    """κ = (p_o − p_e) / (1 − p_e), with p_o the observed agreement and p_e that by chance.

    `first` and `second` are two people's labels of the same answers, in the same order; None where not labelled.
    `items` numbers what each was drawn with, where several are parts of one item: the interval is over items.

    >>> cohen_kappa(["a", "a", "b", "b"], ["a", "a", "b", "a"]).score.value
    0.5
    """
    numbers = range(len(first)) if items is None else items
    three = zip(first, second, numbers, strict=True)
    labelled = [(one, other, number) for one, other, number in three if one is not None and other is not None]
    both = [(one, other) for one, other, _ in labelled]
    columns = {label: column for column, label in enumerate(sorted({label for pair in both for label in pair}))}
    size = len(columns)
    # Each answer's part of the confusion matrix.
    parts = np.zeros((len(both), size, size))
    for row, (one, other) in enumerate(both):
        parts[row, columns[one], columns[other]] = 1
    table = parts.sum(axis=0)
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / max(1, len(both)) ** 2
    return _agreement(parts, chance, [number for _, _, number in labelled])


def krippendorff_alpha(labels: Sequence[Sequence[Label]], items: Sequence[int] | None = None) -> Agreement:
    """α = 1 − D_o / D_e, with D_o the observed disagreement and D_e that by chance.

    `labels[i]` are the labels that people gave answer `i`, in any order; None is a gap. Answers labelled by fewer than
    two people contain no information and are left out. `items` as for `cohen_kappa`.

    >>> round(krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"]]).score.value, 4)
    0.4444
    """
    parts, _, numbers = coincidences(labels, items)
    totals = parts.sum(axis=(0, 2))
    total = float(totals.sum())
    chance = float(totals @ (totals - 1)) / (total * (total - 1)) if total else 0.0
    return _agreement(parts, chance, numbers)


def coincidences(
    labels: Sequence[Sequence[Label]], items: Sequence[int] | None = None
) -> tuple[Floats, tuple[str, ...], list[int]]:
    """Each answer's part of the coincidence matrix, shape (n, labels, labels), the labels in order, and the items.

    Arguments as for `krippendorff_alpha`; only answers that at least two people labelled have a part.
    """
    numbers = range(len(labels)) if items is None else items
    units = [[label for label in unit if label is not None] for unit in labels]
    numbered = [(unit, number) for unit, number in zip(units, numbers, strict=True) if len(unit) >= 2]
    columns = {label: column for column, label in enumerate(sorted({label for unit, _ in numbered for label in unit}))}
    size = len(columns)
    parts = np.zeros((len(numbered), size, size))
    for row, (unit, _) in enumerate(numbered):
        counts = Counter(unit)
        for one, times in counts.items():
            for other, again in counts.items():
                pairs = times * (again - (one == other))
                parts[row, columns[one], columns[other]] = pairs / (len(unit) - 1)
    return parts, tuple(columns), [number for _, number in numbered]


def _agreement(parts: Floats, chance: float, items: Sequence[int]) -> Agreement:
    """(observed − chance) / (1 − chance) with its interval; `parts`: one matrix per answer, (n, labels, labels)."""
    n = len(parts)
    if not n:
        return Agreement(Score(None, "No answer was labelled by two people."), None, None, 0)
    room = 1 - chance
    if room < ROUNDING:
        return Agreement(Score(None, ONE_LABEL), None, None, n)
    agreeing, pairs = np.trace(parts, axis1=1, axis2=2), parts.sum(axis=(1, 2))
    value = (float(agreeing.sum() / pairs.sum()) - chance) / room
    _, places = np.unique(np.asarray(items), return_inverse=True)
    sums, sizes = (np.bincount(places, weights).astype(np.float64) for weights in (agreeing, pairs))
    interval = mean_interval(influences(sums, sizes))
    if interval is None:
        return Agreement(Score(value), None, None, n)
    return Agreement(Score(value), max(-1.0, (interval.low - chance) / room), (interval.high - chance) / room, n)
