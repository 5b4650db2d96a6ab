"""The set not told apart from the best: small tables by hand, and what holds for all tables."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from workbench.core.errors import UsageError
from workbench.optimise.selection.paired_scores import PairedScores, TooFewQuestions, recipe_confidence_set

TABLES = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.sampled_from([0.0, 0.5, 1.0]))


def names(count: int) -> list[str]:
    return [f"question {number}" for number in range(count)]


def test_thirty_copies_are_all_in_the_set_and_none_is_a_winner() -> None:
    answers = (np.random.default_rng(1).random(92) < 0.6).astype(float)
    result = recipe_confidence_set(np.tile(answers, (30, 1)), names(92))
    assert sorted(result.members) == list(range(30))
    assert result.winner is None
    assert result.p_values == (1.0,) * 30


def test_p_is_the_share_of_all_choices_of_signs_for_two_recipes() -> None:
    # The first leads by 1 on 6 questions: 2 of 64 choices of signs are as far apart either way.
    result = recipe_confidence_set(np.array([[1.0] * 6, [0.0] * 6]), names(6))
    assert result.p_values == (1.0, 2 / 64)
    assert result.members == (0,)
    assert result.winner == 0
    assert result.excluded == 1


def test_five_questions_are_never_enough() -> None:
    assert recipe_confidence_set(np.array([[1.0] * 5, [0.0] * 5]), names(5)).winner is None


def test_translations_of_one_question_are_one_piece_of_evidence() -> None:
    scores = np.array([[1.0] * 12, [0.0] * 12])
    assert recipe_confidence_set(scores, names(12)).winner == 0
    assert recipe_confidence_set(scores, [name for name in names(3) for _ in range(4)]).winner is None


def test_the_cheapest_of_the_set_is_marked_and_not_a_cheaper_one_outside() -> None:
    rng = np.random.default_rng(2)
    good = (rng.random(100) < 0.8).astype(float)
    bad = (rng.random(100) < 0.1).astype(float)
    result = recipe_confidence_set(np.stack([good, bad, good, good]), names(100), [5.0, 1.0, 3.0, float("nan")])
    assert sorted(result.members) == [0, 2, 3]
    assert result.cheapest == 2


def test_a_copy_of_the_best_keeps_it_from_being_the_winner() -> None:
    table = np.array([[1.0] * 20, [0.0] * 20])
    assert recipe_confidence_set(table, names(20)).winner == 0
    doubled = recipe_confidence_set(table[[0, 1, 0]], names(20))
    assert doubled.members == (0, 2)
    assert doubled.winner is None


def test_recipes_are_compared_on_the_questions_that_both_have() -> None:
    # The first two have the hard half and the easy half; on no question do they differ from the third.
    scores = np.tile(np.array([0.0] * 10 + [1.0] * 10), (3, 1))
    scores[0, 10:], scores[1, :10] = np.nan, np.nan
    assert set(recipe_confidence_set(scores, names(20)).members) == {0, 1, 2}


def test_a_recipe_with_few_questions_does_not_lead() -> None:
    scores = np.tile(np.array([0.0, 1.0] * 10), (2, 1))
    scores[1, 0], scores[1, 2:] = 1.0, np.nan
    assert recipe_confidence_set(scores, names(20)).leader == 0


def test_with_and_without_a_gap_the_figures_are_nearly_the_same() -> None:
    rng = np.random.default_rng(3)
    scores = (rng.random((6, 80)) < np.linspace(0.3, 0.8, 6)[:, None]).astype(float)
    complete = recipe_confidence_set(scores, names(80))
    scores[0, 0] = np.nan
    gapped = recipe_confidence_set(scores, names(80))
    assert complete.members == gapped.members
    assert np.allclose(complete.p_values, gapped.p_values, atol=0.05)


def test_a_wrong_table_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="as many groups"):
        recipe_confidence_set(np.zeros((2, 3)), names(2))
    with pytest.raises(UsageError, match="recipes by questions"):
        recipe_confidence_set(np.zeros(3), names(3))
    with pytest.raises(TooFewQuestions, match="0 recipes on 3 questions"):
        recipe_confidence_set(np.zeros((0, 3)), names(3))
    with pytest.raises(UsageError, match="infinite"):
        recipe_confidence_set(np.array([[np.inf]]), names(1))
    with pytest.raises(UsageError, match="as many costs"):
        recipe_confidence_set(np.zeros((2, 3)), names(3), [1.0])
    with pytest.raises(UsageError, match="level of error"):
        recipe_confidence_set(np.zeros((2, 3)), names(3), alpha=5)


@settings(max_examples=60, deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_recipes_and_questions_does_not_matter(scores: np.ndarray, random: object) -> None:
    rng = np.random.default_rng(abs(hash(scores.tobytes())) % 1000)
    rows, columns = rng.permutation(scores.shape[0]), rng.permutation(scores.shape[1])
    one = recipe_confidence_set(scores, names(scores.shape[1]))
    other = recipe_confidence_set(scores[rows][:, columns], names(scores.shape[1]))
    assert {int(rows[member]) for member in other.members} == set(one.members)


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_the_best_mean_is_always_in_the_set_and_leads_it(scores: np.ndarray) -> None:
    result = recipe_confidence_set(scores, names(scores.shape[1]))
    assert scores.mean(axis=1)[result.leader] == pytest.approx(scores.mean(axis=1).max())
    assert result.members[0] == result.leader
    assert len(set(result.members)) == len(result.members)


def test_relative_means_do_not_reward_easy_questions() -> None:
    table = PairedScores(np.array([[0.0, 1.0], [np.nan, 1.0]]), names(2))
    assert table.means.tolist() == [0.5, 1.0]
    assert table.relative_means.tolist() == [0.0, 0.0]
