"""Question types in the thirteen languages, and their data."""

import pytest

from workbench.data.corpora import sample
from workbench.pipeline.reader.values import question_type


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
        ("How hot is a sauna?", "en", "number"),
        ("Wie heiß ist eine Sauna?", "de", "number"),
        ("What is tea?", "en", ""),
        ("The whole story", "en", ""),
        ("Warum werden sie so genannt?", "de", ""),
        ("من اخترع الراديو؟", "ar", "who"),
        ("أين يقع من المدينة؟", "ar", "where"),
        ("누구를 만났습니까?", "ko", "who"),
        ("Nani?", "sw", ""),
        ("ปี 1900 หนังสือนี้เกี่ยวกับอะไร", "th", ""),
        ("มีกี่คน", "th", "number"),
        ("几内亚在哪里？", "zh", "where"),
        ("几何是什么？", "zh", ""),
        ("战争持续了几年？", "zh", "number"),
        ("これは何ですか", "ja", ""),
        ("何日間続きましたか", "ja", "number"),
        ("何月何日ですか", "ja", "when"),
        ("من أي ميناء شُحن البن؟", "ar", "where"),
        ("Wie lange dauerte der Flug?", "de", "number"),
        ("Welche Stadt liegt am Rhein?", "de", "where"),
        ("In che mese nacque?", "it", "when"),
        ("¿Quiénes fueron los inventores?", "es", "who"),
        ("Em que mês começa?", "pt", "when"),
        ("Из какого города он родом?", "ru", "where"),
        ("Чьи это слова?", "ru", "who"),
        ("Mihin nimeen tapa liittyy?", "fi", ""),
        ("What was the book that the man who built it wrote?", "en", ""),
        ("Quel est le livre qui parle du thé ?", "fr", ""),
        ("Which Scottish inventor built it?", "en", "who"),
        ("At which London station does it end?", "en", "where"),
    ],
)
def test_the_words_of_a_question_show_its_type(question: str, language: str, kind: str) -> None:
    assert question_type(question, language) == kind


@pytest.mark.parametrize("number", range(len(sample.questions("en"))))
def test_a_question_of_the_sample_has_one_type_in_all_languages(number: int) -> None:
    questions = {code: sample.questions(code)[number].text for code in sample.languages()}
    types = {code: question_type(text, code) for code, text in questions.items()}
    assert len(set(types.values())) == 1, (questions, types)
