"""Splitting texts at sentence ends and joining them again."""

from collections.abc import Callable

import regex
from hypothesis import given, strategies as st

from workbench.models.translation.model_translators import TextChunk, join_chunks, split_text

ALPHABET = "ab c. D!?\n\t 。、中文กข ا؟א1,;  ́"


def up_to(limit: int) -> Callable[[str], bool]:
    return lambda text: len(text) <= limit


@given(st.text(alphabet=ALPHABET, max_size=200) | st.text(max_size=80), st.integers(1, 40), st.booleans())
def test_nothing_is_lost_and_the_order_stays(text: str, limit: int, packed: bool) -> None:
    chunks = split_text(text, up_to(limit), packed=packed)
    assert "".join(chunk.text + chunk.gap for chunk in chunks) == text.strip()


@given(st.text(alphabet=ALPHABET, max_size=200), st.integers(1, 40), st.booleans())
def test_every_chunk_fits_and_is_not_empty(text: str, limit: int, packed: bool) -> None:
    for chunk in split_text(text, up_to(limit), packed=packed):
        # One character as readers see it may exceed the limit; nothing else does.
        assert 0 < len(chunk.text) <= limit or len(regex.findall(r"\X", chunk.text)) == 1 or limit == 1
        assert not chunk.gap.strip()


@given(st.text(alphabet=ALPHABET, max_size=200), st.integers(1, 40))
def test_joining_the_chunks_themselves_keeps_every_visible_character(text: str, limit: int) -> None:
    chunks = split_text(text, up_to(limit))
    joined = join_chunks([chunk.text for chunk in chunks], chunks, "en")
    assert "".join(joined.split()) == "".join(text.split())


@given(st.lists(st.sampled_from(["One two.", "Is it?", "Yes!"]), min_size=1, max_size=40), st.integers(8, 60))
def test_a_text_of_short_sentences_is_split_only_after_sentences(parts: list[str], limit: int) -> None:
    assert all(chunk.text[-1] in ".?!" for chunk in split_text(" ".join(parts), up_to(limit)))


def test_a_text_that_fits_is_one_chunk() -> None:
    assert split_text(" One. Two.\nThree. ", up_to(100)) == [TextChunk("One. Two.\nThree.", "")]


def test_as_many_sentences_as_fit_go_together() -> None:
    assert [chunk.text for chunk in split_text("One. Two. Three. Four.", up_to(12))] == ["One. Two.", "Three. Four."]


def test_unpacked_every_sentence_is_a_chunk() -> None:
    chunks = split_text("One. Two.\n\nThree.", up_to(100), packed=False)
    assert [chunk.text for chunk in chunks] == ["One.", "Two.", "Three."]


def test_a_sentence_that_is_too_long_is_split_at_white_space() -> None:
    chunks = split_text("one two three four. Five.", up_to(10))
    assert [chunk.text for chunk in chunks] == ["one two", "three", "four.", "Five."]


def test_a_word_that_is_too_long_is_split_inside_and_glued_again() -> None:
    chunks = split_text("abcdefgh", up_to(3))
    assert [(chunk.text, chunk.splits_word) for chunk in chunks] == [("abc", True), ("def", True), ("gh", False)]
    assert join_chunks(["ABC", "DEF", "GH"], chunks, "en") == "ABCDEFGH"


def test_a_letter_keeps_its_marks() -> None:
    assert [chunk.text for chunk in split_text("e\u0301e\u0301e\u0301", up_to(3))] == ["e\u0301", "e\u0301", "e\u0301"]


def test_chinese_sentences_become_english_ones_with_spaces() -> None:
    chunks = split_text("他来了。她走了。", up_to(4))
    assert join_chunks(["He came.", "She left."], chunks, "en") == "He came. She left."


def test_english_sentences_become_chinese_ones_without() -> None:
    chunks = split_text("He came. She left.", up_to(10))
    assert join_chunks(["他来了。", "她走了。"], chunks, "zh") == "他来了。她走了。"


def test_paragraphs_stay_apart() -> None:
    chunks = split_text("One.\n\nTwo.", up_to(5))
    assert join_chunks([" Eins. ", "Zwei."], chunks, "de") == "Eins.\n\nZwei."


def test_white_space_alone_is_nothing() -> None:
    assert split_text(" \n ", up_to(5)) == []
    assert join_chunks([], [], "en") == ""


def test_a_chunk_that_ends_after_a_long_vowel_mark_splits_no_spaced_word() -> None:
    first = split_text("コーヒーコーヒー", up_to(4))[0]
    assert first == TextChunk("コーヒー", "", splits_word=False)
