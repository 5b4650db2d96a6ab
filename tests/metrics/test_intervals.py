"""Intervals of means: by hand, at the edges, over questions with several answers, and how often they hold the mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from workbench.metrics.statistics.intervals import Interval, clustered_interval, influences, mean_interval

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
SHARES = st.floats(0, 1, width=32)
SAMPLES = 400


def interval(values: list[float] | Floats, **more: float) -> Interval:
    bounds = mean_interval(values, **more)
    assert bounds is not None
    return bounds


def test_no_value_and_one_value_have_no_interval() -> None:
    assert mean_interval([]) is None
    assert mean_interval([0.5]) is None


def test_right_and_wrong_have_wilsons_interval_by_hand() -> None:
    bounds = interval([1.0] * 8 + [0.0] * 2)
    # z² = 3.8415: (0.8 + 0.19207 ± 1.96 √(0.016 + 0.0096)) / 1.38415
    assert (bounds.low, bounds.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_other_values_count_as_many_answers_as_their_variance_by_hand() -> None:
    bounds = interval([0.0, *[0.5] * 18, 1.0])
    # s² = 0.5 / 19, n* = 0.25 · 20 · 19 / 0.5 = 190, t = 2.0930, t² = 4.3807, r⁴ = 0.0001:
    # (0.5 + 0.011528 ± 2.0930 √(0.25/190 + 4.3807/144400)) / 1.023056
    assert (bounds.low, bounds.high) == pytest.approx((0.4250, 0.5750), abs=2e-4)


@pytest.mark.parametrize("n", [10, 29, 30, 60])
@pytest.mark.parametrize("value", [0.0, 0.5, 0.9, 1.0])
def test_a_hair_s_breadth_between_values_changes_an_interval_by_no_more(value: float, n: int) -> None:
    equal, nearly = interval([value] * n), interval([value] * (n - 1) + [abs(value - 1e-4)])
    assert (equal.low, equal.high) == pytest.approx((nearly.low, nearly.high), abs=3e-4)


def test_nearly_right_and_wrong_have_nearly_wilsons_interval() -> None:
    exact, nearly = interval([1.0] * 8 + [0.0] * 2), interval([1.0] * 8 + [0.0, 1e-4])
    assert (exact.low, exact.high) == pytest.approx((nearly.low, nearly.high), abs=3e-4)


def test_ten_right_of_ten_may_still_be_wrong_sometimes() -> None:
    bounds = interval([1.0] * 10)
    # z² / (n + z²) = 3.8415 / 13.8415
    assert (bounds.low, bounds.high) == pytest.approx((1 - 0.27753, 1.0), abs=1e-4)
    assert interval([0.0] * 10).high == pytest.approx(0.27753, abs=1e-4)


def test_equal_values_may_differ_at_either_end_on_unseen_questions() -> None:
    # 0.27753 of the questions at 0 instead of 0.4, or at 1
    bounds = interval([0.4] * 10)
    assert (bounds.low, bounds.high) == pytest.approx((0.4 * (1 - 0.27753), 0.4 + 0.6 * 0.27753), abs=1e-4)


def test_of_many_questions_it_is_the_bootstrap_s_expansion_by_hand() -> None:
    bounds = interval([1.0] * 36 + [0.0] * 4)
    # s = 0.3, γ = −0.8 / 0.3, error = 0.3 / √40 = 0.047434, shift = γ · 2.84146 / (6 · √40) = −0.19968
    assert (bounds.low, bounds.high) == pytest.approx((0.9 + 0.047434 * (-0.19968 - 1.95996), 0.983498), abs=1e-5)


def test_the_interval_of_another_scale_is_that_of_shares_stretched() -> None:
    shares = [0.25, 0.5, 1.0, 0.75, 0.5, 0.0]
    plain, marks = interval(shares), interval([1 + 4 * value for value in shares], low=1, high=5)
    assert (marks.low, marks.high) == pytest.approx((1 + 4 * plain.low, 1 + 4 * plain.high))


def test_the_lowest_mark_is_not_a_full_share() -> None:
    assert interval([1.0] * 10, low=1, high=5).low == 1.0


def test_recipes_that_never_differed_may_differ_on_unseen_questions() -> None:
    bounds = interval([0.0] * 10, low=-1, high=1)
    assert (bounds.low, bounds.high) == pytest.approx((-0.27753, 0.27753), abs=1e-4)


def test_some_questions_of_many_give_the_width_of_all_around_the_mean_of_all() -> None:
    values = np.random.default_rng(2).random(4_000)
    full, some = interval(values), interval(values[::10], share=0.1, mean=float(values.mean()))
    assert some.high - some.low == pytest.approx(full.high - full.low, rel=0.1)
    assert some.high + some.low == pytest.approx(full.high + full.low, rel=0.001)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_the_interval_lies_on_the_scale_and_holds_the_mean(values: list[float]) -> None:
    bounds = interval(values)
    assert 0 <= bounds.low <= np.mean(values) + 1e-12 and np.mean(values) - 1e-12 <= bounds.high <= 1


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=60))
def test_values_outside_their_scale_still_have_an_interval_that_holds_their_mean(values: list[float]) -> None:
    bounds = interval(values)
    assert bounds.low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= bounds.high


@given(arrays(np.float64, st.integers(1, 30), elements=SHARES))
def test_questions_with_one_answer_each_are_their_influence(values: Floats) -> None:
    assert influences(values, np.ones_like(values)) == pytest.approx(values, abs=1e-12)


@given(st.lists(st.lists(SHARES, min_size=1, max_size=6), min_size=1, max_size=20))
def test_the_mean_is_that_of_all_answers(questions: list[list[float]]) -> None:
    sums = np.array([sum(values) for values in questions])
    sizes = np.array([float(len(values)) for values in questions])
    assert influences(sums, sizes).mean() == pytest.approx(np.mean(np.concatenate(questions)), abs=1e-9)


@given(arrays(np.float64, st.integers(2, 30), elements=SHARES), st.integers(2, 13))
def test_copies_of_the_same_answers_add_no_information(values: Floats, copies: int) -> None:
    many = influences(values * copies, np.full(values.size, float(copies)))
    assert many == pytest.approx(values, abs=1e-9)


def test_the_interval_is_that_of_drawing_complete_questions() -> None:
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 14, size=200).astype(float)
    hard = rng.beta(0.6, 0.6, size=200)
    sums = rng.binomial(sizes.astype(int), hard).astype(float)
    picks = rng.integers(0, 200, size=(20_000, 200))
    means = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    bounds = interval(influences(sums, sizes))
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=0.05 * (high - low))
    alone = interval([1.0] * int(sums.sum()) + [0.0] * int((sizes - sums).sum()))
    assert (high - low) > 1.5 * (alone.high - alone.low)


def _right(probability: float) -> Draw:
    return lambda rng, n: (rng.random(n) < probability).astype(np.float64)


def _mostly_full(rng: np.random.Generator, n: int) -> Floats:
    return np.where(rng.random(n) < 0.8, 1.0, rng.beta(1, 2, n))


def _in_languages(rng: np.random.Generator, n: int) -> Floats:
    """Questions of differing difficulty, each in one to thirteen languages."""
    sizes = rng.binomial(12, 0.6, n) + 1
    right = rng.binomial(sizes, rng.beta(1, 2, n))
    return influences(right.astype(np.float64), sizes.astype(np.float64))


def _tight(share: float, end: float, centre: float) -> Draw:
    """Values around `centre`, of which a `share` lies at `end` instead."""
    return lambda rng, n: np.where(rng.random(n) < share, end, rng.normal(centre, 0.01, n))


RARE: dict[str, tuple[Draw, float]] = {
    "1 of 20 at 0": (_tight(0.05, 0.0, 0.9), 0.855),
    "1 of 10 at 0": (_tight(0.1, 0.0, 0.9), 0.81),
    "1 of 50 at 0": (_tight(0.02, 0.0, 0.9), 0.882),
    "3 of 100 at 1": (_tight(0.03, 1.0, 0.3), 0.321),
    "1 of 20 at the middle": (_tight(0.05, 0.5, 0.9), 0.88),
}
SIZES = (5, 10, 20, 30, 60, 300)
KINDS: dict[str, tuple[Draw, float]] = {
    "right 0.5": (_right(0.5), 0.5),
    "right 0.8": (_right(0.8), 0.8),
    "right 0.95": (_right(0.95), 0.95),
    "beta low": (lambda rng, n: rng.beta(0.5, 1, n), 1 / 3),
    "beta high": (lambda rng, n: rng.beta(5, 2, n), 5 / 7),
    "mostly 1": (_mostly_full, 0.8 + 0.2 / 3),
    "languages": (_in_languages, 1 / 3),
}


@cache
def _coverage(kind: str, n: int) -> float:
    """The share of samples whose interval holds the mean; simulated once for all tests that read it."""
    draw, mean = {**KINDS, **RARE}[kind]
    rng = np.random.default_rng(n)
    intervals = (interval(draw(rng, n)) for _ in range(SAMPLES))
    return float(np.mean([bounds.low <= mean <= bounds.high for bounds in intervals]))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", [*KINDS, *RARE])
def test_at_least_90_of_100_intervals_hold_the_mean_even_of_few_questions(kind: str, n: int) -> None:
    # Shares of right and wrong answers jump with n, and coverage with them.
    assert _coverage(kind, n) >= 0.9


def test_on_average_95_of_100_do() -> None:
    assert np.mean([_coverage(kind, n) for kind in KINDS for n in SIZES]) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("n", SIZES)
def test_intervals_of_differences_hold_as_often(n: int) -> None:
    rng = np.random.default_rng(n)
    # better with probability 0.3, worse with 0.1
    samples = (rng.choice([-1.0, 0.0, 1.0], n, p=[0.1, 0.6, 0.3]) for _ in range(SAMPLES))
    covers = [bounds.low <= 0.2 <= bounds.high for bounds in (interval(values, low=-1, high=1) for values in samples)]
    assert sum(covers) >= 0.9 * SAMPLES


def test_translations_of_a_question_are_drawn_together_as_in_a_bootstrap_of_clusters() -> None:
    generator = np.random.default_rng(4)
    difficulty = generator.random(120)
    right = {(q, n): float(generator.random() < difficulty[q]) for q in range(120) for n in range(1 + q % 8)}
    bounds = clustered_interval(list(right.values()), [question for question, _ in right])
    clusters = [[value for (q, _), value in right.items() if q == question] for question in range(120)]
    means = []
    for draw in generator.integers(0, 120, (4000, 120)):
        drawn = [value for question in draw for value in clusters[question]]
        means.append(sum(drawn) / len(drawn))
    low, high = np.quantile(means, (0.025, 0.975))
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=0.01)
    plain = interval(list(right.values()))
    assert bounds.high - bounds.low > 1.3 * (plain.high - plain.low)


def test_one_cluster_has_no_interval() -> None:
    assert clustered_interval([1.0, 0.0], ["q", "q"]) is None


@pytest.mark.parametrize("value", [float("inf"), 1e308, -1e308, 1e160])
def test_infinite_and_huge_values_have_no_interval(value: float) -> None:
    for values in ([value, 1.0], [value, 1.0, 2.0], [value, -value, 0.5], [*[value] * 20, *[0.0] * 20]):
        assert mean_interval(values) is None
        assert clustered_interval([*values, value], ["a", "a", *"bcdefghi" * 5][: len(values) + 1]) is None
