"""The copied share and the answer share, worked by hand."""

from __future__ import annotations

import pytest

from workbench.jobs.question_generation.draft_reply import copied_share, gives_answer


@pytest.mark.parametrize(
    ("question", "passage", "share"),
    [
        # Runs of three words: a b c, b c d; the passage has the first.
        ("alpha beta gamma delta", "Alpha, beta gamma!", 1 / 2),
        ("alpha beta gamma delta", "delta gamma beta alpha", 0.0),
        ("Why?", "Why?", 0.0),
        # Runs of six characters: 七大洲是指亚, 大洲是指亚洲; the passage has the first.
        ("七大洲是指亚洲", "七大洲是指亚", 1 / 2),
        # Case and width are folded.
        ("ALPHA BETA GAMMA", "alpha beta gamma", 1.0),
    ],
)
def test_the_copied_share_counts_runs_of_words(question: str, passage: str, share: float) -> None:
    assert copied_share(question, passage) == pytest.approx(share)


@pytest.mark.parametrize(
    ("reply", "answer", "code", "expected"),
    [
        ("Se on Helsingissä.", "Helsinki", "fi", False),
        ("Helsingin kaupungissa", "Helsingin", "fi", True),
        ("452 metres", "452 metres", "en", True),
        ("In 1899.", "1893", "en", False),
        ("381 metres", "452 metres", "en", False),
        ("about 1,250 people", "1250 people", "en", True),
        ("٤٥٢ مترًا", "452 مترًا", "ar", True),
        ("答案是北京。", "北京", "zh", True),
        ("", "Paris", "en", False),
        ("Anything", "…", "en", False),
    ],
)
def test_a_reply_gives_an_answer_if_it_has_its_numbers_and_most_of_its_letters(
    reply: str, answer: str, code: str, expected: bool
) -> None:
    assert gives_answer(reply, answer, code) is expected
