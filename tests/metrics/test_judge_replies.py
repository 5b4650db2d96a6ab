"""What is read from a judge's reply, and what is not."""

import pytest
from hypothesis import given, strategies as st

from workbench.languages.catalogue import PROMPT_LANGUAGES
from workbench.metrics.judged.judge import score_in, verdict_in
from workbench.metrics.judged.judge_texts import judge_texts


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The order is clear.\nScore: 4", 4),
        ("**Score:** 4/5", 4),
        ("Score (1-5): 3", 3),
        ("Rating = 2 out of 5.", 2),
        ('{"reason": "fine", "score": 5}', 5),
        ('```json\n{"score": "3"}\n```', 3),
        ("4", 4),
        ("It rambles.\n2.", 2),
        ("Score: 3\nOn reflection, Score: 4", 4),
        ("Score: 3.5", 3.5),
        ("Ｓｃｏｒｅ：４", 4),
        ("Score: ٤", 4),
        ("<think>Score: 1? no</think>Score: 5", 5),
        ("The score is 2", 2),
    ],
)
def test_a_score_is_read(reply: str, expected: float) -> None:
    assert score_in(reply, 1, 5) == expected


@pytest.mark.parametrize(
    "reply",
    ["", "I cannot rate this.", "Score: 6", "Score: 0", "Score: -3", "Score: 1-5", "Score: 4/10", "Score: 45", "good",
     "The question names 5 towns.", "<think>Score: 4", "Score: five", "2 of 3 facts hold"],
)  # fmt: skip
def test_what_is_not_a_score_is_not_guessed(reply: str) -> None:
    assert score_in(reply, 1, 5) is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Verdict: 1", True),
        ("It does not name it.\nVerdict: 0", False),
        ("**Verdict: yes**", True),
        ('{"verdict": false}', False),
        ("1", True),
        ("No.", False),
        ("Verdict: 1\nWait.\nVerdict: 0", False),
    ],
)
def test_a_verdict_is_read(reply: str, expected: bool) -> None:
    assert verdict_in(reply) is expected


@pytest.mark.parametrize(
    "reply", ["", "maybe", "Verdict: 10", "Verdict: 0.5", "Verdict: unclear", "No idea what you mean"]
)
def test_what_is_not_a_verdict_is_not_guessed(reply: str) -> None:
    assert verdict_in(reply) is None


@pytest.mark.parametrize(
    ("language", "reply"),
    [("en", "Score: 3 or 4"), ("en", "Score: 1 to 5"), ("en", "Score: 3, or 4"), ("de", "Bewertung: 3 bis 4"),
     ("fr", "Note : 3 à 4"), ("ja", "スコア: 3から4"), ("ja", "スコア：3〜4"), ("ar", "الدرجة: ٣ أو ٤"),
     ("th", "คะแนน: ๓ หรือ ๔"), ("ru", "Оценка: 3 или 4"), ("ko", "점수: 3 또는 4"), ("fi", "Pisteet: 3 tai 4")],
)  # fmt: skip
def test_two_marks_are_not_one(language: str, reply: str) -> None:
    assert score_in(reply, 1, 5, language) is None


@pytest.mark.parametrize(
    "reply",
    ["Score: 4%", "Score: 4 points out of 10", "Score: 4 (out of 10)", "Score: 4 of 10", "Score: ½", "الدرجة: ٤٪",
     "Score: 4 on a scale of 1 to 10", "Score: 2 of 3 facts hold"],
)  # fmt: skip
def test_a_mark_on_another_scale_is_not_read(reply: str) -> None:
    assert score_in(reply, 1, 5, "ar") is None


@pytest.mark.parametrize("reply", ["Score: 4 points out of 5", "Score: 4 (out of 5)", "4 of 5", "Score: 4 of 5."])
def test_a_mark_with_the_best_mark_in_words_is_read(reply: str) -> None:
    assert score_in(reply, 1, 5) == 4


@pytest.mark.parametrize(
    ("language", "best"),
    [("en", "Maximum score: 5"), ("en", "The highest score is 5"), ("ru", "Максимальный балл: 5"),
     ("zh", "最高评分：5"), ("de", "Höchste Bewertung: 5"), ("ko", "최고 점수: 5")],
)  # fmt: skip
def test_the_best_mark_that_there_is_is_not_the_judges(language: str, best: str) -> None:
    assert score_in(f"Score: 2\n{best}", 1, 5, language) == 2
    assert score_in(best, 1, 5, language) is None


@pytest.mark.parametrize(
    ("language", "reply"),
    [("en", "Verdict: no answer"), ("en", "Verdict: no idea"), ("en", "Verdict: yes and no"), ("en", "Verdict: 1 or 0"),
     ("en", "Verdict: 1 out of 5"), ("en", "Verdict: 1-5"), ("en", "Verdict: 1%"), ("en", "Verdict: not yes"),
     ("en", "Verdict: 0 - 3"),
     ("en", "not yes"), ("ar", "الحكم: لا أعرف"), ("ru", "Вердикт: нет данных"), ("fr", "Verdict : non déterminé"),
     ("de", "Urteil: ja und nein"), ("ja", "判定: はいではない"), ("ko", "판정: 예가 아니다")],
)  # fmt: skip
def test_words_that_go_on_are_not_a_verdict(language: str, reply: str) -> None:
    assert verdict_in(reply, language) is None


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [("en", "Verdict: No, it names another year.", False), ("en", "Verdict: 1 because it names the year", True),
     ("en", "Verdict: no\nThe year is missing.", False), ("th", "คำตัดสิน: ใช่ เพราะมีปี", True),
     ("en", "Verdict: yes – it does", True)],
)  # fmt: skip
def test_a_verdict_with_its_reason_behind_it_is_read(language: str, reply: str, expected: bool | None) -> None:
    assert verdict_in(reply, language) is expected


@given(st.text(max_size=200))
def test_no_reply_breaks_the_reader(reply: str) -> None:
    score = score_in(f"Score: {reply}", 1, 5)
    assert score is None or 1 <= score <= 5
    assert verdict_in(reply) in (None, True, False)


LANGUAGE = st.sampled_from(PROMPT_LANGUAGES)
ZEROS = "0٠۰०０๐০౦੦೦"
"""The zero of European, Arabic, Persian, Devanagari, full-width, Thai, Bengali, Telugu, Gurmukhi and Kannada digits."""


@given(st.data(), LANGUAGE, st.integers(1, 5), st.sampled_from(ZEROS), st.sampled_from([":", "：", " : ", " = "]))
def test_a_mark_is_read_in_every_language_and_in_any_digits(
    data: st.DataObject, language: str, mark: int, zero: str, sign: str
) -> None:
    word = data.draw(st.sampled_from(judge_texts(language).reply.score))
    assert score_in(f"…\n{word}{sign}{chr(ord(zero) + mark)}", 1, 5, language) == mark


@given(st.data(), LANGUAGE, st.booleans(), st.sampled_from(["", ".", "**", "”", "\n"]))
def test_yes_and_no_are_read_in_every_language(data: st.DataObject, language: str, yes: bool, end: str) -> None:
    reply = judge_texts(language).reply
    word, value = data.draw(st.sampled_from(reply.verdict)), data.draw(st.sampled_from(reply.yes if yes else reply.no))
    assert verdict_in(f"…\n{word}: {value}{end}", language) is yes
    assert verdict_in(f"{value}{end}", language) is yes


@given(LANGUAGE, st.text(max_size=100))
def test_no_reply_breaks_the_reader_of_another_language(language: str, reply: str) -> None:
    word = judge_texts(language).reply
    score = score_in(f"{word.score[0]}: {reply}", 1, 5, language)
    assert score is None or 1 <= score <= 5
    assert verdict_in(f"{word.verdict[0]}: {reply}", language) in (None, True, False)


@given(LANGUAGE)
def test_english_words_are_read_whatever_the_prompts_language(language: str) -> None:
    assert score_in("Score: 4", 1, 5, language) == 4 and verdict_in("Verdict: no", language) is False


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("ja", "最終スコア：４点", 4),
        ("ja", "スコアは5点満点中3点です。", 3),
        ("ko", "점수는 4점입니다.", 4),
        ("ko", "점수: 5점 만점에 2점", 2),
        ("zh", "评分：4分（满分5分）", 4),
        ("zh", "评分（满分5分）：3", 3),
        ("zh", "评分是4", 4),
        ("th", "คะแนน: ๔ เต็ม ๕", 4),
        ("ar", "الدرجة: ٤ من ٥", 4),
        ("ar", "الدَّرَجَة:\u200f ٣", 3),
        ("ar", "الدرجة: ٣٫٥", 3.5),
        ("de", "Bewertung: 3,5 von 5 Punkten", 3.5),
        ("ru", "Оценка — 4", 4),
        ("fr", "Note : 4 sur 5", 4),
        ("ja", "スコア: 10点満点中3点", None),
        ("hi", "स्कोर: 5 में से ४ अंक", 4),
        ("bn", "স্কোর: ৫-এর মধ্যে ৪", 4),
        ("te", "స్కోరు 5కి 4", 4),
        ("te", "స్కోరు: 4 కింది కారణంగా", 4),
        ("hi", "4।", 4),
        ("hi", "स्कोर: 10 में से 4", None),
        ("hi", "अधिकतम स्कोर: 5", None),
        ("te", "స్కోరు: 1 నుండి 5", None),
        ("ja", "スコア: 5点満点", None),
        ("th", "คะแนน: 4 จาก 10", None),
        ("de", "Bewertung: 1–5", None),
        ("zh", "评分：5分之4", None),
        ("en", "Note: 4", None),
    ],
)
def test_marks_are_read_as_people_write_them(language: str, reply: str, expected: float | None) -> None:
    assert score_in(reply, 1, 5, language) == expected


@pytest.mark.parametrize(
    ("language", "reply", "expected"),
    [
        ("ar", "الحكم: نعم", True),
        ("ar", "الحكم: لا", False),
        ("ja", "判定：はい", True),
        ("ja", "最終判定は「いいえ」です。", False),
        ("ko", "판정은 예입니다.", True),
        ("ko", "판정: 아니오", False),
        ("th", "คำตัดสิน: ใช่", True),
        ("th", "คำตัดสิน: ไม่ใช่", False),
        ("ko", "판정: 그렇다", True),
        ("ko", "판정: 아니다", False),
        ("zh", "判定：不是", False),
        ("zh", "判定是否正确", None),
        ("zh", "判定：10", None),
        ("de", "Urteil: jawohl", None),
        ("es", "Veredicto: Sí", True),
        ("fr", "Le verdict est : non.", False),
        ("hi", "निर्णय हाँ है।", True),
        ("hi", "नहीं।", False),
        ("bn", "রায়: না।", False),
        ("bn", "রায়: সঠিক নয়", None),
        ("te", "తీర్పు: కాదు.", False),
    ],
)
def test_verdicts_are_read_as_people_write_them(language: str, reply: str, expected: bool | None) -> None:
    assert verdict_in(reply, language) is expected
