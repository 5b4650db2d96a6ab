"""What is read from a judge's reply, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.metrics.judged.judge_replies import score_in, verdict_in


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


@given(st.text(max_size=200))
def test_no_reply_breaks_the_reader(reply: str) -> None:
    score = score_in(f"Score: {reply}", 1, 5)
    assert score is None or 1 <= score <= 5
    assert verdict_in(reply) in (None, True, False)
