"""The interval of a mean, a judge's mean corrected by labels of people, and tests of paired differences.

**Intervals**: where the mean over all questions that might have been asked lies, in 95 of 100 samples.

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

**Corrected means**: prediction-powered inference. Source: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023,
Prediction-powered inference) and Angelopoulos, Duchi and Zrnic (2023, PPI++), for a mean.  People labelled a random
sample of n answers with y, and a judge gave these f and N further answers F.  The estimate is

    θ(λ) = λ · mean(F) + mean(y − λ f)

It is unbiased for every λ, whatever the judge is worth: the second term, the rectifier, takes back what the judge is
wrong by.  λ = 0 is the mean of the people's labels alone.  The λ that makes the interval shortest is (PPI++, power
tuning), kept within 0 and 1,

    λ* = Cov(y, f) / ((1 + n/N) Var(f))

Here several answers may be to one question, and labels are drawn language by language.  So each answer carries the
weight of its language among all answers, divided by the number of its kind there; with a_q the sum of the weighted
deviations of y of question q, and b_q that of F minus that of f, the estimate's variance is Q/(Q − 1) · Σ (a_q + λ
b_q)² over Q questions, and λ* = −Σ a_q b_q / Σ b_q².  With one answer per question and one language that is the formula
above.  The interval is Wilson's with the number of answers of yes or no that would have this variance, θ (1 − θ) /
variance, and the quantile of Student's t with one degree of freedom less than there are labelled questions (Korn and
Graubard, 1998): θ ± t · √variance itself misses means near 0 and 1, 9 of 100 times at n = 50 and a mean of .9.

It holds for random samples alone: labels of answers that somebody picked say nothing about the others.

**Significance** of a difference between two means, and what a sample could show at all. Sources: Fisher (1935) and Good
(2005) for permutation by signs, Holm (1979), Bloom (1995) for the smallest detectable difference.  All draws come from
a seed, so the same values give the same figures.  Work is vectorised and done in blocks of bounded memory.  The
permutation test is exact, not sampled, up to `EXACT_SIGNS` differences that are not 0 (every choice of signs is
enumerated) and where all differences have one size (it is the sign test, a binomial).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil, log2, nan, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
ENOUGH = 30
"""Questions from which the bootstrap's interval contains the mean in at least 90 of 100 simulated samples."""
TOLERANCE = 1e-9
"""Share of the scale by which two values may differ and still count as equal."""
SAMPLE_LIMIT = 10_000_000
"""Questions beyond which a number is no use: no one asks as many."""
HUGE = 1e100
"""Values from which on there is no interval: powers of them are beyond what a number can hold."""


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
    """The interval of the mean of values on the scale from `low` to `high`; None below 2 or for huge ones.

    `values`: one per question (`influences` where a question has several answers). Where they are only a `share` of all
    questions, `mean` is that of all. Equal values have an interval too: as many questions as may go unseen in a sample
    of n may lie at either end of the scale. Values outside the scale widen it. It is continuous in the values.

    >>> interval = mean_interval([1.0] * 10)
    >>> round(interval.low, 3), interval.high
    (0.722, 1.0)
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2 or not (np.abs(array) < HUGE).all():
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


def clustered_interval(
    values: Sequence[float] | Floats, clusters: Sequence[Hashable], *, low: float = 0.0, high: float = 1.0
) -> Interval | None:
    """The interval of the mean of all values, of which those of one cluster are drawn together.

    None below 2 clusters or for huge values. `clusters` names what each value belongs to: for a question in several
    languages, the question.

    >>> clustered_interval([1.0, 1.0, 0.0, 0.0], ["q1", "q1", "q2", "q2"]) == mean_interval([1.0, 0.0])
    True
    """
    numbers: dict[Hashable, int] = {}
    places = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
    array = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2 or not (np.abs(array) < HUGE).all():
        return None
    sums, sizes = np.bincount(places, array), np.bincount(places)
    return mean_interval(influences(sums.astype(np.float64), sizes.astype(np.float64)), low=low, high=high)


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


Places = npt.NDArray[np.int64]

LABELS_AT_LEAST = 50
"""Labelled answers from which intervals contained the mean in 93 to 97 of 100 simulated samples."""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """The answers of one language that were judged, on the scale from 0 to 1.

    `labels` and `judged` are people's and the judge's values of the n labelled answers, `others` the judge's of the N
    further ones; `label_questions` and `other_questions` are what these answers belong to.
    """

    labels: Floats
    judged: Floats
    others: Floats
    label_questions: Sequence[Hashable]
    other_questions: Sequence[Hashable]

    @property
    def answers(self) -> int:
        """All judged answers, labelled or not."""
        return len(self.labels) + len(self.others)


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """The estimate with its 95 % interval, beside the judge's plain mean and the interval of labels alone.

    `rectifier` is what was added to the judge's mean; `power` is λ. `labels_mean` with `labels_low` and `labels_high`
    is the estimate at λ = 0.
    """

    value: float
    low: float
    high: float
    power: float
    judge_mean: float
    rectifier: float
    labels_mean: float
    labels_low: float
    labels_high: float
    labelled: int
    others: int


def corrected_mean(samples: Sequence[JudgedSample]) -> CorrectedMean | None:
    """The mean over all answers of some languages, each drawn from by itself; the means are weighed by their answers.

    None where the labels are of fewer than two questions or there is no further judged answer in one of the samples.
    """
    answers = sum(sample.answers for sample in samples)
    labelled = {question for sample in samples for question in sample.label_questions}
    if len(labelled) < 2 or any(not len(sample.labels) or not len(sample.others) for sample in samples):
        return None
    numbers: dict[Hashable, int] = {}
    parts: list[tuple[float, float, float]] = []
    label_sums: list[tuple[Places, Floats]] = []
    judge_sums: list[tuple[Places, Floats]] = []
    for sample in samples:
        weight = sample.answers / answers
        at_labels, at_others = (
            np.array([numbers.setdefault(question, len(numbers)) for question in questions], dtype=np.int64)
            for questions in (sample.label_questions, sample.other_questions)
        )
        parts.append((weight * sample.labels.mean(), weight * sample.judged.mean(), weight * sample.others.mean()))
        label_sums.append((at_labels, weight * _deviations(sample.labels)))
        judge_sums.append((at_labels, -weight * _deviations(sample.judged)))
        judge_sums.append((at_others, weight * _deviations(sample.others)))
    label_mean, judged_mean, others_mean = (sum(column) for column in zip(*parts, strict=True))
    by_labels, by_judge = (_by_question(sums, len(numbers)) for sums in (label_sums, judge_sums))
    square = float(by_judge @ by_judge)
    power = min(1.0, max(0.0, -float(by_labels @ by_judge) / square)) if square > 0 else 0.0
    value = min(1.0, max(0.0, power * others_mean + label_mean - power * judged_mean))
    judge_mean = sum(float(sample.judged.sum() + sample.others.sum()) for sample in samples) / answers
    low, high = _bounds(value, by_labels + power * by_judge, len(labelled))
    labels_low, labels_high = _bounds(label_mean, by_labels, len(labelled))
    return CorrectedMean(
        value=value,
        low=low,
        high=high,
        power=power,
        judge_mean=judge_mean,
        rectifier=value - judge_mean,
        labels_mean=label_mean,
        labels_low=labels_low,
        labels_high=labels_high,
        labelled=sum(len(sample.labels) for sample in samples),
        others=sum(len(sample.others) for sample in samples),
    )


def _deviations(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / len(values), dtype=np.float64)


def _by_question(parts: Sequence[tuple[Places, Floats]], size: int) -> Floats:
    sums = np.zeros(size)
    for places, values in parts:
        sums += np.bincount(places, values, minlength=size)
    return sums


def _bounds(value: float, deviations: Floats, labelled: int) -> tuple[float, float]:
    """The interval of an estimate whose deviation is the sum of `deviations`, one per question."""
    size = int(np.count_nonzero(deviations))
    variance = float(deviations @ deviations) * size / (size - 1) if size > 1 else 0.0
    # Half an answer from an end at least: an estimate at the end has no variance of yes and no of its own.
    share = min(1 - 0.5 / labelled, max(0.5 / labelled, value))
    effective = share * (1 - share) / variance if variance > 0 else float(labelled)
    return wilson_bounds(value, effective, t_quantile((1 + LEVEL) / 2, labelled - 1))


TOSSES = 10_000
EXACT_SIGNS = 14
"""Differences up to which all choices of signs are enumerated: 14 have 16,384."""
FEW_DISTINCT = 64
"""Distinct sizes of differences up to which tosses are drawn as a count for each."""
BLOCK = 1 << 22
"""Numbers drawn at once (4 MiB)."""
FLOATS_AT_ONCE = 128
"""Tosses that are added up at once."""
SIGN_TOLERANCE = 1e-12
"""Share of the largest sum by which two sums may differ and still count as equal."""


def permutation_p(differences: Sequence[float] | Floats, *, seed: int = 0) -> float:
    """The two-sided p of paired differences: how often would coin-tossed signs give a mean as far from 0?

    Exact up to 14 differences that are not 0, and for any number of one size; else 10,000 drawn choices of signs with
    the observed one added to both sides of the fraction, so p is never 0. No difference anywhere gives 1.

    >>> permutation_p([1.0, 1.0, 1.0])
    0.25
    """
    return permutation_ps([differences], seed=seed)[0]


def permutation_ps(samples: Sequence[Sequence[float] | Floats], *, seed: int = 0) -> list[float]:
    """The p of each sample by itself (see `permutation_p`); signs, which take longest, are drawn once for each size."""
    arrays = [not_zero(np.asarray(sample, dtype=np.float64)) for sample in samples]
    p_values = [_exact_p(array) for array in arrays]
    tossed: dict[int, list[int]] = {}
    for index, array in enumerate(arrays):
        if p_values[index] is None:
            tossed.setdefault(array.size, []).append(index)
    for indices in tossed.values():
        sums = np.abs(_signed_sums(np.abs([arrays[index] for index in indices]), seed))
        for index, of_sample in zip(indices, sums, strict=True):
            extreme = int(np.count_nonzero(of_sample >= _observed(arrays[index])))
            p_values[index] = (extreme + 1) / (TOSSES + 1)
    return [1.0 if p is None else p for p in p_values]


def _observed(array: Floats) -> float:
    """How far from 0 the sum of differences is, rounding aside."""
    return abs(float(array.sum())) - SIGN_TOLERANCE * float(np.abs(array).sum())


def _exact_p(array: Floats) -> float | None:
    """The p of differences that are not 0 without draws; None where there are too many of several sizes."""
    sizes = np.abs(array)
    if not sizes.size:
        return 1.0
    if sizes.size <= EXACT_SIGNS:
        choices = np.arange(1 << sizes.size)[:, None] >> np.arange(sizes.size)
        sums = (1 - 2 * (choices & 1)) @ sizes
        return float(np.mean(np.abs(sums) >= _observed(array)))
    if float(sizes.max() - sizes.min()) <= SIGN_TOLERANCE * float(sizes.max()):
        return _sign_test(int(np.count_nonzero(array > 0)), sizes.size)
    return None


def not_zero(differences: Floats) -> Floats:
    """The differences that are not 0, rounding aside: what tossed signs can turn."""
    largest = float(np.abs(differences).max(initial=0.0))
    return np.asarray(differences[np.abs(differences) > SIGN_TOLERANCE * largest], dtype=np.float64)


def _sign_test(positive: int, n: int) -> float:
    """The two-sided p of `positive` of `n` signs, each + with probability 1/2."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(positive, n - positive), n, 0.5)))


def _signed_sums(samples: Floats, seed: int) -> Floats:
    """By sample, a row of sizes each: the sums under every toss. Each gets the tosses that it gets alone."""
    sums = np.empty((len(samples), TOSSES))
    counted = [np.unique(sizes, return_counts=True) for sizes in samples]
    many = [index for index, (distinct, _) in enumerate(counted) if distinct.size > FEW_DISTINCT]
    for index, (distinct, counts) in enumerate(counted):
        if index not in many:
            heads = np.random.default_rng(seed).binomial(counts, 0.5, size=(TOSSES, distinct.size))
            sums[index] = (2 * heads - counts) @ distinct
    if many:
        generator, size = np.random.default_rng(seed), samples.shape[1]
        rows, columns, totals = max(1, BLOCK // size), samples[many].T, samples[many].sum(axis=1)
        for start in range(0, TOSSES, rows):
            tails = generator.integers(0, 2, size=(min(rows, TOSSES - start), size), dtype=np.int8)
            # As floats they take eight times the room: a part at a time stays in the processor's cache.
            for at in range(0, len(tails), FLOATS_AT_ONCE):
                part = totals - 2.0 * (tails[at : at + FLOATS_AT_ONCE].astype(np.float64) @ columns)
                sums[many, start + at : start + at + len(part)] = part.T
    return sums


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in order: compare each with 0.05 as if it were the only one.

    None (nothing to test) stays None and is not counted among the tests.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    tested = sorted((value, index) for index, value in enumerate(p_values) if value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (value, index) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * value))
        adjusted[index] = highest
    return adjusted


def smallest_detectable(
    differences: Sequence[float] | Floats, *, level: float = LEVEL, power: float = 0.8
) -> float | None:
    """The smallest true mean difference found significant with probability `power`, given how these differences vary.

    None where they do not vary, which leaves it unknown, and as `detectable_by`.
    """
    array = np.asarray(differences, dtype=np.float64)
    spread = float(array.std(ddof=1)) if array.size > 1 else 0.0
    return detectable_by(array.size, spread, level=level, power=power) if spread else None


def detectable_by(n: int, spread: float, *, level: float = LEVEL, power: float = 0.8) -> float | None:
    """The smallest true mean of n differences with the standard deviation s found significant with `power`.

    (t of `level` + t of `power`) · s / √n with quantiles of Student's t of n − 1 degrees of freedom. None where they
    are too few for any to be significant: 2 of the 2ⁿ choices of signs are always as far from 0, so at 95 % six are
    needed.
    """
    if n < _least_sample(level):
        return None
    return (t_quantile((1 + level) / 2, n - 1) + t_quantile(power, n - 1)) * spread / sqrt(n)


def sample_needed(spread: float, difference: float, *, level: float = LEVEL, power: float = 0.8) -> int | None:
    """The fewest differences with this deviation by which such a true mean is found significant with `power`.

    None for a mean of 0, and where they would be more than `SAMPLE_LIMIT`.

    >>> sample_needed(0.5, 0.1), sample_needed(0.5, 0.0)
    (199, None)
    """
    normal = NormalDist()
    root = (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * spread / (difference or nan)
    if not root * root <= SAMPLE_LIMIT:  # infinite, or no number, where the spread is
        return None
    # The normal's number is too low by a few; Student's t is never less.
    size = max(_least_sample(level), ceil(root * root))
    while (detectable_by(size, spread, level=level, power=power) or 0.0) > abs(difference):
        size += 1
    return size


def _least_sample(level: float) -> int:
    """How many differences a test by signs needs to reach a level at all."""
    return max(2, ceil(1 - log2(1 - level)))
