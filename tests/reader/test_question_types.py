"""Question types in the thirteen languages, and their data."""

import pytest

from workbench.reader.question_types import holds_answer, question_type


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("When was it built?", "en", "when"),
        ("How many people live there?", "en", "number"),
        ("كم عدد السكان؟", "ar", "number"),
        ("谁发明了电话？", "zh", "who"),
        ("Où est la tour ?", "fr", "where"),
        ("Milloin talo rakennettiin?", "fi", "when"),
        ("Wann wurde er gebaut?", "de", "when"),
        ("Chi ha inventato la radio?", "it", "who"),
        ("電話を発明したのは誰ですか", "ja", "who"),
        ("언제 지어졌습니까?", "ko", "when"),
        ("Quem inventou o rádio?", "pt", "who"),
        ("Сколько людей там живёт?", "ru", "number"),
        ("¿Dónde está?", "es", "where"),
        ("ใครประดิษฐ์โทรศัพท์", "th", "who"),
        ("What is tea?", "en", ""),
        ("The whole story", "en", ""),
        ("Warum werden sie so genannt?", "de", ""),
        ("من اخترع الراديو؟", "ar", "who"),
        ("أين يقع من المدينة؟", "ar", "where"),
        ("누구를 만났습니까?", "ko", "who"),
        ("Nani?", "sw", ""),
    ],
)
def test_the_words_of_a_question_show_its_type(question: str, language: str, kind: str) -> None:
    assert question_type(question, language) == kind


def test_numbers_answer_how_many_and_names_answer_who() -> None:
    assert holds_answer("number", "They were 12.", "en") and not holds_answer("number", "They were many.", "en")
    assert holds_answer("who", "It was Marconi.", "en") and not holds_answer("who", "It was made.", "en")
    assert holds_answer("when", "ในปี ๑๘๙๕", "th")
