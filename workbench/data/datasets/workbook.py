"""Excel workbooks (.xlsx) row by row, through openpyxl: texts and numbers, never the result of a formula.

A sheet is read as a stream, but openpyxl builds each row, and each shared text, in memory; a zip file of 1 MB may hold
a row of 16 million cells. One that would unpack to more than the limit is refused unread, and one with more cells or
longer texts than a sheet can hold after one pass over its XML, of which nothing is kept. Excel itself allows 16,384
columns, 1,048,576 rows and 32,767 characters in a cell.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat
from xml.parsers.expat import ExpatError

from workbench.core import DataError, MissingError, shorten, unknown_name
from workbench.data.datasets.records import NOTHING_IMPORTED, ROWS_LIMIT, Record, checked_file, checked_header, cleaned
from workbench.workspace import plain_text

if TYPE_CHECKING:
    from openpyxl.cell import Cell, MergedCell
    from openpyxl.workbook import Workbook


SHEETS, TEXTS = "xl/worksheets/", "xl/sharedStrings"
PART_LIMIT = 16 << 20
"""Bytes of any other part that openpyxl reads as a whole, such as its styles."""
COLUMNS_LIMIT = 16_384
SHEET_ROWS_LIMIT = 1_048_576
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
    for member in book.infolist():
        name = member.filename.removeprefix("/")
        if name.startswith((SHEETS, TEXTS)) and name.endswith(".xml"):
            _PartCheck(path.name).read(book, member)
        elif name.endswith((".xml", ".rels")) and member.file_size > PART_LIMIT:
            raise DataError(
                f"{path.name} has a part {name[:60]} of {member.file_size >> 20:,} MiB, {NOTHING_IMPORTED}: save the "
                "sheet as CSV."
            )


class _PartCheck:
    """Counts rows, cells and characters of one part while it is read."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._depth = self._rows = self._cells = self._row_cells = self._width = self._texts = 0
        self._characters = self._cell_characters = 0

    def read(self, book: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = False
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        count = 0
        with book.open(member) as stream:
            while chunk := stream.read(PIECE):
                count += len(chunk)
                parser.Parse(chunk, False)
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
            if self._rows > SHEET_ROWS_LIMIT:
                raise self._error(f"more than {SHEET_ROWS_LIMIT:,} rows")
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


def _column(reference: str) -> int:
    """The number of a cell's column, from 1, by its place such as “AB12”; 0 where it states none."""
    number = 0
    for letter in reference[:8]:
        if not "A" <= letter <= "Z":
            break
        number = 26 * number + ord(letter) - 64
    return number


UNPACKED_LIMIT = 512 << 20
"""Bytes of a workbook once unpacked."""
FORMULA, ERROR = "f", "e"
"""openpyxl's types of cells without a value: formulas and errors."""


def workbook_records(path: Path, sheet: str = "", *, limit: int = UNPACKED_LIMIT) -> Iterator[Record]:
    """Yield the rows under the header of a sheet ("": the first), except empty ones, numbered as Excel does.

    Raises UsageError for a sheet that does not exist, DataError with file and row for formulas and errors in cells,
    MissingError without openpyxl.
    """
    with closing(_opened(path, limit)) as book:
        sheets = {item.title: item for item in book.worksheets}  # without those that hold a chart alone
        if not sheets:
            raise DataError(f"{path.name} has no sheet with cells, {NOTHING_IMPORTED}: add one with a header and rows.")
        if sheet and sheet not in sheets:
            raise unknown_name(f"sheet of {path.name}", sheet, sheets)
        worksheet = sheets[sheet or next(iter(sheets))]
        # A workbook may state a wrong size, and the rows beyond it would be lost.
        worksheet.reset_dimensions()
        try:
            yield from _records(path.name, worksheet.iter_rows())
        except DataError:
            raise
        except Exception as error:  # openpyxl raises what its XML reader, zip reader and number reader raise
            raise _damaged(path, error) from error


def sheet_names(path: Path, *, limit: int = UNPACKED_LIMIT) -> tuple[str, ...]:
    """Return the names of a workbook's sheets, in order. Raises as `workbook_records` does."""
    with closing(_opened(path, limit)) as book:
        return tuple(sheet.title for sheet in book.worksheets)


def _opened(path: Path, limit: int) -> Workbook:
    checked_file(path, example="data.xlsx")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size <= limit:
                check_workbook(path, archive)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OSError,
        ValueError,
        ExpatError,
    ) as error:
        raise DataError(
            f"{path.name} is not a complete .xlsx workbook, {NOTHING_IMPORTED}: save it as .xlsx without a password."
        ) from error
    if size > limit:
        raise DataError(
            f"{path.name} unpacks to {size >> 20:,} MiB, more than the {limit >> 20:,} allowed, {NOTHING_IMPORTED}: "
            "save it as CSV."
        )
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingError(
            "Reading .xlsx needs openpyxl. Type: pip install openpyxl  – or save the sheet as CSV."
        ) from error
    try:
        return load_workbook(path, read_only=True, data_only=False, keep_links=False)
    except Exception as error:  # as above: a damaged workbook raises anything
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(f"{path.name} is not a complete .xlsx workbook ({shorten(error)}), {NOTHING_IMPORTED}.")


def _records(file: str, rows: Iterator[Sequence[Cell | MergedCell]]) -> Iterator[Record]:
    names: Sequence[str] = ()
    for number, cells in enumerate(rows, start=1):
        where = f"{file}, row {number}"
        if number > ROWS_LIMIT:
            raise DataError(f"{file} has more than {ROWS_LIMIT:,} rows, {NOTHING_IMPORTED}: split it.")
        if not names:
            names = checked_header(file, [cleaned(_text(where, "", cell)) for cell in cells])
            while names and not names[-1]:
                names = names[:-1]
            continue
        texts = [_text(where, name, cell) for name, cell in zip(names, cells, strict=False)]
        if any(cell.value is not None for cell in cells[len(names) :]):
            raise DataError(f"{where} has a cell to the right of the named columns, {NOTHING_IMPORTED}.")
        if any(text.strip() for text in texts):
            yield Record(where, dict(zip(names, texts + [""] * (len(names) - len(texts)), strict=True)))
    if not names:
        raise DataError(f"{file} is empty, {NOTHING_IMPORTED}: its first row should name the columns.")


def _text(where: str, name: str, cell: Cell | MergedCell) -> str:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == FORMULA:
        raise DataError(
            f"{where} has a formula in column “{shorten(name)}”, {NOTHING_IMPORTED}: type its value instead."
        )
    if cell.data_type == ERROR:
        raise DataError(
            f"{where} has the error {shorten(value)} in column “{shorten(name)}”, {NOTHING_IMPORTED}: "
            "correct that cell."
        )
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return value.isoformat() if isinstance(value, date | time) else plain_text(str(value))
