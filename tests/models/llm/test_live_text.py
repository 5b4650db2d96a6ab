"""What is shown of an answer while it is written makes up the answer that is read from it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from workbench.core.records import without_thinking
from workbench.models.llm.conversation import LiveText

PARTS = st.sampled_from(
    ["<think>", "</think>", "<thinking>", "</thinking>", " ", "\n", "<", "Marconi", "th", "ä", "1 < 2"]
)


def shown(text: str, cuts: list[int]) -> str:
    live = LiveText()
    places = sorted({cut % (len(text) + 1) for cut in cuts})
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return "".join(map(live.feed, pieces)) + live.finish(without_thinking(text))


@given(st.lists(PARTS, max_size=8), st.lists(st.integers(0, 100), max_size=8))
def test_the_pieces_make_up_the_answer(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    answer = without_thinking(text)
    # A thought that ends without having begun has been shown before it could be recognised.
    assert shown(text, cuts) == answer or shown(text, cuts).endswith(f"\n\n{answer}")


@pytest.mark.parametrize("text", ["Marconi", " Marconi \n", "<think>Who?</think>\n\nMarconi ", "A <b> 1 < 2", ""])
def test_character_by_character_nothing_is_lost_or_doubled(text: str) -> None:
    assert shown(text, list(range(100))) == without_thinking(text)


def test_text_is_shown_before_the_answer_is_complete() -> None:
    live = LiveText()
    assert [live.feed("Mar"), live.feed("coni was")] == ["Mar", "coni was"]


def test_a_thought_is_never_shown() -> None:
    live = LiveText()
    assert "".join(live.feed(piece) for piece in "<think>secret</think>open") == "open"


def test_an_answer_that_was_not_shown_follows_after_an_empty_line() -> None:
    live = LiveText()
    live.feed("so be it.")
    assert live.finish("Paris") == "\n\nParis"
