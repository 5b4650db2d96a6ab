"""How significant a difference between two means is: paired tests, and what a sample could show at all.

Sources: Fisher (1935) and Good (2005) for permutation by signs, Holm (1979), Bloom (1995) for the smallest detectable
difference.  All draws come from a seed, so the same values give the same figures.  Work is vectorised and done in
blocks of bounded memory.  The permutation test is exact, not sampled, up to `EXACT_SIGNS` differences that are not 0
(every choice of signs is enumerated) and where all differences have one size (it is the sign test, a binomial).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from workbench.metrics.statistics.intervals import LEVEL, Floats, t_quantile

TOSSES = 10_000
EXACT_SIGNS = 14
"""Differences up to which all choices of signs are enumerated: 14 have 16,384."""
FEW_DISTINCT = 64
"""Distinct sizes of differences up to which tosses are drawn as a count for each."""
BLOCK = 1 << 22
"""Numbers drawn at once (32 MiB)."""
TOLERANCE = 1e-12
"""Share of the largest sum by which two sums may differ and still count as equal."""


def permutation_p(differences: Sequence[float], *, seed: int = 0) -> float:
    """The two-sided p of paired differences: how often would coin-tossed signs give a mean as far from 0?

    Exact up to 14 differences that are not 0, and for any number of one size; else 10,000 drawn choices of signs with
    the observed one added to both sides of the fraction, so p is never 0. No difference anywhere gives 1.

    >>> permutation_p([1.0, 1.0, 1.0])
    0.25
    """
    array = not_zero(np.asarray(differences, dtype=np.float64))
    sizes = np.abs(array)
    if not sizes.size:
        return 1.0
    observed = abs(float(array.sum())) - TOLERANCE * float(sizes.sum())
    if sizes.size <= EXACT_SIGNS:
        choices = np.arange(1 << sizes.size)[:, None] >> np.arange(sizes.size)
        sums = (1 - 2 * (choices & 1)) @ sizes
        return float(np.mean(np.abs(sums) >= observed))
    if float(sizes.max() - sizes.min()) <= TOLERANCE * float(sizes.max()):
        return _sign_test(int(np.count_nonzero(array > 0)), sizes.size)
    extreme = int(np.count_nonzero(np.abs(_signed_sums(sizes, seed)) >= observed))
    return (extreme + 1) / (TOSSES + 1)


def not_zero(differences: Floats) -> Floats:
    """The differences that are not 0, rounding aside: what tossed signs can turn."""
    largest = float(np.abs(differences).max(initial=0.0))
    return np.asarray(differences[np.abs(differences) > TOLERANCE * largest], dtype=np.float64)


def _sign_test(positive: int, n: int) -> float:
    """The two-sided p of `positive` of `n` signs, each + with probability 1/2."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(positive, n - positive), n, 0.5)))


def _signed_sums(sizes: Floats, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    distinct, counts = np.unique(sizes, return_counts=True)
    if distinct.size <= FEW_DISTINCT:
        heads = generator.binomial(counts, 0.5, size=(TOSSES, distinct.size))
        return np.asarray((2 * heads - counts) @ distinct, dtype=np.float64)
    rows = max(1, BLOCK // sizes.size)
    blocks = [
        (1.0 - 2.0 * generator.integers(0, 2, size=(min(rows, TOSSES - start), sizes.size), dtype=np.int8)) @ sizes
        for start in range(0, TOSSES, rows)
    ]
    return np.concatenate(blocks)


def holm(p_values: Sequence[float | None], *, others: int = 0) -> list[float | None]:
    """Holm's adjusted p-values, in order: compare each with 0.05 as if it were the only one.

    None (nothing to test) stays None and is not counted among the tests. `others` more tests belong to the family and
    are taken to have shown nothing, as where all pairs are looked at to choose which ones to test.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    tested = sorted((value, index) for index, value in enumerate(p_values) if value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (value, index) in enumerate(tested):
        highest = max(highest, min(1.0, (others + len(tested) - rank) * value))
        adjusted[index] = highest
    return adjusted


def smallest_detectable(differences: Sequence[float], *, level: float = LEVEL, power: float = 0.8) -> float | None:
    """The smallest true mean difference found significant with probability `power`, given how these differences vary.

    (t of `level` + t of `power`) · s / √n with the sample's standard deviation s and quantiles of Student's t of n − 1
    degrees of freedom. None where they do not vary, which leaves it unknown, and where they are too few for any to be
    significant: 2 of the 2ⁿ choices of signs are always as far from 0, so at 95 % six are needed.
    """
    array = np.asarray(differences, dtype=np.float64)
    if 2.0 ** (1 - array.size) > 1 - level or not (spread := float(array.std(ddof=1))):
        return None
    freedom = array.size - 1
    return (t_quantile((1 + level) / 2, freedom) + t_quantile(power, freedom)) * spread / sqrt(array.size)
