"""METEOR by exact and stem matches, worked by hand."""

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.ngram_overlap import meteor

EN, RU, ZH, VI = (language(code) for code in ("en", "ru", "zh", "vi"))


def test_identical_texts_have_one_chunk() -> None:
    # six words in one chunk: 1 - 0.5 (1/6)^3
    assert meteor("the cat sat on the mat", ["the cat sat on the mat"], language=EN).value == pytest.approx(
        1 - 0.5 / 216
    )


def test_one_identical_word_has_a_half_because_the_formula_is_for_sentences() -> None:
    assert meteor("Paris", ["paris"], language=EN).value == pytest.approx(0.5)


def test_recall_weighs_nine_times_as_much_as_precision() -> None:
    # two of four words of the answer, both of the gold, one chunk: P 1/2, R 1
    score = meteor("it is blue cheese", ["blue cheese"], language=EN).value
    assert score == pytest.approx((1 - 0.5 / 8) * 0.5 / (0.9 * 0.5 + 0.1 * 1))


def test_words_with_one_stem_match_where_the_language_has_a_stemmer() -> None:
    assert meteor("cats", ["cat"], language=EN).value == pytest.approx(0.5)
    assert meteor("башни", ["башня"], language=RU).value == pytest.approx(0.5)
    assert meteor("cats", ["cat"], language=VI).value == 0.0


def test_synonyms_do_not_match() -> None:
    assert meteor("car", ["automobile"], language=EN).value == 0.0


def test_chinese_is_matched_by_character() -> None:
    assert meteor("北京", ["北京"], language=ZH).value == pytest.approx(1 - 0.5 / 8)


def test_golds_of_which_nothing_is_left_leave_the_answer_unscored() -> None:
    assert meteor("The", ["The", "?"], language=EN).value is None


def test_an_empty_answer_has_nothing() -> None:
    assert meteor("", ["Paris"], language=EN).value == 0.0
