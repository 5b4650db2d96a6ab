"""Intervals and paired tests: few values counted out by hand, many held against what theory says."""

import math

import numpy as np
import pytest

from workbench.metrics.score import Score
from workbench.metrics.statistics import (
    MANY,
    Interval,
    bootstrap_interval,
    compare,
    holm,
    permutation_p,
    smallest_detectable,
)


def test_no_value_and_one_value_have_no_interval() -> None:
    assert bootstrap_interval([]) is None
    assert bootstrap_interval([0.5]) is None


def test_three_values_are_resampled_in_all_27_ways() -> None:
    # one of 27 resamples is 0,0,0 and one is 1,1,1 (3.7 % each): both lie within 95 %
    assert bootstrap_interval([0.0, 0.5, 1.0]) == Interval(0.0, 1.0)
    # at 90 % they do not: next come the 3 resamples 0,0,½ and their like
    interval = bootstrap_interval([0.0, 0.5, 1.0], level=0.9)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((1 / 6, 5 / 6))


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert bootstrap_interval([1.0] * 50) == Interval(1.0, 1.0)


def test_the_interval_of_a_share_is_a_binomials() -> None:
    interval = bootstrap_interval([1.0] * 30 + [0.0] * 70)
    assert interval is not None
    # the 2.5 % and 97.5 % quantiles of Binomial(100, 0.3) are 21 and 39
    assert (interval.low, interval.high) == pytest.approx((0.21, 0.39), abs=0.011)


@pytest.mark.parametrize("n", [200, MANY + 1])
def test_the_interval_of_many_values_is_near_the_normal_one(n: int) -> None:
    values = np.random.default_rng(1).gamma(4.0, size=n)
    interval = bootstrap_interval(values.tolist())
    assert interval is not None
    reach = 1.96 * values.std() / math.sqrt(n)
    assert interval.high - interval.low == pytest.approx(2 * reach, rel=0.05)
    assert interval.low < values.mean() < interval.high


def test_just_below_the_limit_sampling_and_the_normal_limit_agree() -> None:
    values = np.random.default_rng(2).beta(2.0, 3.0, size=MANY - 1)
    sampled = bootstrap_interval(values.tolist())
    assert sampled is not None
    reach = 1.96 * values.std() / math.sqrt(values.size)
    assert (sampled.low, sampled.high) == pytest.approx(
        (values.mean() - reach, values.mean() + reach), abs=0.03 * 2 * reach
    )


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(3).random(100).tolist()
    assert bootstrap_interval(values, seed=7) == bootstrap_interval(values, seed=7)


def test_signs_are_counted_out_for_few_differences() -> None:
    # all three alike: 2 of 8 choices of signs are as far from 0
    assert permutation_p([1.0, 1.0, 1.0]) == 2 / 8
    # |±1 ±2 ±3| ≥ 4: sums 6, 4, -4, -6 of 8
    assert permutation_p([-1.0, 2.0, 3.0]) == 4 / 8
    assert permutation_p([1.0, -1.0]) == 1.0


def test_differences_of_nought_say_nothing() -> None:
    assert permutation_p([0.0, 0.0]) == 1.0
    assert permutation_p([1.0, 0.0, 1.0, 0.0, 1.0]) == 2 / 8


def test_many_differences_are_tested_by_drawn_signs_and_p_is_never_nought() -> None:
    assert 0 < permutation_p([1.0] * 100) <= 1e-3
    values = np.random.default_rng(4).normal(size=200)
    # by the normal approximation
    z = abs(values.sum()) / math.sqrt(float((values**2).sum()))
    assert permutation_p(values.tolist()) == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.02)


def test_wins_and_losses_alone_are_a_sign_test() -> None:
    # 60 wins, 40 losses: P(|X - 50| ≥ 10) of Binomial(100, ½) is 0.0569
    assert permutation_p([1.0] * 60 + [-1.0] * 40) == pytest.approx(0.0569, abs=0.008)


def test_rounding_does_not_part_equal_sums() -> None:
    # 0.1 + 0.2 is not 0.3 in binary, yet all signs alike must count as extreme as observed
    assert permutation_p([0.1, 0.2, 0.3]) == 2 / 8


def test_holm_multiplies_by_the_tests_left_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_what_was_not_tested_stays_so_and_is_no_test() -> None:
    assert holm([None, 0.02, None]) == [None, 0.02, None]


def test_the_smallest_detectable_difference_by_hand() -> None:
    # s of 50 ones and 50 minus ones is 1.00504; (1.96 + 0.8416) s / 10
    assert smallest_detectable([1.0, -1.0] * 50) == pytest.approx(0.28157, abs=1e-4)
    assert smallest_detectable([1.0]) is None
    assert smallest_detectable([0.0, 0.0, 0.0]) is None


def test_recipes_are_compared_on_questions_scored_for_both() -> None:
    first = [Score(0.0), Score(0.0), Score(None, "short"), Score(1.0)]
    second = [Score(1.0), Score(1.0), Score(1.0), Score(None, "short")]
    found = compare(first, second)
    assert (found.mean, found.n, found.left_out) == (1.0, 2, 2)
    assert found.p == 2 / 4 and found.interval == Interval(1.0, 1.0) and found.detectable is None


def test_nothing_scored_for_both_has_no_difference() -> None:
    found = compare([Score(None, "short")], [Score(1.0)])
    assert (found.mean, found.interval, found.p, found.n, found.left_out) == (None, None, None, 0, 1)


def test_unequal_numbers_of_questions_are_refused() -> None:
    with pytest.raises(ValueError):
        compare([Score(1.0)], [])
