"""Whether an .xlsx workbook is small enough to read: its XML is streamed once, and nothing of it is kept.

openpyxl builds each row, and each shared text, in memory; a zip file of 1 MB may hold a row of 16 million cells. Excel
itself allows 16,384 columns, 1,048,576 rows and 32,767 characters in a cell.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.parsers import expat

from workbench.core import DataError
from workbench.data.datasets.files.record import NOTHING_IMPORTED

SHEETS, TEXTS = "xl/worksheets/", "xl/sharedStrings"
PART_LIMIT = 16 << 20
"""Bytes of any other part that openpyxl reads as a whole, such as its styles."""
COLUMNS_LIMIT = 16_384
ROWS_LIMIT = 1_048_576
CELLS_LIMIT = 10_000_000
TEXTS_LIMIT = 2_000_000
CELL_LIMIT = 1 << 20
"""Characters of one cell, thirty times as many as Excel allows."""
CHARACTERS_LIMIT = 200_000_000
TOKEN_LIMIT = 4 << 20
"""Bytes of one piece of XML, such as a tag with its attributes."""
DEPTH_LIMIT = 64
PIECE = 1 << 16


def check_workbook(path: Path, book: zipfile.ZipFile) -> None:
    """Raises DataError for a workbook with too much in it, and what `zipfile` and `expat` raise for a damaged one."""
    for part in book.infolist():
        name = part.filename.removeprefix("/")
        if name.startswith((SHEETS, TEXTS)) and name.endswith(".xml"):
            _PartCheck(path.name).read(book, part)
        elif name.endswith((".xml", ".rels")) and part.file_size > PART_LIMIT:
            raise DataError(
                f"{path.name} has a part {name[:60]} of {part.file_size >> 20:,} MiB, {NOTHING_IMPORTED}: save the "
                "sheet as CSV."
            )


class _PartCheck:
    """Counts rows, cells and characters of one part while it is read."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._depth = self._rows = self._cells = self._row_cells = self._width = self._texts = 0
        self._characters = self._cell_characters = 0

    def read(self, book: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = False
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        count = 0
        with book.open(part) as stream:
            while piece := stream.read(PIECE):
                count += len(piece)
                parser.Parse(piece, False)
                if count - max(parser.CurrentByteIndex, 0) > TOKEN_LIMIT:
                    raise self._error("a piece of XML that is too long")
            parser.Parse(b"", True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise self._error("XML that is nested too deeply")
        kind = name.rpartition(" ")[2]
        if kind == "row":
            self._rows += 1
            self._row_cells = self._width = 0
            if self._rows > ROWS_LIMIT:
                raise self._error(f"more than {ROWS_LIMIT:,} rows")
        elif kind == "c":
            self._row_cells += 1
            # A cell's place fills the row up to it with empty ones.
            width = max(self._row_cells, _column(attributes.get("r", "")))
            self._cells += max(width - self._width, 1)
            self._width = max(width, self._width)
            if width > COLUMNS_LIMIT:
                raise self._error(f"more than {COLUMNS_LIMIT:,} cells in row {self._rows:,}")
            if self._cells > CELLS_LIMIT:
                raise self._error(f"more than {CELLS_LIMIT:,} cells")
        elif kind == "si":
            self._texts += 1
            if self._texts > TEXTS_LIMIT:
                raise self._error(f"more than {TEXTS_LIMIT:,} texts")
        if kind in ("c", "si"):
            self._cell_characters = 0

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _text(self, text: str) -> None:
        self._characters += len(text)
        self._cell_characters += len(text)
        if self._cell_characters > CELL_LIMIT:
            raise self._error(f"a cell of more than {CELL_LIMIT:,} characters")
        if self._characters > CHARACTERS_LIMIT:
            raise self._error(f"more than {CHARACTERS_LIMIT:,} characters")

    def _error(self, content: str) -> DataError:
        return DataError(f"{self._file} has {content}, {NOTHING_IMPORTED}: save the sheet as CSV.")


def _column(place: str) -> int:
    """The number of a cell's column, from 1, by its place such as “AB12”; 0 where it states none."""
    number = 0
    for letter in place[:8]:
        if not "A" <= letter <= "Z":
            break
        number = 26 * number + ord(letter) - 64
    return number
