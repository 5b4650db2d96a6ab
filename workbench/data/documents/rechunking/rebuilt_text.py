"""The text of a document, put together from its passages in a corpus, with the place of each in it.

A corpus keeps passages, not the texts that they were cut from. What was left out between two of them is lost: they are
joined by a blank, by nothing inside a script without spaces, and by an empty line where another heading begins, so
paragraphs within a document are not those of its file. Where the passages of a document overlap, the longest end of one
that the next begins with is in the text once.

A *stretch* is what can be joined: consecutive rows of one document whose positions follow each other. Where a passage
is missing, as a near-duplicate that was left out, another stretch begins, so that no new passage runs over the gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import regex

from workbench.core import Passage
from workbench.data.documents.chunking import BUFFER, SEPARATOR, Span, Splitter
from workbench.languages import SPACELESS

LEAST_OVERLAP = 16
"""Characters from which what two passages share counts as repeated: fewer are often alike by chance."""
MOST_OVERLAP = 20_000
SPACELESS_SIDE = regex.compile(rf"[{SPACELESS}\p{{Po}}\p{{Ps}}\p{{Pe}}]")
SPACELESS_LETTER = regex.compile(rf"[{SPACELESS}]")


@dataclass(frozen=True)
class Stretch:
    """Passages of a document that follow each other."""

    passages: tuple[Passage, ...]

    @property
    def name(self) -> str:
        """The id of its first passage, which no other stretch of the corpus has."""
        return self.passages[0].id

    @cached_property
    def _joined(self) -> tuple[str, tuple[Span, ...]]:
        return _join(self.passages)

    @property
    def text(self) -> str:
        """The text of the passages together."""
        return self._joined[0]

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where each passage begins and ends in the text, in characters, without white space around it."""
        return self._joined[1]


def stretches(rows: Iterable[tuple[int, Passage]]) -> Iterator[Stretch]:
    """The stretches of passages with their rows, ascending; one document is in memory at a time."""
    members: list[Passage] = []
    last = -1
    for row, passage in rows:
        before = members[-1] if members else None
        follows = (
            before is not None
            and row == last + 1
            and passage.document == before.document
            and passage.position == before.position + 1
        )
        if members and not follows:
            yield Stretch(tuple(members))
            members = []
        members.append(passage)
        last = row
    if members:
        yield Stretch(tuple(members))


def new_spans(text: str, splitter: Splitter, *, buffer: int = BUFFER) -> Iterator[Span]:
    """The spans of `text` by a splitter, a buffer at a time, as files are split; nothing but white space is left out.

    White space around a span is not part of it.
    """
    begin, covered = 0, 0
    while True:
        spans, end = _of_buffer(text, begin, splitter, buffer)
        is_last = end == len(text)
        for start, stop in spans if is_last else spans[:-1]:
            # What a splitter passed over belongs to the next span: an answer may be in it.
            start = covered if text[covered:start].strip() else start
            span = _trimmed(text, start, stop)
            if span[1] > span[0]:
                yield span
            covered = max(covered, stop)
        if is_last:
            break
        begin = spans[-1][0]
    if text[covered:].strip():
        yield _trimmed(text, covered, len(text))


def _of_buffer(text: str, begin: int, splitter: Splitter, buffer: int) -> tuple[Sequence[Span], int]:
    """The spans of a buffer of `text`, and where it ends: as many characters as two spans need."""
    size = buffer
    while True:
        end = min(begin + size, len(text))
        spans = [(begin + start, begin + stop) for start, stop in splitter(text[begin:end])]
        if end == len(text) or (len(spans) > 1 and spans[-1][0] > begin):
            return spans, end
        size *= 2


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def _join(passages: Sequence[Passage]) -> tuple[str, tuple[Span, ...]]:
    texts = [passage.text.strip() for passage in passages]
    repeated = _overlaps(texts)
    parts: list[str] = []
    spans: list[Span] = []
    size = 0
    for number, (passage, text) in enumerate(zip(passages, texts, strict=True)):
        shared = repeated[number - 1] if number else 0
        if number and not shared:
            separator = _separator(passages[number - 1], passage)
            parts.append(separator)
            size += len(separator)
        parts.append(text[shared:])
        spans.append((size - shared, size - shared + len(text)))
        size += len(text) - shared
    return "".join(parts), tuple(spans)


def _overlaps(texts: Sequence[str]) -> list[int]:
    """How many characters each text but the first repeats of the one before it.

    All 0 where fewer than half of the joints are alike: in such a document what is alike is a repetition of its own.
    """
    shared = [_shared(one, other) for one, other in pairwise(texts)]
    return shared if 2 * sum(map(bool, shared)) >= len(shared) else [0] * len(shared)


def _shared(one: str, other: str) -> int:
    """The length of the longest end of `one` that `other` begins with, 0 below LEAST_OVERLAP."""
    beginning = other[:LEAST_OVERLAP]
    if len(beginning) < LEAST_OVERLAP:
        return 0
    # The earliest place is the longest overlap; that of the complete text would be no overlap of neighbours.
    place = one.find(beginning, max(1, len(one) - MOST_OVERLAP))
    while place >= 0:
        shared = len(one) - place
        if shared < len(other) and other.startswith(one[place:]):
            return shared
        place = one.find(beginning, place + 1)
    return 0


def _separator(before: Passage, after: Passage) -> str:
    if before.heading != after.heading:
        return SEPARATOR
    left, right = before.text.rstrip()[-1:], after.text.lstrip()[:1]
    sides = [SPACELESS_SIDE.fullmatch(sign) for sign in (left, right)]
    letters = [SPACELESS_LETTER.fullmatch(sign) for sign in (left, right)]
    return "" if all(sides) and any(letters) else " "
