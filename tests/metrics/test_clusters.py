"""Intervals over questions agree with drawing the questions themselves, and see through copies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workbench.metrics.statistics.clusters import influences
from workbench.metrics.statistics.intervals import mean_interval

Floats = npt.NDArray[np.float64]
SHARES = st.floats(0, 1, width=32)


@given(arrays(np.float64, st.integers(1, 30), elements=SHARES))
def test_questions_of_one_answer_each_are_their_own_influence(values: Floats) -> None:
    assert influences(values, np.ones_like(values)) == pytest.approx(values, abs=1e-12)


@given(st.lists(st.lists(SHARES, min_size=1, max_size=6), min_size=1, max_size=20))
def test_the_mean_is_that_of_all_answers(questions: list[list[float]]) -> None:
    sums = np.array([sum(values) for values in questions])
    sizes = np.array([float(len(values)) for values in questions])
    assert influences(sums, sizes).mean() == pytest.approx(np.mean(np.concatenate(questions)), abs=1e-9)


@given(arrays(np.float64, st.integers(2, 30), elements=SHARES), st.integers(2, 13))
def test_the_same_answers_many_times_over_tell_no_more(values: Floats, copies: int) -> None:
    many = influences(values * copies, np.full(values.size, float(copies)))
    assert many == pytest.approx(values, abs=1e-9)


def test_the_interval_is_that_of_drawing_whole_questions() -> None:
    drawn = np.random.default_rng(11)
    sizes = drawn.integers(1, 14, size=200).astype(float)
    hard = drawn.beta(0.6, 0.6, size=200)
    sums = drawn.binomial(sizes.astype(int), hard).astype(float)
    picks = drawn.integers(0, 200, size=(20_000, 200))
    means = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    made = mean_interval(influences(sums, sizes))
    assert made is not None
    assert (made.low, made.high) == pytest.approx((low, high), abs=0.05 * (high - low))
    alone = mean_interval([1.0] * int(sums.sum()) + [0.0] * int((sizes - sums).sum()))
    assert alone is not None
    assert (high - low) > 1.5 * (alone.high - alone.low)
