"""ROUGE in every script, worked by hand."""

import unicodedata

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.ngram_overlap import rouge_l, rouge_n

EN, FR = language("en"), language("fr")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("埃菲尔铁塔位于巴黎。", "zh"),
        ("Эйфелева башня находится в Париже.", "ru"),
        ("برج إيفل في باريس", "ar"),
        ("หอไอเฟลอยู่ที่ปารีส", "th"),
        ("एफिल टॉवर पेरिस में है", "hi"),
        ("에펠탑은 파리에 있다", "ko"),
    ],
)
def test_identical_texts_have_one_in_every_script(text: str, code: str) -> None:
    known = language(code)
    assert rouge_n(text, [text], 1, language=known).value == 1.0
    assert rouge_n(text, [text], 2, language=known).value == 1.0
    assert rouge_l(text, [text], language=known).value == 1.0


def test_words_pairs_and_order_count_apart() -> None:
    answer, gold = "police kill the gunman", "police killed the gunman"
    # three of four words; the pair "the gunman" of three pairs; "police the gunman" in order
    assert rouge_n(answer, [gold], 1, language=EN).value == pytest.approx(3 / 4)
    assert rouge_n(answer, [gold], 2, language=EN).value == pytest.approx(1 / 3)
    assert rouge_l(answer, [gold], language=EN).value == pytest.approx(3 / 4)
    # all words but in another order: the longest in order is "the gunman"
    assert rouge_l("the gunman police killed", [gold], language=EN).value == pytest.approx(2 / 4)


def test_composed_and_decomposed_letters_agree() -> None:
    assert rouge_l(unicodedata.normalize("NFD", "un café noir"), ["un café noir"], language=FR).value == 1.0


def test_a_gold_of_one_word_has_no_pairs_and_is_unscored() -> None:
    score = rouge_n("Paris", ["Paris"], 2, language=EN)
    assert score.value is None and "2 words" in score.reason


def test_golds_of_which_nothing_is_left_leave_the_answer_unscored() -> None:
    assert rouge_l("The", ["The", "?"], language=EN).value is None
    assert rouge_n("The", ["The", "?"], 1, language=EN).value is None


def test_an_empty_answer_has_nothing() -> None:
    assert rouge_l("", ["Paris"], language=EN).value == 0.0
    assert rouge_n("", ["Paris"], 1, language=EN).value == 0.0
