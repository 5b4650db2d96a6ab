"""The interval of a mean: where the mean over all questions that might have been asked lies, in 95 of 100 samples.

From `ENOUGH` questions on it is the percentile bootstrap's (Efron and Tibshirani, 1993): the quantiles of the mean of
resampled questions, by the expansion of that distribution with the skewness γ (Cornish and Fisher, 1938; Hall, 1992,
chapter 3), which needs no draws: mean + s/√n · (±z + γ (z² − 1) / 6√n).

Below, the bootstrap's interval is far too narrow, because it knows no value that it has not seen: of ten questions,
each right with probability 0.95, 6 of 10 samples have no wrong answer at all.  There the interval is Wilson's (1927),
with the effective number of questions where answers come in clusters or are more than right or wrong (Kott and Carr,
1997; Korn and Graubard, 1998; Dean and Pagano, 2015).  A mean on a scale is a share p of that scale.  Values with the
variance s² carry as much information as n* = p (1 − p) n / s² answers of yes or no.  With q the quantile of Student's t
with n − 1 degrees of freedom, the interval is

    (p + q²/2n* ± q √(p (1 − p)/n* + q²/4n*²)) / (1 + q²/n*)

It never exceeds the scale.  Where every question is at one end or the other, s² follows from p, so n* is n and q the
normal quantile: Wilson's own interval.  Between the two, r = s² / (p (1 − p) n / (n − 1)) is the share of the greatest
possible variance, and r⁴ weighs Wilson's n* and q against the others, so that nearly equal samples have nearly equal
intervals.

Of any number of questions, u = z² / (n + z²) of those that might have been asked may be unlike all that were: Wilson's
upper bound of a share of 0 (Hanley and Lippman-Hand, 1983).  They may lie at an end of the scale, beyond the lowest
value a and the highest value b that were seen.  So the interval reaches at least from mean − u (a − low) to
mean + u (high − b).  Where all values are equal, that is the interval; where both ends were seen, it adds nothing.

One question in several languages or under several recipes gives answers that tend to be right or wrong together; an
interval that treats them as independent is too narrow.  So intervals count complete questions (`influences`), not
single answers: Miller (2024), section 2.2, on clustered errors of evaluations (arXiv:2411.00640); Davison and Hinkley
(1997), section 2.7, on the influence of one draw on a ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
ENOUGH = 30
"""Questions from which the bootstrap's interval contains the mean in at least 90 of 100 simulated samples."""
TOLERANCE = 1e-9
"""Share of the scale by which two values may differ and still count as equal."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` to `high`, in the unit of the values."""

    low: float
    high: float


def influences(sums: Floats, sizes: Floats) -> Floats:
    """One value per question, shape of `sums`, for intervals over questions with several answers each.

    Their mean is the mean of all answers, and drawing them is, to first order, drawing the questions with all their
    answers. `sums` are the sums of the questions' values, `sizes` (each at least 1) their numbers of values. A question
    with one answer is its own influence; with equal sizes the influence is each question's mean.

    >>> influences(np.array([2.0, 0.0]), np.array([2.0, 2.0])).tolist()
    [1.0, 0.0]
    """
    mean = sums.sum() / sizes.sum()
    return np.asarray(mean + (sums - mean * sizes) / sizes.mean(), dtype=np.float64)


def mean_interval(
    values: Sequence[float] | Floats,
    *,
    low: float = 0.0,
    high: float = 1.0,
    mean: float | None = None,
    share: float = 1.0,
    level: float = LEVEL,
) -> Interval | None:
    """The interval of the mean of values on the scale from `low` to `high`; None below 2 values.

    `values`: one per question (`influences` where a question has several answers). Where they are only a `share` of all
    questions, `mean` is that of all. Equal values have an interval too: as many questions as may go unseen in a sample
    of n may lie at either end of the scale. Values outside the scale widen it. It is continuous in the values.

    >>> interval = mean_interval([1.0] * 10)
    >>> round(interval.low, 3), interval.high
    (0.722, 1.0)
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2:
        return None
    least, most = float(array.min()), float(array.max())
    mean = float(array.mean()) if mean is None else mean
    if not low < mean < high:
        low, high = min(low, least), max(high, most)
    width, questions = high - low, array.size / share
    normal = NormalDist().inv_cdf((1 + level) / 2)
    _, unseen = wilson_bounds(0.0, questions, normal)
    lowest, highest = mean - unseen * max(0.0, least - low), mean + unseen * max(0.0, high - most)
    if most - least <= TOLERANCE * width:
        return Interval(lowest, highest)
    if array.size >= ENOUGH:
        inner = _bootstrap(array, mean, questions, normal)
    else:
        bounds = _effective((mean - low) / width, float(array.var(ddof=1)) / width**2, array.size, questions, level)
        inner = Interval(low + width * bounds[0], low + width * bounds[1])
    return Interval(max(low, min(inner.low, lowest)), min(high, max(inner.high, highest)))


def _effective(part: float, variance: float, n: int, questions: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a mean that is a share `part` of the scale, with the effective number of questions."""
    normal, student = NormalDist().inv_cdf((1 + level) / 2), t_quantile((1 + level) / 2, n - 1)
    weight = min(1.0, variance / (part * (1 - part) * n / (n - 1))) ** 4
    effective = part * (1 - part) * questions / variance * (1 + weight / (n - 1))
    return wilson_bounds(part, effective, student + (normal - student) * weight)


def _bootstrap(array: Floats, mean: float, questions: float, quantile: float) -> Interval:
    """The interval over resamples of values that vary, by its expansion; it stays between the observed extremes."""
    deviations = array - array.mean()
    spread = float(array.std())
    skew = float(np.mean(deviations**3)) / spread**3
    error, shift = spread / sqrt(questions), skew * (quantile**2 - 1) / (6 * sqrt(questions))
    lowest, highest = min(mean, float(array.min())), max(mean, float(array.max()))
    return Interval(max(lowest, mean + error * (shift - quantile)), min(highest, mean + error * (shift + quantile)))


def wilson_bounds(part: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share `part` of `n`, within [0, 1] and around `part` in spite of rounding."""
    weight = quantile**2 / n
    centre = (part + weight / 2) / (1 + weight)
    reach = quantile * sqrt(part * (1 - part) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, min(part, centre - reach)), min(1.0, max(part, centre + reach))


def t_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t distribution with `freedom` degrees of freedom.

    >>> round(t_quantile(0.975, 9), 3)
    2.262
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))
