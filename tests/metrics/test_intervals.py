"""Intervals of means: by hand, at the edges, and how often they hold the mean that they promise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.metrics.statistics.clusters import influences
from workbench.metrics.statistics.intervals import Interval, mean_interval

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
SAMPLES = 400


def interval(values: list[float] | Floats, **more: float) -> Interval:
    found = mean_interval(values, **more)
    assert found is not None
    return found


def test_no_value_and_one_value_have_no_interval() -> None:
    assert mean_interval([]) is None
    assert mean_interval([0.5]) is None


def test_right_and_wrong_have_wilsons_interval_by_hand() -> None:
    found = interval([1.0] * 8 + [0.0] * 2)
    # z² = 3.8415: (0.8 + 0.19207 ± 1.96 √(0.016 + 0.0096)) / 1.38415
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_other_values_count_as_many_answers_as_their_variance_says_by_hand() -> None:
    found = interval([0.4, 0.6, 0.5])
    # s² = 0.01, n* = 0.25 · 3 / 0.01 = 75, t = 4.3027, t² = 18.513:
    # (0.5 + 0.12342 ± 4.3027 √(1/300 + 18.513/22500)) / 1.24684
    assert (found.low, found.high) == pytest.approx((0.2775, 0.7225), abs=1e-4)


def test_ten_right_of_ten_may_still_be_wrong_at_times() -> None:
    found = interval([1.0] * 10)
    # z² / (n + z²) = 3.8415 / 13.8415
    assert (found.low, found.high) == pytest.approx((1 - 0.27753, 1.0), abs=1e-4)
    assert interval([0.0] * 10).high == pytest.approx(0.27753, abs=1e-4)


def test_equal_values_may_be_others_at_either_end_for_what_went_unseen() -> None:
    # 0.27753 of the questions at 0 instead of 0.4, or at 1
    found = interval([0.4] * 10)
    assert (found.low, found.high) == pytest.approx((0.4 * (1 - 0.27753), 0.4 + 0.6 * 0.27753), abs=1e-4)


def test_of_many_questions_it_is_the_bootstrap_s_expansion_by_hand() -> None:
    found = interval([1.0] * 36 + [0.0] * 4)
    # s = 0.3, γ = −0.8 / 0.3, error = 0.3 / √40 = 0.047434, shift = γ · 2.84146 / (6 · √40) = −0.19968
    assert (found.low, found.high) == pytest.approx((0.9 + 0.047434 * (-0.19968 - 1.95996), 0.983498), abs=1e-5)


def test_the_interval_of_another_scale_is_that_of_shares_stretched() -> None:
    shares = [0.25, 0.5, 1.0, 0.75, 0.5, 0.0]
    plain, marks = interval(shares), interval([1 + 4 * value for value in shares], low=1, high=5)
    assert (marks.low, marks.high) == pytest.approx((1 + 4 * plain.low, 1 + 4 * plain.high))


def test_the_lowest_mark_is_no_full_share() -> None:
    assert interval([1.0] * 10, low=1, high=5).low == 1.0


def test_recipes_that_never_differed_may_differ_on_what_went_unseen() -> None:
    found = interval([0.0] * 10, low=-1, high=1)
    assert (found.low, found.high) == pytest.approx((-0.27753, 0.27753), abs=1e-4)


def test_some_questions_of_many_give_the_width_of_all_around_the_mean_of_all() -> None:
    drawn = np.random.default_rng(2).random(4_000)
    whole, some = interval(drawn), interval(drawn[::10], share=0.1, mean=float(drawn.mean()))
    assert some.high - some.low == pytest.approx(whole.high - whole.low, rel=0.1)
    assert some.high + some.low == pytest.approx(whole.high + whole.low, rel=0.001)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_the_interval_lies_on_the_scale_and_holds_the_mean(values: list[float]) -> None:
    found = interval(values)
    assert 0 <= found.low <= np.mean(values) + 1e-12 and np.mean(values) - 1e-12 <= found.high <= 1


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=60))
def test_values_outside_of_their_scale_still_have_an_interval_that_holds_their_mean(values: list[float]) -> None:
    found = interval(values)
    assert found.low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= found.high


def _right(probability: float) -> Draw:
    return lambda drawn, n: (drawn.random(n) < probability).astype(np.float64)


def _mostly_whole(drawn: np.random.Generator, n: int) -> Floats:
    return np.where(drawn.random(n) < 0.8, 1.0, drawn.beta(1, 2, n))


def _in_languages(drawn: np.random.Generator, n: int) -> Floats:
    """Questions of differing difficulty, each in one to thirteen languages."""
    sizes = drawn.binomial(12, 0.6, n) + 1
    right = drawn.binomial(sizes, drawn.beta(1, 2, n))
    return influences(right.astype(np.float64), sizes.astype(np.float64))


SIZES = (5, 10, 20, 30, 60, 300)
KINDS: dict[str, tuple[Draw, float]] = {
    "right 0.5": (_right(0.5), 0.5),
    "right 0.8": (_right(0.8), 0.8),
    "right 0.95": (_right(0.95), 0.95),
    "beta low": (lambda drawn, n: drawn.beta(0.5, 1, n), 1 / 3),
    "beta high": (lambda drawn, n: drawn.beta(5, 2, n), 5 / 7),
    "mostly 1": (_mostly_whole, 0.8 + 0.2 / 3),
    "languages": (_in_languages, 1 / 3),
}


def _held(kind: str, n: int) -> float:
    """The share of samples whose interval holds the mean."""
    draw, mean = KINDS[kind]
    drawn = np.random.default_rng(n)
    made = (interval(draw(drawn, n)) for _ in range(SAMPLES))
    return float(np.mean([found.low <= mean <= found.high for found in made]))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_at_least_90_of_100_intervals_hold_the_mean_even_of_few_questions(kind: str, n: int) -> None:
    # Shares of right and wrong answers jump with n, and coverage with them.
    assert _held(kind, n) >= 0.9


def test_on_the_average_95_of_100_do() -> None:
    assert np.mean([_held(kind, n) for kind in KINDS for n in SIZES]) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("n", SIZES)
def test_intervals_of_differences_hold_as_often(n: int) -> None:
    drawn = np.random.default_rng(n)
    # better with probability 0.3, worse with 0.1
    samples = (drawn.choice([-1.0, 0.0, 1.0], n, p=[0.1, 0.6, 0.3]) for _ in range(SAMPLES))
    held = [made.low <= 0.2 <= made.high for made in (interval(values, low=-1, high=1) for values in samples)]
    assert sum(held) >= 0.9 * SAMPLES
