"""Spans: code points of the NFC text, between grapheme clusters, noticed where they no longer fit."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
import regex
from hypothesis import given, strategies as st

from tests.annotation.material import TEXTS
from workbench.annotation.text_spans import CONTEXT, marked_span, nfc, span_problem, text_span
from workbench.core.errors import UsageError

FURTHER = ("लाइटहाउस १८७४ में जलाया गया था।", "বাতিঘরটি ১৮৭৪ সালে জ্বলেছিল।", "கலங்கரை விளக்கம் ௧௮௭௪", "הַמִּגְדַּלּוֹר הֻדְלַק בִּשְׁנַת 1874")
ALL_TEXTS = [*(answer for _, answer in TEXTS.values()), *FURTHER, "👩‍👩‍👧 und 🇫🇮 é", "각 가"]
FORMS = ("NFC", "NFD")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ALL_TEXTS)
def test_every_selection_is_read_back_in_every_script(text: str, form: str) -> None:
    source = unicodedata.normalize("NFC" if form == "NFC" else "NFD", text)
    for start in range(len(source)):
        for end in range(start + 1, len(source) + 1, 5):
            span = text_span(source, start, end)
            assert span_problem(source, span) == ""
            assert nfc(source)[span.start : span.end] == span.text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ALL_TEXTS)
def test_a_span_contains_the_selection_and_no_cluster_more(text: str, form: str) -> None:
    source = unicodedata.normalize("NFC" if form == "NFC" else "NFD", text)
    clusters = list(regex.finditer(r"\X", source))
    for start in range(len(source)):
        end = min(len(source), start + 3)
        touched = [match.group() for match in clusters if match.start() < end and match.end() > start]
        assert text_span(source, start, end).text == nfc("".join(touched))


def test_the_two_forms_of_a_text_give_the_same_span() -> None:
    composed, decomposed = (unicodedata.normalize("NFC", "Étéàô"), unicodedata.normalize("NFD", "Étéàô"))
    assert text_span(composed, 2, 3) == text_span(decomposed, 3, 5)


def test_an_accent_alone_selects_its_letter() -> None:
    assert text_span("e\u0301t", 1, 2).text == "é"


def test_an_indic_vowel_sign_selects_its_syllable() -> None:
    assert text_span("हिन्दी", 1, 2).text == "हि"


def test_a_thai_tone_mark_selects_its_consonant() -> None:
    assert text_span("ที่ท่า", 2, 3).text == "ที่"


def test_an_arabic_vowel_mark_selects_its_letter() -> None:
    assert text_span("بيتُ", 3, 4).text == "تُ"


def test_context_is_complete_clusters_on_both_sides() -> None:
    text = "а\u0301" * 60
    span = text_span(text, 60, 62)
    assert len(span.before) >= CONTEXT and len(span.before) % 2 == 0
    assert span.before + span.text + span.after in text


@pytest.mark.parametrize("form", FORMS)
def test_what_was_selected_on_a_screen_is_a_span_without_white_space_at_its_ends(form: str) -> None:
    text = unicodedata.normalize("NFC" if form == "NFC" else "NFD", "Ein é Licht")
    span = marked_span(text, 3, 6, " é ", "bad")
    assert (span.start, span.end, span.text, span.label) == (4, 5, "é", "bad")


@pytest.mark.parametrize(
    ("start", "end", "selection", "sentence"),
    [
        (0, 3, "Das", "is not the one that is stored"),
        (3, 4, " ", "The selection is empty"),
        (2, 2, "", "is not the one that is stored"),
        (-3, 2, "Ei", "is not the one that is stored"),
        (0, 99, "Ein Licht", "is not the one that is stored"),
    ],
)
def test_a_selection_that_is_not_in_the_text_is_refused(start: int, end: int, selection: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        marked_span("Ein Licht", start, end, selection)


@given(st.text(min_size=1, max_size=40), st.data())
def test_any_selection_of_any_text_is_read_back(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert span_problem(text, text_span(text, start, end)) == ""


@pytest.mark.parametrize(("start", "end"), [(0, 0), (2, 1), (-1, 2), (0, 99)])
def test_what_is_no_selection_is_refused_in_one_sentence(start: int, end: int) -> None:
    with pytest.raises(UsageError, match="is not a selection in a text of 5 characters: select at least one"):
        text_span("abcde", start, end)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"start": 1}, "The text at 1 to 3"),
        ({"end": 999}, "do not lie in the text"),
        ({"start": 3}, "do not lie in the text"),
        ({"text": "no"}, "The text at 0 to 3 is"),
        ({"after": "other"}, "is not the context"),
    ],
)
def test_a_span_that_does_not_fit_is_noticed(change: dict[str, object], sentence: str) -> None:
    span = text_span("One two three", 0, 3)
    assert sentence in span_problem("One two three", replace(span, **change))  # type: ignore[arg-type]


def test_a_span_that_cuts_a_character_in_two_is_noticed() -> None:
    span = replace(text_span("ที่ท่า", 0, 3), end=1, text="ท")
    assert "cut a character in two" in span_problem("ที่ท่า", span)


def test_a_text_that_changed_is_noticed() -> None:
    assert span_problem("Two one three", text_span("One two three", 0, 3))
