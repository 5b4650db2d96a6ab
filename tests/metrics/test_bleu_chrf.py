"""BLEU and chrF as fractions."""

import unicodedata

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.ngram_overlap import bleu, chrf

EN, FR = language("en"), language("fr")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("北京", "zh"),
        ("東京タワーは東京にある。", "ja"),
        ("หอไอเฟลอยู่ที่ปารีส", "th"),
        ("Эйфелева башня", "ru"),
        ("برج إيفل", "ar"),
        ("Paris", "en"),
    ],
)
def test_identical_texts_have_one_in_every_script(text: str, code: str) -> None:
    assert bleu(text, [text], language=language(code)).value == pytest.approx(1.0)
    assert chrf(text, [text], language=language(code)).value == pytest.approx(1.0)


def test_bleu_of_a_short_answer_uses_the_orders_it_has_and_the_brevity_penalty() -> None:
    # one word, right: precision 1, brevity exp(1 - 2/1)
    assert bleu("Tower", ["Eiffel Tower"], language=EN).value == pytest.approx(2.718281828**-1)


def test_chrf_of_letters_worked_by_hand() -> None:
    # "ab" in "abc": 1-grams P 1, R 2/3; 2-grams P 1, R 1/2; sacreBLEU averages the orders that both texts have
    precision, recall = 1.0, (2 / 3 + 1 / 2) / 2
    assert chrf("ab", ["abc"], language=EN).value == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_composed_and_decomposed_letters_agree() -> None:
    answer = unicodedata.normalize("NFD", "un café")
    assert bleu(answer, ["un café"], language=FR).value == pytest.approx(1.0)
    assert chrf(answer, ["un café"], language=FR).value == pytest.approx(1.0)


def test_golds_of_which_nothing_is_left_leave_the_answer_unscored() -> None:
    assert bleu("The", ["The", "?"], language=EN).value is None
    assert chrf("The", ["The", "?"], language=EN).value is None


def test_an_empty_answer_has_nothing() -> None:
    assert bleu("", ["Paris"], language=EN).value == 0.0
    assert chrf("", ["Paris"], language=EN).value == 0.0
