"""Exact match and F1, worked by hand."""

import unicodedata

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.em_f1 import em, f1

EN, ZH, FR, TH = (language(code) for code in ("en", "zh", "fr", "th"))


@pytest.mark.parametrize(
    ("answer", "gold", "code", "expected"),
    [
        ("The Eiffel Tower.", "eiffel tower", "en", 1.0),
        ("Eiffel Tower, Paris", "Eiffel Tower", "en", 0.0),
        ("北京 市", "北京市", "zh", 1.0),
        ("北京。", "北京", "zh", 1.0),
        ("", "Paris", "en", 0.0),
        # punctuation is deleted, as in SQuAD, and separates no words
        ("U.S.", "US", "en", 1.0),
        ("1,000", "1000", "en", 1.0),
        ("O’Brien", "O'Brien", "en", 1.0),
        ("co-op", "co op", "en", 0.0),
        ("«Правда»", "Правда", "ru", 1.0),
        ("¿Qué?", "qué", "es", 1.0),
        ("١٩٤٧،", "١٩٤٧", "ar", 1.0),
        ("北京·中国", "北京中国", "zh", 1.0),
        # elided articles are articles
        ("l'Italia", "Italia", "it", 1.0),
        ("(l’Italia)", "Italia", "it", 1.0),
        ("un'ora", "ora", "it", 1.0),
        ("l'eau", "l’eau", "fr", 1.0),
        ("aujourd'hui", "aujourd’hui", "fr", 1.0),
    ],
)
def test_an_exact_match_is_one_of_normalised_texts(answer: str, gold: str, code: str, expected: float) -> None:
    assert em(answer, [gold], language=language(code)).value == expected


def test_f1_weighs_shared_tokens() -> None:
    # 1 shared of 2 and of 1: P 1/2, R 1
    assert f1("Paris France", ["Paris"], language=EN).value == pytest.approx(2 / 3)
    # "la la land" and "la land": la once, land once shared
    assert f1("la la land", ["la land"], language=EN).value == pytest.approx(4 / 5)


def test_chinese_and_thai_are_compared_by_character() -> None:
    # 答案是北京 against 北京: 2 shared of 5 and of 2
    assert f1("答案是北京。", ["北京"], language=ZH).value == pytest.approx(4 / 7)
    assert f1("กรุงเทพ", ["กรุงเทพ"], language=TH).value == 1.0


def test_composed_and_decomposed_letters_agree() -> None:
    assert em(unicodedata.normalize("NFD", "café"), ["café"], language=FR).value == 1.0
    assert f1(unicodedata.normalize("NFD", "le café"), ["café"], language=FR).value == 1.0


@pytest.mark.parametrize("golds", [["The"], ["?"], ["the", "…"], ["  "], ["a ! an"], []])
def test_golds_of_which_nothing_is_left_leave_the_answer_unscored(golds: list[str]) -> None:
    for metric in (em, f1):
        score = metric("The", golds, language=EN)
        assert score.value is None and "No gold" in score.reason


def test_the_best_gold_counts() -> None:
    assert em("four", ["4", "Four"], language=EN).value == 1.0
    assert f1("four", ["4", "four or five"], language=EN).value == pytest.approx(1 / 2)
