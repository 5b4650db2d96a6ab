"""Intervals and permutation tests against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from workbench.metrics.statistics import bootstrap_interval, permutation_p


@pytest.mark.parametrize("n", [20, 150])
def test_the_bootstrap_interval_agrees_with_scipys(n: int) -> None:
    values = np.random.default_rng(n).beta(0.5, 1.0, size=n)
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=10_000, rng=np.random.default_rng(0), vectorized=True
    ).confidence_interval
    ours = bootstrap_interval(values.tolist())
    assert ours is not None
    width = theirs.high - theirs.low
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03 * width)


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
