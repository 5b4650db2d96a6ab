"""A stream of sections becomes a stream of chunks that know their pages and headings.

Sections are joined into a buffer, which is split; its last chunk waits for the sections that follow, so that no passage
ends where the buffer did.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.data.documents.chunking.chunk_method import ChunkMethod, Splitter
from workbench.data.documents.document_parts import Section

BUFFER = 60_000
"""Characters that are split at once."""
SEPARATOR = "\n\n"


class PlacedChunk(NamedTuple):
    """A piece of a document with the pages on which it begins and ends (0: none) and the heading above it."""

    text: str
    page: int
    page_end: int
    heading: str


def splitter_of(method: ChunkMethod) -> Splitter:
    """The function that splits a text by a method."""
    if method.unit == "words":
        from workbench.data.documents.chunking.windows import windows

        return lambda text: windows(text, method.size)
    from workbench.data.documents.chunking.llama_splitters import split

    return lambda text: split(text, method)


def chunks(sections: Iterable[Section], splitter: Splitter, *, buffer: int = BUFFER) -> Iterator[PlacedChunk]:
    """The chunks of one document's sections. A heading is part of the text that follows it."""
    text = ""
    places: list[tuple[int, Section]] = []
    for section in sections:
        if text:
            text += SEPARATOR
        places.append((len(text), section))
        text += section.text.strip()
        if len(text) >= buffer:
            spans = splitter(text)
            for start, end in spans[:-1]:
                yield _placed(text, start, end, places)
            # From the last span on, what was split waits for more; so does the section in which it begins.
            start = spans[-1][0] if spans else len(text)
            if len(spans) < 2 and len(text) >= 4 * buffer:
                yield from (_placed(text, *span, places) for span in spans)
                start = len(text)
            first = max(bisect_right([place for place, _ in places], start) - 1, 0)
            places = [(max(place - start, 0), item) for place, item in places[first:]]
            text = text[start:]
    yield from (_placed(text, start, end, places) for start, end in splitter(text) if text.strip())


def _placed(text: str, start: int, end: int, places: list[tuple[int, Section]]) -> PlacedChunk:
    starts = [place for place, _ in places]
    first = places[max(bisect_right(starts, start) - 1, 0)][1]
    last = places[max(bisect_right(starts, max(end - 1, start)) - 1, 0)][1]
    return PlacedChunk(text[start:end].strip(), first.page, last.page, first.heading)
