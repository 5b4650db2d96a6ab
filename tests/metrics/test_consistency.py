"""Measures of pairs of answers: their limits, what leaves a pair unscored, and the published definition of RBO."""

from __future__ import annotations

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.consistency import answer_overlap, both_right, same_order, shared_documents

ENGLISH = language("en")


def test_two_right_answers_agree() -> None:
    assert both_right(True, True).value == 1.0


def test_a_right_and_a_wrong_answer_do_not_agree() -> None:
    assert both_right(False, True).value == 0.0


@pytest.mark.parametrize(("first", "second"), [(False, False), (None, True), (False, None)])
def test_without_a_right_answer_or_a_gold_nothing_is_known(first: bool | None, second: bool | None) -> None:
    score = both_right(first, second)
    assert score.value is None
    assert score.reason


def test_the_mean_is_the_share_of_right_pairs_in_which_both_are_right() -> None:
    pairs = [(True, True), (True, False), (False, True), (False, False)]
    values = [value for one, other in pairs if (value := both_right(one, other).value) is not None]
    assert sum(values) / len(values) == pytest.approx(1 / 3)


def test_overlap_is_symmetric() -> None:
    one, other = "Marconi built the first radio", "It was Marconi"
    assert answer_overlap(one, other, language=ENGLISH) == answer_overlap(other, one, language=ENGLISH)


def test_an_answer_that_contains_the_other_agrees_by_half_or_more() -> None:
    value = answer_overlap("Marconi", "It was Marconi who did that", language=ENGLISH).value
    assert value is not None
    assert 0.5 <= value < 1.0


def test_answers_without_a_common_gram_do_not_overlap() -> None:
    assert answer_overlap("Marconi", "Tesla", language=ENGLISH).value == 0.0


def test_an_empty_answer_is_unscored_and_not_zero() -> None:
    assert answer_overlap("Marconi", "", language=ENGLISH).value is None


@pytest.mark.parametrize("answer", ["a", "!!!"])
def test_an_answer_without_a_word_is_not_called_empty(answer: str) -> None:
    assert answer_overlap(answer, "Marconi", language=ENGLISH).reason == "One of the answers has no word to compare."


def test_shared_documents_are_a_share_of_all_documents() -> None:
    assert shared_documents(["a", "b", "c"], ["c", "b", "d"]).value == pytest.approx(0.5)


@pytest.mark.parametrize("measure", [shared_documents, same_order])
def test_an_answer_without_documents_is_unscored(measure: object) -> None:
    assert measure([], ["a"]).value is None  # type: ignore[operator]


def test_the_same_rankings_are_in_the_same_order() -> None:
    assert same_order(list("abcde"), list("abcde")).value == pytest.approx(1.0)


def test_a_difference_at_the_top_costs_more_than_one_at_the_end() -> None:
    top, end = same_order(list("abcd"), list("xbcd")).value, same_order(list("abcd"), list("abcx")).value
    assert top is not None
    assert end is not None
    assert top < end


def test_rankings_of_one_length_agree_with_the_formula_for_them() -> None:
    # Webber et al. (2010), equation 30: X_k / k · p^k + (1 − p) / p · Σ X_d / d · p^d
    one, other, p = list("abc"), list("bad"), 0.9
    overlaps = [len(set(one[:depth]) & set(other[:depth])) for depth in (1, 2, 3)]
    terms = sum(overlap / depth * p**depth for depth, overlap in enumerate(overlaps, 1))
    assert same_order(one, other).value == pytest.approx(overlaps[-1] / 3 * p**3 + (1 - p) / p * terms)


def test_rankings_of_unequal_length_agree_with_the_formula_worked_by_hand() -> None:
    # Webber et al. (2010), equation 32, with S = b, L = a b, s = 1, l = 2, X_1 = 0, X_2 = 1 and p = 0.9:
    # 0.1 / 0.9 · (0 + 1/2 · 0.81 + 0) + ((1 − 0) / 2 + 0) · 0.81 = 0.045 + 0.405
    assert same_order(["b"], ["a", "b"]).value == pytest.approx(0.45)


def test_a_ranking_that_goes_on_longer_in_the_same_order_agrees_fully() -> None:
    assert same_order(list("ab"), list("abcd")).value == pytest.approx(1.0)


def test_a_repeated_document_counts_at_its_first_place() -> None:
    assert same_order(["a", "a", "b"], ["a", "b"]).value == pytest.approx(1.0)
