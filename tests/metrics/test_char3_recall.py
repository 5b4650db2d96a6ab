"""Character 3-gram recall, with expected values counted by hand."""

import unicodedata

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.char3_recall import char3_recall, char3_recall_paper, char3_recall_romanised

EN, ZH, TH, RU, FR = (language(code) for code in ("en", "zh", "th", "ru", "fr"))


def test_the_papers_example_is_nine_of_thirteen_grams() -> None:
    assert char3_recall_paper("Sofia Kovalevskaia", ["Sofya Kovalevskaya"]).value == pytest.approx(9 / 13)
    assert char3_recall("sofia kovalevskaia", ["sofya kovalevskaya"], language=EN).value == pytest.approx(9 / 13)


def test_a_chinese_gold_inside_a_sentence_counts_fully_here_and_not_at_all_in_the_paper() -> None:
    assert char3_recall("答案是北京。", ["北京"], language=ZH).value == 1.0
    assert char3_recall_paper("答案是北京。", ["北京"]).value == 0.0


def test_composed_and_decomposed_letters_agree() -> None:
    answer = unicodedata.normalize("NFD", "un café")
    assert char3_recall(answer, ["Café"], language=FR).value == 1.0


def test_the_articles_of_the_answers_language_do_not_count() -> None:
    assert char3_recall("tour", ["la Tour"], language=FR).value == 1.0


def test_white_space_in_a_script_without_spaces_does_not_matter() -> None:
    assert char3_recall("กรุงเทพ มหานคร", ["กรุงเทพมหานคร"], language=TH).value == 1.0


def test_a_year_next_to_chinese_characters_is_a_separate_token() -> None:
    assert char3_recall("建于1895年。", ["1895年"], language=ZH).value == 1.0


def test_a_repeated_gram_must_be_repeated_in_the_answer() -> None:
    # "aaaa" has the gram aaa twice, "aaa" once
    assert char3_recall("aaa", ["aaaa"], language=EN).value == pytest.approx(1 / 2)


def test_the_best_gold_counts() -> None:
    assert char3_recall("four", ["4", "four"], language=EN).value == 1.0


def test_golds_that_normalise_to_nothing_leave_the_answer_unscored() -> None:
    score = char3_recall("anything", ["…", "the"], language=EN)
    assert score.value is None and "No gold" in score.reason


def test_an_empty_answer_recalls_nothing() -> None:
    assert char3_recall("", ["Paris"], language=EN).value == 0.0


def test_romanisation_forgives_the_script_of_a_name() -> None:
    assert char3_recall("Попов", ["Popov"], language=RU).value == 0.0
    assert char3_recall_romanised("Попов", ["Popov"], language=RU).value == 1.0
