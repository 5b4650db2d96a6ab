"""Spans of a text that a label is about: code points into the NFC text, with the text itself and some context.

Texts are compared in NFC, so that a span means the same however the text was typed. A span begins and ends between
grapheme clusters (UAX #29): nobody selects half of an Indic syllable or an accent without its letter. The text and its
context are stored next to the numbers, so that a span which no longer fits its text is noticed and never guessed at.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

import regex

from workbench.core import UsageError, shorten

CONTEXT = 20
"""Code points of context before and after a span, and as many more as complete a grapheme cluster."""

CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Code points `start` to `end` (end excluded) of an NFC text: `text`, between `before` and `after`.

    `label` is the key of the label that points at it, "" where it is about all labels of its record.
    """

    start: int
    end: int
    text: str
    before: str
    after: str
    label: str = ""


def nfc(text: str) -> str:
    """`text` in Unicode's form NFC, which all offsets of spans count in."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=256)
def cluster_borders(text: str) -> tuple[int, ...]:
    """The offsets between grapheme clusters of `text`, from 0 to its length, ascending.

    >>> cluster_borders("किताब")
    (0, 2, 4, 5)
    """
    return (0, *(match.end() for match in CLUSTER.finditer(text)))


def text_span(text: str, start: int, end: int) -> TextSpan:
    """The span of `text` from `start` to `end` (end excluded), widened to complete grapheme clusters.

    `start` and `end` count code points of `text` as it is, in whatever form; the span counts those of `nfc(text)`.
    Raises UsageError where they select nothing, or more than there is.
    """
    if not 0 <= start < end <= len(text):
        raise UsageError(
            f"{start} to {end} is not a selection in a text of {len(text):,} characters: select at least one character."
        )
    composed = nfc(text)
    if composed != text:
        start, end = _composed_offsets(text, composed, start, end)
    borders = cluster_borders(composed)
    start = borders[bisect_right(borders, start) - 1]
    end = borders[bisect_left(borders, end)]
    return TextSpan(start, end, composed[start:end], *_context(composed, start, end))


def marked_span(text: str, start: int, end: int, selection: str, label: str = "") -> TextSpan:
    """The span of what a person selected on a screen that showed `nfc(text)`, without white space at its ends.

    `start` and `end` count code points there, and `selection` is what the screen had between them. Raises UsageError
    where the text has something else there, and where nothing but white space was selected.
    """
    shown = nfc(text)
    if not 0 <= start < end <= len(shown) or shown[start:end] != selection:
        raise UsageError("The text on the screen is not the one that is stored: open the item again, then mark it.")
    start += len(selection) - len(selection.lstrip())
    end -= len(selection) - len(selection.rstrip())
    if start >= end:
        raise UsageError("The selection is empty: select at least one character.")
    return replace(text_span(shown, start, end), label=label)


def span_at(text: str, start: int, end: int, words: str | None = None, label: str = "") -> TextSpan:
    """The span with exactly these offsets into `nfc(text)`, whether or not it fits: `span_problem` says that.

    `words` are what somebody says lies there; by default what does.
    """
    composed = nfc(text)
    first, last = (max(0, min(offset, len(composed))) for offset in (start, end))
    return TextSpan(
        start, end, composed[first:last] if words is None else words, *_context(composed, first, last), label
    )


def span_problem(text: str, span: TextSpan) -> str:
    """Why a span does not fit `text` (in any form), as a sentence; "" where it does."""
    composed = nfc(text)
    if not 0 <= span.start < span.end <= len(composed):
        return f"The offsets {span.start} to {span.end} do not lie in the text, which has {len(composed):,} characters."
    if composed[span.start : span.end] != span.text:
        actual = shorten(composed[span.start : span.end])
        return f"The text at {span.start} to {span.end} is “{actual}”, not “{shorten(span.text)}”."
    if not {span.start, span.end} <= set(cluster_borders(composed)):
        return f"The offsets {span.start} to {span.end} cut a character in two: its marks belong to it."
    if (span.before, span.after) != _context(composed, span.start, span.end):
        return f"The text around {span.start} to {span.end} is not the context that the span names."
    return ""


def _context(composed: str, start: int, end: int) -> tuple[str, str]:
    borders = cluster_borders(composed)
    first = borders[bisect_right(borders, max(0, start - CONTEXT)) - 1]
    last = borders[bisect_left(borders, min(len(composed), end + CONTEXT))]
    return composed[first:start], composed[end:last]


def _composed_offsets(text: str, composed: str, start: int, end: int) -> tuple[int, int]:
    """Offsets in `text` as offsets in its NFC form, the first rounded down and the second up."""
    # Both forms decompose to the same sequence but for the order of marks, which stay within their cluster.
    lengths = [len(unicodedata.normalize("NFD", sign)) for sign in text]
    decomposed_start, decomposed_end = sum(lengths[:start]), sum(lengths[:end])
    ends = [0, *accumulate(len(unicodedata.normalize("NFD", sign)) for sign in composed)]
    return bisect_right(ends, decomposed_start) - 1, bisect_left(ends, decomposed_end)
