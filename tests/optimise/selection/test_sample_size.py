"""How many questions: the textbook's numbers, monotone in what matters, and back again."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from workbench.core.errors import UsageError
from workbench.optimise.selection.chance import groups_needed, pilot_spread, visible_gain


def names(count: int) -> list[str]:
    return [f"question {number}" for number in range(count)]


def test_two_recipes_need_the_number_of_the_textbook() -> None:
    # A paired t test of half a standard deviation: 34 pairs for power .8 at .05, two-sided.
    assert groups_needed(1.0, 0.5, 2) == 34


@given(st.floats(0.05, 1.0), st.floats(0.02, 0.5), st.integers(2, 300))
def test_more_recipes_smaller_gains_and_a_winner_need_more_questions(spread: float, gain: float, recipes: int) -> None:
    size = groups_needed(spread, gain, recipes)
    assert size <= groups_needed(spread, gain, recipes + 1)
    assert size <= groups_needed(spread, gain * 0.9, recipes)
    assert size <= groups_needed(spread, gain, recipes, winner=True)
    shown = visible_gain(spread, size, recipes)
    assert shown is not None and shown <= gain


def test_copies_need_as_many_questions_as_any_test_of_signs() -> None:
    assert groups_needed(0.0, 0.1, 2) == 6
    assert visible_gain(0.5, 5, 2) is None


def test_the_spread_of_a_pilot_is_that_of_paired_differences() -> None:
    scores = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    spread = pilot_spread(scores, names(4))
    assert spread.value == pytest.approx(np.std([1, 0, 0, -1], ddof=1))
    assert spread.high > spread.value
    assert (spread.groups, spread.questions) == (4, 1.0)


def test_translations_of_a_pilot_count_once() -> None:
    scores = np.repeat(np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]]), 3, axis=1)
    spread = pilot_spread(scores, [name for name in names(4) for _ in range(3)])
    assert spread.value == pytest.approx(np.std([1, 0, 0, -1], ddof=1))
    assert spread.questions == 3.0


def test_the_upper_limit_covers_the_true_spread_in_four_of_five_pilots() -> None:
    rng = np.random.default_rng(1)
    covers = [pilot_spread(rng.normal(size=(2, 20)), names(20)).high >= np.sqrt(2) for _ in range(300)]
    assert 0.73 <= np.mean(covers) <= 0.87


def test_what_no_search_can_ask_is_refused() -> None:
    for arguments, words in (
        ((0.5, 0.0, 2), "above 0"),
        ((-1.0, 0.1, 2), "not negative"),
        ((0.5, 0.1, 1), "two or more recipes"),
        ((0.5, 1e-6, 2), "too small"),
        ((float("inf"), 0.1, 2), "too small"),
        ((1e308, 5e-324, 2), "too small"),
        ((1.0, 5e-324, 2), "too small"),
    ):
        with pytest.raises(UsageError, match=words):
            groups_needed(*arguments)
    with pytest.raises(UsageError, match="larger one"):
        pilot_spread(np.zeros((2, 2)), names(2))
