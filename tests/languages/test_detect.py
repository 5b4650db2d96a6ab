"""Language identification on short texts, among the languages that compete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.corpora import sample
from workbench.languages import S1_LANGUAGES
from workbench.languages.detect import detect

XQUAD = Path(__file__).parents[3] / "shared" / "data" / "xquad"
XQUAD_LANGUAGES = ("ar", "de", "en", "es", "ru", "th", "tr", "zh")


@pytest.mark.parametrize("code", S1_LANGUAGES)
def test_the_samples_questions_are_recognised_among_the_thirteen(code: str) -> None:
    questions = sample.questions(code)
    right = sum(detect(question.text, S1_LANGUAGES) == code for question in questions)
    assert right / len(questions) >= 0.96  # two short Portuguese questions pass for Spanish


@pytest.mark.skipif(not XQUAD.is_dir(), reason="XQuAD is not beside the repository (../shared/data/xquad)")
@pytest.mark.parametrize("code", XQUAD_LANGUAGES)
def test_questions_of_over_twenty_characters_are_recognised(code: str) -> None:
    articles = json.loads((XQUAD / f"xquad.{code}.json").read_text(encoding="utf-8"))["data"]
    texts = [qa["question"] for article in articles for part in article["paragraphs"] for qa in part["qas"]]
    long = [text for text in texts if len(text) > 20][::4]
    right = sum(detect(text, [*S1_LANGUAGES, "tr"]) == code for text in long)
    assert right / len(long) >= 0.98


@pytest.mark.parametrize("text", ["", "   ", "1895", "?!…", "🙂", "\n\t"])
def test_a_text_without_letters_cannot_be_told(text: str) -> None:
    assert detect(text, S1_LANGUAGES) == ""


def test_no_candidate_wins_in_a_script_that_none_of_them_uses() -> None:
    assert detect("Кто изобрёл радио?", ["en", "th"]) == ""


def test_without_candidates_nothing_is_told() -> None:
    assert detect("Who invented radio?", []) == ""


def test_the_only_candidate_that_fits_the_script_wins() -> None:
    assert detect("Кто изобрёл радио?", ["en", "ru"]) == "ru"


def test_only_candidates_can_win() -> None:
    assert detect("Kuka keksi radion ja milloin?", ["en", "de"]) in ("en", "de")


def test_japanese_and_chinese_are_told_apart() -> None:
    assert detect("ラジオを発明したのは誰ですか。", ["zh", "ja"]) == "ja"
    assert detect("是谁发明了收音机？", ["zh", "ja"]) == "zh"


@pytest.mark.parametrize(
    "text", ["Radio\nwas invented\nby several people.", "a\x00b radio was invented", "x" * 100_000]
)
def test_text_of_any_shape_is_taken(text: str) -> None:
    assert detect(text, ["en", "ru"]) == "en"
