"""Passages as the papers cut them: nothing is lost, pages are kept, and no buffer shows."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings, strategies as st

from benchmarks.documents.printing import texts
from workbench.core.errors import UsageError
from workbench.data.documents.chunking import NAMES, chunk_method, chunks, complete_sentences, splitter_of, windows
from workbench.data.documents.isolated_reading import Section

WORDS = " ".join(f"word{number}" for number in range(1_000))


def split(text: str, name: str) -> list[str]:
    return [text[start:end] for start, end in splitter_of(chunk_method(name))(text)]


def test_a_passage_has_a_hundred_words() -> None:
    passages = split(WORDS, "words-100")
    assert [len(passage.split()) for passage in passages] == [100] * 10
    assert " ".join(passages) == WORDS


@pytest.mark.parametrize("code", ["zh", "ja", "th"])
def test_a_script_without_spaces_is_cut_by_characters(code: str) -> None:
    passages = split(texts()[code], "words-100")
    assert len(passages) > 1
    assert all(len(passage) <= 100 for passage in passages)
    assert "".join("".join(passages).split()) == "".join(texts()[code].split())


def test_no_sign_is_cut_off_its_letter() -> None:
    text = texts()["th"]
    spans = windows(text, 20)
    assert len(spans) > 10
    assert not [text[start] for start, _ in spans if unicodedata.category(text[start]).startswith("M")]


def test_passages_of_a_thousand_characters_overlap_by_at_most_150() -> None:
    text = "\n".join(f"Line {number} of the list names a boat, its owner and its pier." for number in range(60))
    spans = splitter_of(chunk_method("characters-1000-150"))(text)
    assert all(end - start <= 1_000 for start, end in spans)
    overlaps = [before[1] - after[0] for before, after in pairwise(spans)]
    assert all(0 < overlap <= 150 for overlap in overlaps)


def test_a_paragraph_that_fits_is_not_cut() -> None:
    paragraphs = [WORDS[:900], WORDS[900:1800], WORDS[1800:2500]]
    assert split("\n\n".join(paragraphs), "characters-1000-150") == [item.strip() for item in paragraphs]


def test_passages_of_tokens_overlap() -> None:
    passages = split(WORDS, "tokens-100-20")
    first, second = passages[0].split(), passages[1].split()
    assert set(first[-3:]) <= set(second)
    assert {word for passage in passages for word in passage.split()} == set(WORDS.split())


@pytest.mark.parametrize("code", ["en", "hi", "zh"])
def test_passages_of_sentences_end_with_a_sentence(code: str) -> None:
    text = ("The harbour is quiet. Boats lie there. " * 200) if code == "en" else texts()[code] * 12
    passages = split(text, "sentences-200-40")
    assert len(passages) > 3
    assert all(passage.rstrip()[-1] in '.।。”"' for passage in passages)


@given(st.text(max_size=400))
@settings(max_examples=100, deadline=None)
def test_sentences_put_together_are_the_text(text: str) -> None:
    assert "".join(complete_sentences(text)) == text


def test_passages_by_meaning_are_complete_sentences_and_lose_nothing() -> None:
    text = texts()["hi"] + " " + texts()["ar"]
    passages = split(text, "semantic")
    assert len(passages) > 1
    assert all(passage.rstrip()[-1] in ".।" for passage in passages)
    assert "".join("".join(passages).split()) == "".join(text.split())


def test_a_passage_ends_with_a_sentence_and_a_heading_begins_one() -> None:
    paragraph = "The harbour is quiet. Boats lie there. " * 6
    text = "\n\n".join(["1 Stone", paragraph, "2 Light", paragraph, "2.1 Lamps", "Oil and gas", paragraph]).strip()
    split_ = split(text, "passages-50")
    assert all(passage.endswith(("there.", "quiet.")) for passage in split_)
    assert all(any(passage.startswith(name) for passage in split_) for name in ("1 Stone", "2 Light"))
    assert "".join("".join(split_).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("The harbour office keeps a list of every boat that lies at the", "pier of the town.", "at the pier of"),
        ("图书馆" * 25, "很安静。", "图书馆很安静。"),
        ("The harbour office keeps a list of every boat that lies there.", "pier", "there.\n\npier"),
        ("Kemi", "oulu", "Kemi\n\noulu"),
    ],
)
def test_a_paragraph_goes_on_over_the_end_of_a_page(first: str, second: str, joined: str) -> None:
    (chunk,) = chunks([Section(first, 1), Section(second, 2)], splitter_of(chunk_method("passages-100")))
    assert joined in chunk.text and (chunk.page, chunk.page_end) == (1, 2)


def test_the_number_of_a_section_stays_with_its_heading() -> None:
    paragraph = "The harbour is quiet. Boats lie there. " * 6
    passages = split(f"{paragraph}\n\n1.3. Lamps of the light\n\n{paragraph}", "passages-50")
    assert [passage for passage in passages if passage.startswith("1.3. Lamps of the light\n\nThe harbour")]


@pytest.mark.parametrize("code", ["zh", "ja", "hi", "ar"])
def test_no_word_is_cut_between_two_passages_of_sentences(code: str) -> None:
    passages = split(texts()[code] * 5, "passages-40")
    assert len(passages) > 5
    assert all(passage.rstrip('”"')[-1] in ".。।؟？" for passage in passages)


def test_a_sentence_over_the_limit_is_cut_by_words() -> None:
    assert [len(passage.split()) for passage in split(WORDS, "passages-100")] == [100] * 10


@given(
    st.lists(
        st.sampled_from(["आज मौसम ठीक है। ", "图书馆很安静。", "\n\n", "2 Light", "A boat. ", "กา", "👩‍👩‍👧"])
        | st.text(max_size=20)
    )
)
@settings(max_examples=200, deadline=None)
def test_passages_lose_nothing_and_cut_no_character(parts: list[str]) -> None:
    text = "".join(parts)
    spans = splitter_of(chunk_method("passages-20"))(text)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    ends = {match.end() for match in regex.finditer(r"\X", text)}
    assert all(end in ends or text[end - 1 : end + 1].strip() != text[end - 1 : end + 1] for _, end in spans)


@pytest.mark.parametrize("name", NAMES[:4])
def test_a_text_without_words_gives_no_passage(name: str) -> None:
    assert split(" \n ", name) == []


@pytest.mark.parametrize("name", ["words-100", "characters-1000-150", "tokens-200-20", "passages-100"])
def test_the_buffer_does_not_show(name: str) -> None:
    sections = [Section(WORDS[start : start + 500], page=1 + start // 500) for start in range(0, len(WORDS), 500)]
    splitter = splitter_of(chunk_method(name))
    small = [chunk.text for chunk in chunks(sections, splitter, buffer=3_000)]
    assert small == [chunk.text for chunk in chunks(sections, splitter, buffer=1_000_000)]


def test_a_passage_keeps_the_pages_on_which_it_begins_and_ends_and_its_heading() -> None:
    sections = [
        Section("Summer", 1, "Summer", "heading"),
        Section(" ".join(f"a{number}" for number in range(130)), 1, "Summer"),
        Section(" ".join(f"b{number}" for number in range(90)), 2, "Winter"),
    ]
    placed = list(chunks(sections, splitter_of(chunk_method("words-100"))))
    assert [(chunk.page, chunk.page_end, chunk.heading) for chunk in placed] == [
        (1, 1, "Summer"), (1, 2, "Summer"), (2, 2, "Winter"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["words", "words-5", "words-100-10", "tokens-100-60", "pages-1", "tokens-99999999"])
def test_a_way_of_splitting_that_makes_no_sense_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="Allowed"):
        chunk_method(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_is_called_by_its_name(name: str) -> None:
    assert chunk_method(name).name == name
