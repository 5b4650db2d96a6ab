"""CSV and TSV files row by row, numbered as a spreadsheet shows them: the header is row 1.

Files are UTF-8, with commas or semicolons in `.csv` and tabs in `.tsv`. A cell with a formula is refused; a cell that
our own exports have escaped is read as it was.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.core import DataError, shorten
from workbench.data.datasets.files.record import NOTHING_IMPORTED, Record, cleaned
from workbench.data.datasets.files.text_files import LINE_LIMIT, lines
from workbench.workspace import plain_text

TABS = (".tsv", ".tab")


def delimited_records(path: Path, *, limit: int = LINE_LIMIT, rows: int = 0) -> Iterator[Record]:
    """Yield the rows under the header, except empty ones; more lines than `rows` (0: any number) are refused.

    Raises UsageError for a path that is not a file, DataError with file and row for a row with more or fewer cells than
    the header, an unclosed quotation mark, a formula, and everything that `text_files.lines` refuses.
    """
    numbered = _rows(path, limit, rows)
    first = next(numbered, None)
    if first is None:
        raise DataError(f"{path.name} is empty, {NOTHING_IMPORTED}: its first row should name the columns.")
    names = checked_header(path.name, [cleaned(name) for name in first[1]])
    for number, cells in numbered:
        where = f"{path.name}, row {number}"
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            raise DataError(f"{where} has {len(cells)} cells where the header has {len(names)}, {NOTHING_IMPORTED}.")
        yield Record(where, {name: _text(where, name, cell) for name, cell in zip(names, cells, strict=True)})


def checked_header(file: str, names: Sequence[str]) -> Sequence[str]:
    """Return the columns' names. Raises DataError if two are the same, or if there are none."""
    duplicate = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if duplicate is not None:
        raise DataError(f"{file}, row 1 names two columns “{shorten(duplicate)}”, {NOTHING_IMPORTED}.")
    if not any(names):
        raise DataError(f"{file}, row 1 names no columns, {NOTHING_IMPORTED}.")
    return names


def _rows(path: Path, limit: int, most: int) -> Iterator[tuple[int, list[str]]]:
    texts = (text for _, text in lines(path, limit=limit, blank=True, rows=most))
    first = next(texts, None)
    if first is None:
        return
    number = 0
    try:
        # A quoted cell may span several lines, so the reader needs their ends.
        reader = csv.reader(_with_ends(first, texts), delimiter=_delimiter(path, first), strict=True)
        for number, cells in enumerate(reader, start=1):
            yield number, cells
    except csv.Error as error:
        raise DataError(f"{path.name}, row {number + 1} cannot be read ({error}), {NOTHING_IMPORTED}.") from error


def _with_ends(first: str, texts: Iterator[str]) -> Iterator[str]:
    yield first + "\n"
    for text in texts:
        yield text + "\n"


def _delimiter(path: Path, header: str) -> str:
    if path.suffix.lower() in TABS or path.name.lower().removesuffix(".gz").endswith(TABS):
        return "\t"
    return ";" if ";" in header and "," not in header else ","


def _text(where: str, name: str, cell: str) -> str:
    if "\0" in cell:
        raise DataError(
            f"{where} contains a NUL byte in column “{shorten(name)}”, {NOTHING_IMPORTED}: this is not a text file."
        )
    if cell.lstrip().startswith("="):
        raise DataError(
            f"{where} has a formula in column “{shorten(name)}”, {NOTHING_IMPORTED}: type its value "
            "instead, or put an apostrophe before it."
        )
    return plain_text(cell)
