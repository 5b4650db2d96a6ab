"""Intervals, permutation tests and power against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from workbench.metrics.statistics.intervals import mean_interval, permutation_p, smallest_detectable


@pytest.mark.parametrize(("right", "n"), [(0, 4), (1, 2), (9, 13), (27, 29), (1_000, 1_000)])
def test_the_interval_of_few_or_equal_right_and_wrong_is_scipys_wilson(right: int, n: int) -> None:
    theirs = stats.binomtest(right, n).proportion_ci(method="wilson")
    ours = mean_interval([1.0] * right + [0.0] * (n - right))
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("n", [30, 150, 2_000])
@pytest.mark.parametrize("kind", ["skewed", "right and wrong", "differences"])
def test_from_30_questions_on_the_interval_is_scipys_percentile_bootstrap(kind: str, n: int) -> None:
    generator = np.random.default_rng(n)
    values = {
        "skewed": generator.beta(0.5, 1.0, size=n),
        "right and wrong": (generator.random(n) < 0.7).astype(np.float64),
        "differences": generator.choice([-1.0, 0.0, 0.5], size=n),
    }[kind]
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(0), vectorized=True
    ).confidence_interval
    ours = mean_interval(values, low=-1.0 if kind == "differences" else 0.0)
    assert ours is not None
    # A resample's mean of right and wrong answers moves in steps of 1 / n.
    near = 0.03 * (theirs.high - theirs.low) + 0.5 / n * (kind != "skewed")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=near)


@pytest.mark.parametrize(("n", "shift"), [(8, 0.3), (14, 0.1), (60, 0.2), (60, 0.0)])
def test_the_permutation_test_agrees_with_scipys(n: int, shift: float) -> None:
    values = np.random.default_rng(n).normal(shift, 0.5, size=n)
    theirs = stats.permutation_test(
        (values,),
        np.mean,
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
        vectorized=True,
    ).pvalue
    assert permutation_p(values.tolist()) == pytest.approx(theirs, abs=1e-9 if n <= 14 else 0.02)


def test_wins_and_losses_agree_with_scipys_binomial_test() -> None:
    expected = stats.binomtest(9, 13).pvalue
    assert permutation_p([1.0] * 9 + [-1.0] * 4) == pytest.approx(expected)


@pytest.mark.parametrize("n", [6, 10, 30])
def test_the_smallest_detectable_difference_has_a_power_of_80_percent(n: int) -> None:
    values = np.random.default_rng(n).normal(0.0, 0.5, size=n)
    difference = smallest_detectable(values.tolist())
    assert difference is not None
    noncentrality = difference / (values.std(ddof=1) / np.sqrt(n))
    power = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, noncentrality)
    assert power == pytest.approx(0.8, abs=0.02)
