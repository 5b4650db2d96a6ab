"""Cutting texts at sentence ends and joining them again."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from workbench.translation.text_chunks import TextChunk, cut, join

ALPHABET = "ab c. D!?\n\t 。、中文กข ا؟א1,;  ́"


def up_to(limit: int):
    return lambda text: len(text) <= limit


@given(st.text(alphabet=ALPHABET, max_size=200) | st.text(max_size=80), st.integers(1, 40), st.booleans())
def test_nothing_is_lost_and_the_order_is_kept(text: str, limit: int, packed: bool) -> None:
    pieces = cut(text, up_to(limit), packed=packed)
    assert "".join(piece.text + piece.gap for piece in pieces) == text.strip()


@given(st.text(alphabet=ALPHABET, max_size=200), st.integers(1, 40), st.booleans())
def test_every_piece_fits_and_holds_something(text: str, limit: int, packed: bool) -> None:
    for piece in cut(text, up_to(limit), packed=packed):
        # One character as readers see it may be more than the limit; nothing else is.
        assert 0 < len(piece.text) <= limit or len(regex.findall(r"\X", piece.text)) == 1 or limit == 1
        assert not piece.gap.strip()


@given(st.text(alphabet=ALPHABET, max_size=200), st.integers(1, 40))
def test_joining_the_pieces_themselves_keeps_every_visible_character(text: str, limit: int) -> None:
    pieces = cut(text, up_to(limit))
    joined = join([piece.text for piece in pieces], pieces, "en")
    assert "".join(joined.split()) == "".join(text.split())


@given(st.lists(st.sampled_from(["One two.", "Is it?", "Yes!"]), min_size=1, max_size=40), st.integers(8, 60))
def test_a_text_of_short_sentences_is_cut_only_after_sentences(parts: list[str], limit: int) -> None:
    assert all(piece.text[-1] in ".?!" for piece in cut(" ".join(parts), up_to(limit)))


def test_a_text_that_fits_is_one_piece() -> None:
    assert cut(" One. Two.\nThree. ", up_to(100)) == [TextChunk("One. Two.\nThree.", "")]


def test_as_many_sentences_as_fit_go_together() -> None:
    assert [piece.text for piece in cut("One. Two. Three. Four.", up_to(12))] == ["One. Two.", "Three. Four."]


def test_unpacked_every_sentence_is_a_piece() -> None:
    assert [piece.text for piece in cut("One. Two.\n\nThree.", up_to(100), packed=False)] == ["One.", "Two.", "Three."]


def test_a_sentence_that_is_too_long_is_cut_at_white_space() -> None:
    assert [piece.text for piece in cut("one two three four. Five.", up_to(10))] == [
        "one two",
        "three",
        "four.",
        "Five.",
    ]


def test_a_word_that_is_too_long_is_cut_inside_and_glued_again() -> None:
    pieces = cut("abcdefgh", up_to(3))
    assert [(piece.text, piece.broken) for piece in pieces] == [("abc", True), ("def", True), ("gh", False)]
    assert join(["ABC", "DEF", "GH"], pieces, "en") == "ABCDEFGH"


def test_a_letter_keeps_its_marks() -> None:
    assert [piece.text for piece in cut("e\u0301e\u0301e\u0301", up_to(3))] == ["e\u0301", "e\u0301", "e\u0301"]


def test_chinese_sentences_become_english_ones_with_spaces() -> None:
    pieces = cut("他来了。她走了。", up_to(4))
    assert join(["He came.", "She left."], pieces, "en") == "He came. She left."


def test_english_sentences_become_chinese_ones_without() -> None:
    pieces = cut("He came. She left.", up_to(10))
    assert join(["他来了。", "她走了。"], pieces, "zh") == "他来了。她走了。"


def test_paragraphs_stay_apart() -> None:
    pieces = cut("One.\n\nTwo.", up_to(5))
    assert join([" Eins. ", "Zwei."], pieces, "de") == "Eins.\n\nZwei."


def test_white_space_alone_is_nothing() -> None:
    assert cut(" \n ", up_to(5)) == []
    assert join([], [], "en") == ""
