"""The share of an answer's words in another script or language, counted by hand."""

import pytest

from workbench.languages.catalogue import language
from workbench.languages.detection import Detection
from workbench.metrics.answers.answer_language import code_switch


def unsure(text: str, code: str) -> Detection:
    return Detection("", 0.0, "")


@pytest.mark.parametrize(
    ("answer", "code", "expected"),
    [
        ("Это сделал Guglielmo Marconi", "ru", 2 / 4),
        ("Это сделал Гульельмо Маркони", "ru", 0.0),
        ("Marconi", "ru", 1.0),
        # 答案是 is one and a half words
        ("答案是 Marconi", "zh", 1 / 2.5),
        # kanji and kana are both Japanese: 東京はNHK is a word and a half of these and NHK
        ("東京はNHK", "ja", 1 / 2.5),
        ("에펠탑은 Paris 에 있다", "ko", 1 / 4),
        ("The answer is 北京", "en", 1 / 4),
        ("В 1895 году", "ru", 0.0),
    ],
)
def test_words_in_another_script_are_counted(answer: str, code: str, expected: float) -> None:
    assert code_switch(answer, language=language(code), identify=unsure).value == pytest.approx(expected)


def test_a_sentence_in_another_language_of_the_same_script_counts_completely() -> None:
    answer = "Torni on korkea ja vanha rakennus. The tower was built in the last century."
    # six words of Finnish, eight of English
    assert code_switch(answer, language=language("fi")).value == pytest.approx(8 / 14)


def test_an_unsure_detector_changes_nothing() -> None:
    def guess(text: str, code: str) -> Detection:
        return Detection("en", 0.3, "Latn")

    assert code_switch("Torni on korkea ja vanha rakennus.", language=language("fi"), identify=guess).value == 0.0


@pytest.mark.parametrize("answer", ["", "1895", "…?!"])
def test_an_answer_without_words_is_unscored(answer: str) -> None:
    assert code_switch(answer, language=language("ru")).value is None


def test_a_language_of_which_neither_script_nor_words_are_known_is_unscored_and_not_always_clean() -> None:
    hausa = "Ina son in je kasuwa gobe da safe tare da abokina domin sayen kaya. Москва"
    score = code_switch(hausa, language=language("ha"))
    assert score.value is None and "“ha”" in score.reason


def test_a_language_without_a_label_is_judged_by_its_script_only() -> None:
    sentence = "This is a long sentence in plain English words."
    assert code_switch(sentence, language=language("fi"), identify=lambda text, code: None).value == 0.0
    assert code_switch(sentence, language=language("ru"), identify=lambda text, code: None).value == 1.0


def test_a_sentence_in_a_neighbouring_language_is_switched() -> None:
    ukrainian = "Вежу збудували минулого століття на березі великої річки."
    assert code_switch(ukrainian, language=language("ru")).value == 1.0
    assert code_switch(ukrainian, language=language("uk")).value == 0.0
