"""The text of a document from its passages, and its new passages."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from workbench.core.records import Passage
from workbench.data.documents.chunking import chunk_method, splitter_of
from workbench.data.documents.rechunking import Stretch, new_spans, origin_of, split_stretch, stretches

WORDS = [f"word{number}" for number in range(60)]
TEXT = " ".join(WORDS)


def passage(text: str, position: int, document: str = "a", **fields: Any) -> Passage:
    values: dict[str, Any] = {"title": "T", "language": "en", **fields}
    return Passage(f"{document}.{position}", document, text=text, position=position, **values)


def stretch_of(*texts: str, **fields: Any) -> Stretch:
    return Stretch(tuple(passage(text, number, **fields) for number, text in enumerate(texts)))


def test_passages_of_words_give_the_text_that_they_were_cut_from() -> None:
    cut = [TEXT[slice(*span)] for span in splitter_of(chunk_method("words-20"))(TEXT)]
    stretch = stretch_of(*cut)
    assert stretch.text == TEXT
    assert [stretch.text[slice(*span)] for span in stretch.spans] == cut


def test_overlapping_passages_give_their_text_once() -> None:
    cut = [TEXT[slice(*span)].strip() for span in splitter_of(chunk_method("characters-200-80"))(TEXT)]
    stretch = stretch_of(*cut)
    assert sum(map(len, cut)) > len(TEXT)
    assert stretch.text == TEXT
    assert [stretch.text[slice(*span)] for span in stretch.spans] == cut


def test_a_text_that_repeats_itself_once_is_not_taken_for_an_overlap() -> None:
    refrain = "and the sea was calm"
    parts = [f"One. {refrain}", f"{refrain} Two.", "Three ends here.", "Four ends there.", "Five."]
    assert stretch_of(*parts).text == " ".join(parts)


def test_scripts_without_spaces_are_joined_without_one() -> None:
    assert stretch_of("無線電是通過", "空間發送信息。", "另一句").text == "無線電是通過空間發送信息。另一句"


def test_another_heading_begins_with_an_empty_line() -> None:
    first, second = passage("One.", 0, heading="A"), passage("Two.", 1, heading="B")
    assert Stretch((first, second)).text == "One.\n\nTwo."


def test_a_stretch_ends_where_a_passage_is_missing_and_where_the_document_ends() -> None:
    rows = [
        passage("a", 0),
        passage("b", 1),
        passage("d", 3),
        passage("e", 0, "b"),
        passage("f", 0, "b", language="fi"),
    ]
    names = [[item.text for item in each.passages] for each in stretches(enumerate(rows))]
    assert names == [["a", "b"], ["d"], ["e"], ["f"]]


def test_a_new_passage_has_the_places_of_those_it_is_cut_from() -> None:
    first = passage("one two three four five", 0, page=1, page_end=2, heading="A", language="en")
    second = passage("kuusi seitsemän kahdeksan", 1, page=3, page_end=3, heading="A", language="fi")
    (new,) = split_stretch(Stretch((first, second)), splitter_of(chunk_method("words-100")))
    assert (new.page, new.page_end, new.heading, new.language, new.title) == (1, 3, "A", "fi", "T")
    assert new.text == f"{first.text} {second.text}"
    (untitled,) = split_stretch(Stretch((first,)), splitter_of(chunk_method("words-100")), with_title=False)
    assert untitled.title == ""


def test_new_passages_are_linked_and_state_where_they_come_from() -> None:
    stretch = stretch_of(TEXT)
    new = split_stretch(stretch, splitter_of(chunk_method("words-20")))
    assert [item.previous for item in new] == ["", *(item.id for item in new[:-1])]
    assert [item.next for item in new] == [*(item.id for item in new[1:]), ""]
    for item in new:
        origin = origin_of(item.id)
        assert origin is not None and origin.stretch == "a.0"
        assert stretch.text[origin.start : origin.end] == item.text


def test_a_group_of_translations_stays_with_the_very_passage_alone() -> None:
    whole, part = stretch_of("one two three", group="g"), stretch_of(TEXT, group="g")
    assert [item.group for item in split_stretch(whole, splitter_of(chunk_method("words-20")))] == ["g"]
    assert {item.group for item in split_stretch(part, splitter_of(chunk_method("words-20")))} == {""}


def test_what_a_splitter_passes_over_is_in_the_next_passage() -> None:
    text = "alpha beta gamma delta"
    spans = list(new_spans(text, lambda part: [(0, 5), (11, 16)] if part == text else [(0, len(part))]))
    assert [text[slice(*span)] for span in spans] == ["alpha", "beta gamma", "delta"]


@given(st.lists(st.text(alphabet="ab \nไทย漢", min_size=1, max_size=40), max_size=30), st.integers(40, 400))
def test_nothing_but_white_space_is_left_out_however_long_the_buffer_is(parts: list[str], buffer: int) -> None:
    text = " ".join(parts)
    covered = [False] * len(text)
    for name in ("words-20", "characters-40-10"):
        for start, end in new_spans(text, splitter_of(chunk_method(name)), buffer=buffer):
            covered[start:end] = [True] * (end - start)
        assert not any(sign.strip() and not there for sign, there in zip(text, covered, strict=True))
