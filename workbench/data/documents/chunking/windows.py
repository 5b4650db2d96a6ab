"""Passages of a number of words, or of characters in scripts without spaces (Chirkova et al., 2024, section 3)."""

from __future__ import annotations

import regex

from workbench.data.documents.chunking.chunk_method import Span
from workbench.languages import SPACELESS

WORD = regex.compile(r"\S+")
LETTER = regex.compile(r"\p{L}")
SPACELESS_LETTER = regex.compile(rf"[{SPACELESS}]")


def windows(text: str, size: int) -> list[Span]:
    """Spans of `size` words; in a text mostly of a script without spaces, of `size` characters.

    No sign is separated from its letter, and the text between two spans is white space.

    >>> windows("one two three", 2)
    [(0, 7), (8, 13)]
    """
    if is_spaceless(text):
        return _characters(text, size)
    words = [match.span() for match in WORD.finditer(text)]
    return [(words[start][0], words[min(start + size, len(words)) - 1][1]) for start in range(0, len(words), size)]


def is_spaceless(text: str) -> bool:
    """Whether most letters of `text` are of scripts without spaces between words."""
    return 2 * len(SPACELESS_LETTER.findall(text)) > len(LETTER.findall(text))


def _characters(text: str, size: int) -> list[Span]:
    # Clusters are not cut: a vowel sign at a passage's beginning would stand on nothing.
    ends = [match.end() for match in regex.finditer(r"\X", text)]
    spans: list[Span] = []
    start = last = 0
    for end in ends:
        if end - start > size and last > start:
            spans.append((start, last))
            start = last
        last = end
    spans.append((start, last))
    return [span for span in (_trimmed(text, *span) for span in spans) if span[1] > span[0]]


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
