"""How far do people who label the same answers agree beyond chance?

Sources: Cohen 1960 (κ, two people), Krippendorff 2004 (α, any number of people, gaps allowed).  Range [−1, 1]: 1 is
full agreement, 0 what chance gives.  Nominal labels.  Unscored where chance alone would give full agreement (everybody
used one label throughout): 0 divided by 0 is no agreement of 1.

Intervals are percentile bootstrap intervals over the answers labelled.  With the pairs of labels counted an answer at
a time, a resample is a product of two matrices.  The package krippendorff gives the same α (a test compares) but is
under the GPL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.metrics.score import Score

Floats = npt.NDArray[np.float64]
Label = str | None
_Coefficients = Callable[[Floats], Floats]

RESAMPLES = 2_000
BLOCK = 1 << 21
ONE_LABEL = "Everybody used one label throughout, so agreement cannot be told from chance."


@dataclass(frozen=True, slots=True)
class Agreement:
    """`score` over the `n` answers that two people or more labelled; `low` and `high` bound it with 95 %, None where
    `score` has no value or `n` is below 2."""

    score: Score
    low: float | None
    high: float | None
    n: int


def cohen_kappa(first: Sequence[Label], second: Sequence[Label], *, seed: int = 0) -> Agreement:
    """κ = (p_o − p_e) / (1 − p_e) of two people's labels of the same answers, in the same order; None where not
    labelled.

    >>> cohen_kappa(["a", "a", "b", "b"], ["a", "a", "b", "a"]).score.value
    0.5
    """
    both = [(one, other) for one, other in zip(first, second, strict=True) if one is not None and other is not None]
    names = {name: place for place, name in enumerate(sorted({label for pair in both for label in pair}))}
    size = len(names)
    # One answer a row, one cell of the confusion matrix a column.
    cells = np.zeros((len(both), size * size))
    for row, (one, other) in enumerate(both):
        cells[row, names[one] * size + names[other]] = 1
    return _agreement(cells, _kappas, seed)


def krippendorff_alpha(labels: Sequence[Sequence[Label]], *, seed: int = 0) -> Agreement:
    """α = 1 − D_o / D_e. `labels[i]` are the labels that people gave answer `i`, in any order; None is a gap.

    Answers labelled by fewer than two people say nothing and are left out.

    >>> round(krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"]]).score.value, 4)
    0.4444
    """
    given = [[label for label in unit if label is not None] for unit in labels]
    shared = [unit for unit in given if len(unit) >= 2]
    names = {name: place for place, name in enumerate(sorted({label for unit in shared for label in unit}))}
    size = len(names)
    cells = np.zeros((len(shared), size * size))
    for row, unit in enumerate(shared):
        counts = Counter(unit)
        for one, times in counts.items():
            for other, again in counts.items():
                pairs = times * (again - (one == other))
                cells[row, names[one] * size + names[other]] = pairs / (len(unit) - 1)
    return _agreement(cells, _alphas, seed)


def _kappas(tables: Floats) -> Floats:
    """κ of confusion matrices, shape (n, labels, labels); NaN where chance alone gives full agreement."""
    total = tables.sum(axis=(1, 2))
    observed = np.trace(tables, axis1=1, axis2=2) / total
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / total**2
    return _beyond_chance(observed, chance)


def _alphas(tables: Floats) -> Floats:
    """α of coincidence matrices, shape (n, labels, labels)."""
    totals = tables.sum(axis=2)
    whole = totals.sum(axis=1)
    observed = np.trace(tables, axis1=1, axis2=2) / whole
    chance = (totals * (totals - 1)).sum(axis=1) / (whole * (whole - 1))
    return _beyond_chance(observed, chance)


def _beyond_chance(observed: Floats, chance: Floats) -> Floats:
    room = 1 - chance
    return np.divide(observed - chance, room, out=np.full_like(room, np.nan), where=room > 1e-12)


def _agreement(cells: Floats, coefficients: _Coefficients, seed: int) -> Agreement:
    n, width = cells.shape
    if not n:
        return Agreement(Score(None, "No answer was labelled by two people."), None, None, 0)
    size = round(width**0.5)
    value = float(coefficients(cells.sum(axis=0).reshape(1, size, size))[0])
    if np.isnan(value):
        return Agreement(Score(None, ONE_LABEL), None, None, n)
    if n < 2:
        return Agreement(Score(value), None, None, n)
    generator = np.random.default_rng(seed)
    rows = max(1, BLOCK // max(n, width))
    drawn: list[Floats] = []
    for start in range(0, RESAMPLES, rows):
        weights = generator.multinomial(n, np.full(n, 1 / n), size=min(rows, RESAMPLES - start))
        drawn.append(coefficients((weights @ cells).reshape(-1, size, size)))
    # Resamples in which one label is left have no coefficient.
    low, high = np.nanquantile(np.concatenate(drawn), (0.025, 0.975))
    return Agreement(Score(value), float(low), float(high), n)
