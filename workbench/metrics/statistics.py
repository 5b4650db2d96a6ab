"""What a difference between two means is worth: intervals, paired tests, and what a sample could show at all.

Sources: Efron and Tibshirani 1993 (percentile bootstrap), Fisher 1935 and Good 2005 (permutation by signs), Holm 1979,
Cohen 1988 (power).  All draws come from a seed, so the same values give the same figures.  Work is vectorised and done
in blocks of bounded memory.

Few values are not sampled but counted out: up to `EXACT_MEAN` values the bootstrap goes through every resample, up to
`EXACT_SIGNS` differences the permutation test through every choice of signs.  From `MANY` values on, unless they take
few distinct ones, the bootstrap's distribution of a mean is its normal limit to within a hundredth of its width, and
that is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from workbench.metrics.score import Score

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
RESAMPLES = 10_000
EXACT_MEAN = 7
"""Values up to which all resamples are gone through: 7 have 1,716 different ones."""
EXACT_SIGNS = 14
"""Differences up to which all signs are gone through: 14 have 16,384."""
FEW_DISTINCT = 64
"""Distinct values up to which resamples are drawn as counts of each."""
MANY = 1_000
BLOCK = 1 << 22
"""Numbers drawn at once (32 MiB)."""
TOLERANCE = 1e-12
"""Share of the largest sum by which two sums may differ and be equal."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` to `high`, in the unit of the values."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second of two is, question by question.

    `mean` is second minus first over the `n` questions scored for both; `left_out` were scored for one or none. `p` is
    the two-sided permutation test's. `interval` is None below 2 questions; `mean` and `p` are None where `n` is 0.
    `detectable` is the smallest true difference that so many questions would show in four of five cases, None where
    they cannot say (fewer than 2, or no variation).
    """

    mean: float | None
    interval: Interval | None
    p: float | None
    n: int
    left_out: int
    detectable: float | None


def bootstrap_interval(values: Sequence[float], *, level: float = LEVEL, seed: int = 0) -> Interval | None:
    """The percentile bootstrap interval of the mean; None below 2 values, for one says nothing of its neighbours.

    Equal values give an interval of no width: the bootstrap knows no value that it has not seen.

    >>> bootstrap_interval([0.0, 1.0])
    Interval(low=0.0, high=1.0)
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2:
        return None
    tail = (1 - level) / 2
    if array.size <= EXACT_MEAN:
        return _exact_interval(array, tail)
    distinct, counts = np.unique(array, return_counts=True)
    if distinct.size == 1:
        return Interval(float(distinct[0]), float(distinct[0]))
    if distinct.size > FEW_DISTINCT and array.size >= MANY:
        reach = NormalDist().inv_cdf(1 - tail) * float(array.std()) / sqrt(array.size)
        return Interval(float(array.mean()) - reach, float(array.mean()) + reach)
    low, high = np.quantile(_resampled_means(array, distinct, counts, seed), (tail, 1 - tail))
    return Interval(float(low), float(high))


def _exact_interval(array: Floats, tail: float) -> Interval:
    """The interval over all resamples, each multiset of values weighed by how many resamples give it."""
    n = array.size
    picks = list(combinations_with_replacement(range(n), n))
    means = array[np.asarray(picks)].mean(axis=1)
    weights = np.asarray([factorial(n) / prod(factorial(pick.count(item)) for item in set(pick)) for pick in picks])
    order = np.argsort(means, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    low = means[order][np.searchsorted(reached, tail)]
    high = means[order][np.searchsorted(reached, 1 - tail)]
    return Interval(float(low), float(high))


def _resampled_means(array: Floats, distinct: Floats, counts: npt.NDArray[np.intp], seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    n = array.size
    if distinct.size <= FEW_DISTINCT:
        drawn = generator.multinomial(n, counts / n, size=RESAMPLES)
        return np.asarray(drawn @ distinct / n, dtype=np.float64)
    rows = max(1, BLOCK // n)
    blocks = [
        array[generator.integers(0, n, size=(min(rows, RESAMPLES - start), n))].mean(axis=1)
        for start in range(0, RESAMPLES, rows)
    ]
    return np.concatenate(blocks)


def compare(first: Sequence[Score], second: Sequence[Score], *, level: float = LEVEL, seed: int = 0) -> Difference:
    """Two recipes' scores on the same questions, in the same order. Raises ValueError for unequal numbers.

    A question unscored for either is left out of both and counted.
    """
    pairs = [
        (one.value, other.value)
        for one, other in zip(first, second, strict=True)
        if one.value is not None and other.value is not None
    ]
    left_out = len(first) - len(pairs)
    if not pairs:
        return Difference(None, None, None, 0, left_out, None)
    differences = np.asarray([other - one for one, other in pairs], dtype=np.float64)
    return Difference(
        float(differences.mean()),
        bootstrap_interval(differences.tolist(), level=level, seed=seed),
        permutation_p(differences.tolist(), seed=seed),
        len(pairs),
        left_out,
        smallest_detectable(differences.tolist(), level=level),
    )


def permutation_p(differences: Sequence[float], *, seed: int = 0) -> float:
    """The two-sided p of paired differences: how often would coin-tossed signs give a mean as far from 0?

    Exact up to 14 differences that are not 0; beyond, 10,000 drawn choices of signs with the observed one added to both
    sides of the fraction, so p is never 0. No difference anywhere gives 1.

    >>> permutation_p([1.0, 1.0, 1.0])
    0.25
    """
    sizes = np.abs(np.asarray([item for item in differences if item != 0], dtype=np.float64))
    if not sizes.size:
        return 1.0
    observed = abs(float(np.sum(np.asarray(differences, dtype=np.float64)))) - TOLERANCE * float(sizes.sum())
    if sizes.size <= EXACT_SIGNS:
        choices = np.arange(1 << sizes.size)[:, None] >> np.arange(sizes.size)
        sums = (1 - 2 * (choices & 1)) @ sizes
        return float(np.mean(np.abs(sums) >= observed))
    extreme = int(np.count_nonzero(np.abs(_signed_sums(sizes, seed)) >= observed))
    return (extreme + 1) / (RESAMPLES + 1)


def _signed_sums(sizes: Floats, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    distinct, counts = np.unique(sizes, return_counts=True)
    if distinct.size <= FEW_DISTINCT:
        heads = generator.binomial(counts, 0.5, size=(RESAMPLES, distinct.size))
        return np.asarray((2 * heads - counts) @ distinct, dtype=np.float64)
    rows = max(1, BLOCK // sizes.size)
    blocks = [
        (1.0 - 2.0 * generator.integers(0, 2, size=(min(rows, RESAMPLES - start), sizes.size), dtype=np.int8)) @ sizes
        for start in range(0, RESAMPLES, rows)
    ]
    return np.concatenate(blocks)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in order: compare each with 0.05 as if it were the only one.

    None (nothing to test) stays None and is not counted among the tests.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    tested = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (value, place) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * value))
        adjusted[place] = highest
    return adjusted


def smallest_detectable(differences: Sequence[float], *, level: float = LEVEL, power: float = 0.8) -> float | None:
    """The smallest true mean difference found significant with probability `power`, given how these differences vary.

    (z of `level` + z of `power`) · s / √n with the sample's standard deviation s, by normal theory, which flatters
    samples under some 20. None below 2 differences or where they do not vary: then they say nothing of it.
    """
    array = np.asarray(differences, dtype=np.float64)
    if array.size < 2 or not (spread := float(array.std(ddof=1))):
        return None
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * spread / sqrt(array.size)
