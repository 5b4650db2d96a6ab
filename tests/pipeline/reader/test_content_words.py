"""The content of a question, and how much of it a text repeats."""

import pytest

from workbench.data.corpora import sample
from workbench.pipeline.reader.candidates import content_of, content_share, grams


@pytest.mark.parametrize(
    ("question", "language", "content"),
    [
        ("What is the best pizza topping in Naples?", "en", "pizza topping naples"),
        ("Kuka keksi radion?", "fi", "keksi radion"),
        ("Wer hat das Fahrrad erfunden?", "de", "fahrrad erfunden"),
        ("企鹅吃什么？", "zh", "企鹅吃"),
        ("ペニシリンを発見したのは誰ですか。", "ja", "ペニシリン 発見"),
        ("すしはおいしいですか", "ja", "すしはおいしい"),
        ("What is it?", "en", ""),
        ("Nani aligundua redio?", "sw", "nani aligundua redio"),
    ],
)
def test_function_words_are_left_out(question: str, language: str, content: str) -> None:
    assert content_of(question, language) == content


@pytest.mark.parametrize("language", sample.languages())
def test_every_question_of_the_sample_has_content(language: str) -> None:
    assert all(content_of(question.text, language) for question in sample.questions(language))


def test_what_the_text_lacks_counts_in_full() -> None:
    assert content_share("pizza naples", grams("An opera in Naples.")) == pytest.approx(0.5, abs=0.1)
    assert content_share("", grams("An opera in Naples.")) == 0.0


def test_korean_and_thai_words_match_without_their_particles() -> None:
    assert content_share("라디오를", grams("라디오의 발명")) > 0.5
    assert content_share("วิทยุ", grams("ผู้ประดิษฐ์วิทยุคือมาร์โคนี")) == 1.0
