"""The luck gauge: no luck among copies, its size among noisy ones, and a gain beyond it."""

import numpy as np
import pytest

from workbench.core.errors import UsageError
from workbench.optimise.selection.chance import luck_gauge
from workbench.optimise.selection.greedy_path import GreedyPath, PathStep


def names(count: int) -> list[str]:
    return [f"question {number}" for number in range(count)]


def noisy(recipes: int, questions: int, seed: int, gain: float = 0.0) -> np.ndarray:
    rates = np.full(recipes, 0.5)
    rates[0] += gain
    return (np.random.default_rng(seed).random((recipes, questions)) < rates[:, None]).astype(float)


def test_thirty_copies_gain_nothing_and_have_no_luck() -> None:
    answers = (np.random.default_rng(1).random(92) < 0.6).astype(float)
    gauge = luck_gauge(np.tile(answers, (30, 1)), names(92))
    assert (gauge.gain, gauge.mean, gauge.high, gauge.p) == (0.0, 0.0, 0.0, 1.0)
    assert gauge.is_luck


def test_two_questions_show_no_gain_beyond_luck() -> None:
    # Chance gains as much in one search of four: each question's scores may be turned.
    gauge = luck_gauge(np.array([[1.0, 1.0], [0.0, 0.0]]), names(2))
    assert gauge.p > 0.05 and gauge.is_luck


def test_thirty_noisy_copies_seem_to_gain_and_luck_covers_it() -> None:
    gauges = [luck_gauge(noisy(30, 100, seed), names(100), draws=500) for seed in range(100, 120)]
    assert all(gauge.gain > 0.05 for gauge in gauges)
    assert sum(gauge.is_luck for gauge in gauges) >= 17
    gauge = gauges[0]
    # The expected maximum of 30 normal values is 2.04 standard deviations of .05.
    assert gauge.mean == pytest.approx(2.04 * 0.05, abs=0.015)


def test_a_recipe_that_is_better_gains_more_than_luck() -> None:
    gauge = luck_gauge(noisy(30, 100, 3, gain=0.3), names(100))
    assert gauge.recipe == 0
    assert not gauge.is_luck
    assert gauge.p < 0.01


def test_a_family_of_copies_has_the_luck_of_one_recipe() -> None:
    two = noisy(2, 200, 4)
    few, many = luck_gauge(two, names(200)), luck_gauge(np.repeat(two, 50, axis=0), names(200))
    assert many.mean == pytest.approx(few.mean)


def test_translations_are_one_draw() -> None:
    scores = np.repeat(noisy(10, 30, 5), 4, axis=1)
    single = luck_gauge(scores[:, ::4], names(30))
    groups = [name for name in names(30) for _ in range(4)]
    assert luck_gauge(scores, groups).high == pytest.approx(single.high)
    assert luck_gauge(scores, names(120)).high < 0.7 * single.high


def test_a_search_that_takes_a_fixed_recipe_has_no_luck_on_average() -> None:
    gauge = luck_gauge(noisy(30, 100, 6), names(100), lambda means: 7)
    assert gauge.recipe == 7
    assert gauge.mean == pytest.approx(0.0, abs=0.005)


def test_a_greedy_search_has_the_luck_of_its_own_path() -> None:
    scores, ranks = noisy(5, 100, 6), noisy(5, 100, 7)
    rows = ((0, 1, 2), (2, 3, 4))

    def path(metric: str) -> GreedyPath:
        steps = tuple(PathStep(row, row[0], row[-1], (metric,), "mean") for row in rows)
        return GreedyPath(4, (0, 1, 2, 3, 4), steps, {"goal": scores, "mrr": ranks})

    best, by_goal, by_other = (luck_gauge(scores, names(100), path=p) for p in (None, path("goal"), path("mrr")))
    # The best so far goes on to the next node: by the goal alone, luck is that of the best of all.
    assert by_goal.mean == pytest.approx(best.mean, abs=0.01)
    # Other metrics know nothing of the goal's luck, if they are independent of it.
    assert by_other.mean == pytest.approx(0.0, abs=0.005) and by_other.recipe == 4
    assert by_other.gain == pytest.approx(scores[4].mean() - scores.mean())


def test_gains_are_counted_from_a_reference() -> None:
    scores = noisy(3, 50, 7)
    gauge = luck_gauge(scores, names(50), reference=1)
    assert gauge.gain == pytest.approx(scores.mean(axis=1).max() - scores[1].mean())


def test_what_has_no_luck_to_measure_is_refused() -> None:
    with pytest.raises(UsageError, match="two or more questions"):
        luck_gauge(np.zeros((2, 2)), ["a", "a"])
    with pytest.raises(UsageError, match="no score for any question"):
        luck_gauge(np.array([[1.0, 0.0], [np.nan, np.nan]]), names(2))
    with pytest.raises(UsageError, match="one of 2 recipes"):
        luck_gauge(np.zeros((2, 2)), names(2), reference=2)
