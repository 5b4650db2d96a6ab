"""Paired tests: few differences counted by hand, many compared with theory."""

import math

import numpy as np
import pytest

from workbench.metrics.statistics.intervals import (
    TOSSES,
    holm,
    not_zero,
    permutation_p,
    permutation_ps,
    smallest_detectable,
)


def test_signs_are_enumerated_for_few_differences() -> None:
    # all three alike: 2 of 8 choices of signs are as far from 0
    assert permutation_p([1.0, 1.0, 1.0]) == 2 / 8
    # |±1 ±2 ±3| ≥ 4: sums 6, 4, -4, -6 of 8
    assert permutation_p([-1.0, 2.0, 3.0]) == 4 / 8
    assert permutation_p([1.0, -1.0]) == 1.0


def test_differences_of_zero_show_nothing() -> None:
    assert permutation_p([0.0, 0.0]) == 1.0
    assert permutation_p([1.0, 0.0, 1.0, 0.0, 1.0]) == 2 / 8


def test_many_differences_are_tested_by_drawn_signs_and_p_is_never_zero() -> None:
    assert 0 < permutation_p([1.0] * 100) <= 1e-3
    values = np.random.default_rng(4).normal(size=200)
    # by the normal approximation
    z = abs(values.sum()) / math.sqrt(float((values**2).sum()))
    assert permutation_p(values.tolist()) == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.02)


def test_wins_and_losses_alone_are_a_sign_test() -> None:
    # 60 wins, 40 losses: P(|X - 50| ≥ 10) of Binomial(100, ½) is 0.0569
    assert permutation_p([1.0] * 60 + [-1.0] * 40) == pytest.approx(0.05689, abs=1e-5)


def test_differences_that_are_rounding_are_none() -> None:
    assert permutation_p([1.0, 0.1 + 0.2 - 0.3, 1.0]) == 2 / 4


def test_of_equal_runs_few_differ_from_the_best_where_all_pairs_are_counted() -> None:
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(200):
        runs = (rng.random((20, 60)) < 0.6).astype(float)
        best, *others = sorted(runs, key=lambda run: -run.sum())
        rejected += min(permutation_p((run - best).tolist()) for run in others) * 20 * 19 / 2 < 0.05
    assert rejected <= 0.05 * 200


def test_rounding_does_not_separate_equal_sums() -> None:
    # 0.1 + 0.2 is not 0.3 in binary, yet all signs alike must count as extreme as observed
    assert permutation_p([0.1, 0.2, 0.3]) == 2 / 8


def test_holm_multiplies_by_the_tests_left_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_what_was_not_tested_stays_none_and_is_not_counted() -> None:
    assert holm([None, 0.02, None]) == [None, 0.02, None]


def test_the_same_seed_gives_the_same_p() -> None:
    values = np.random.default_rng(3).random(100).tolist()
    assert permutation_p(values, seed=7) == permutation_p(values, seed=7)


def test_the_smallest_detectable_difference_by_hand() -> None:
    # s of 50 ones and 50 minus ones is 1.00504; t of 99 degrees of freedom is 1.9842 at 97.5 % and 0.8452 at 80 %
    assert smallest_detectable([1.0, -1.0] * 50) == pytest.approx((1.9842 + 0.8452) * 1.00504 / 10, abs=1e-4)


@pytest.mark.parametrize("differences", [[], [1.0], [0.0] * 9, [0.5] * 9])
def test_differences_that_do_not_vary_leave_the_detectable_difference_unknown(differences: list[float]) -> None:
    assert smallest_detectable(differences) is None


def test_no_difference_of_five_questions_can_be_significant_so_none_is_detectable() -> None:
    five = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert permutation_p(five) == 2 / 32 > 0.05 and smallest_detectable(five) is None
    assert permutation_p([*five, 0.6]) == 2 / 64 < 0.05 and smallest_detectable([*five, 0.6]) is not None


def test_each_of_several_samples_has_the_p_that_it_has_alone_under_the_same_tosses() -> None:
    generator = np.random.default_rng(5)
    many = [generator.normal(0.1, 1.0, size) for size in (80, 80, 600)]
    few = [generator.integers(-2, 4, 60).astype(np.float64) for _ in range(2)]
    samples = [*many, *few, np.ones(40), np.zeros(3), generator.normal(size=9)]
    assert permutation_ps(samples) == [permutation_p(sample) for sample in samples]
    # Of many sizes each has its own sign, as drawn by numpy's generator.
    for sample in many:
        signs = 1.0 - 2.0 * np.random.default_rng(0).integers(0, 2, size=(TOSSES, sample.size), dtype=np.int8)
        extreme = np.count_nonzero(np.abs(signs @ np.abs(sample)) >= abs(not_zero(sample).sum()))
        assert permutation_p(sample) == pytest.approx((extreme + 1) / (TOSSES + 1), abs=1e-9)
