"""Text files: UTF-8, or UTF-16 and UTF-32 with a byte order mark; a piece in memory at a time."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from workbench.data.documents.document_parts import SECTION_LIMIT, DocumentStart, FileRequest, Part, Section, pieces

PIECE = 1 << 18
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks with their encodings, the longer ones first: UTF-32's begins with UTF-16's."""


def read_text(request: FileRequest) -> Iterator[Part]:
    """Yields the paragraphs of a text file, joined up to the length of a section.

    Raises DataError for an empty file, one with NUL characters and one in another encoding.
    """
    yield DocumentStart(request.name)
    waiting = ""
    for text in decoded(request):
        waiting += text
        if len(waiting) >= SECTION_LIMIT:
            # A paragraph that goes on in the next piece is not cut, unless it is longer than a section.
            cut = waiting.rfind("\n\n") + 2
            end = cut if cut > 2 else max(waiting.rfind("\n"), waiting.rfind(" ")) + 1
            end = end or len(waiting)
            yield from (Section(piece) for piece in pieces(waiting[:end]))
            waiting = waiting[end:]
    yield from (Section(piece) for piece in pieces(waiting))


def lines_of(request: FileRequest) -> Iterator[str]:
    """Yields the lines of a text file without their ends; a long one in several. Raises as `read_text`."""
    waiting = ""
    for text in decoded(request):
        *complete, waiting = (waiting + text).split("\n")
        for line in complete:
            yield from pieces(line) if len(line) > SECTION_LIMIT else [line]
        if len(waiting) > SECTION_LIMIT:
            *parts, waiting = [*pieces(waiting), ""] if waiting.isspace() else pieces(waiting)
            yield from parts
    yield waiting


def decoded(request: FileRequest) -> Iterator[str]:
    """Yields the text of a file in pieces, with line feeds as the only line ends. Raises as `read_text` does."""
    with request.path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if not start:
            raise request.error("is empty")
        encoding = next((name for mark, name in MARKS if start.startswith(mark)), "utf-8")
        decoder = codecs.getincrementaldecoder(encoding)()
        before, carriage = 0, False
        while True:
            data = file.read(PIECE)
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                place = before + error.start + 1
                name = encoding.removesuffix("-sig").upper()
                raise request.error(f"is not {name} (near byte {place:,})", "save it as UTF-8") from error
            before += len(data)
            if "\0" in text:
                raise request.error("contains NUL characters, as no text file does", "save it as UTF-8 text")
            if carriage:
                text = "\r" + text
            carriage = bool(data) and text.endswith("\r")
            text = text.removesuffix("\r") if carriage else text
            if text:
                yield text.replace("\r\n", "\n").replace("\r", "\n")
            if not data:
                return
