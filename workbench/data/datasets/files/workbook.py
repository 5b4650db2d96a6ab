"""Excel workbooks (.xlsx) row by row, through openpyxl: texts and numbers, never the result of a formula.

A sheet is read as a stream. An .xlsx is a zip file: one that would unpack to more than the limit is refused unread,
and one with more cells or longer texts than a sheet can hold after one pass over its XML (see `workbook_limits`).
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

from workbench.core import DataError, MissingError, shorten, unknown_name
from workbench.data.datasets.files.delimited import checked_header
from workbench.data.datasets.files.record import NOTHING_IMPORTED, Record, cleaned
from workbench.data.datasets.files.text_files import ROWS_LIMIT, checked_file
from workbench.data.datasets.files.workbook_limits import check_workbook
from workbench.workspace import plain_text

if TYPE_CHECKING:
    from openpyxl.cell import Cell, MergedCell
    from openpyxl.workbook import Workbook

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
        names = list(book.sheetnames)
        if sheet and sheet not in names:
            raise unknown_name(f"sheet of {path.name}", sheet, names)
        worksheet = book[sheet or names[0]]
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
        with zipfile.ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
            if size <= limit:
                check_workbook(path, parts)
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
