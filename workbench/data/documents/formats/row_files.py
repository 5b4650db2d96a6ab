"""Tables and JSON lines: a row with a text is a document; rows of other tables are lines of one document.

Rows are read by the readers of datasets, with their limits on lines, cells and workbooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from workbench.core import DataError
from workbench.data.datasets.files.delimited import delimited_records
from workbench.data.datasets.files.record import NOTHING_IMPORTED, Record
from workbench.data.datasets.files.text_files import json_records
from workbench.data.datasets.files.workbook import sheet_names, workbook_records
from workbench.data.documents.document_parts import (
    NOT_READ,
    SECTION_LIMIT,
    DocumentStart,
    FileRequest,
    Part,
    Section,
    pieces,
)
from workbench.data.documents.formats.archive import open_zip

TEXT_NAMES = ("text", "content", "contents", "body", "passage")
"""Names of the column, or key, with a document's text."""
TITLE_NAMES, ID_NAMES, LANGUAGE_NAMES = ("title", "name"), ("id", "_id", "doc_id"), ("language", "lang")


def read_json_lines(request: FileRequest) -> Iterator[Part]:
    """Yields a document per line: `text` with, where they are there, `id`, `title`, `language`, `page` and `heading`.

    Raises DataError with the line for one that is not a JSON object or has no text.
    """
    yield from _renamed(request, _documents(request, json_records(request.path)))


def read_delimited(request: FileRequest) -> Iterator[Part]:
    """Yields the rows of a CSV or TSV file: documents where a column is called `text`, else lines of one document.

    Raises DataError as `delimited_records` does.
    """
    yield from _renamed(request, _table(request, delimited_records(request.path)))


def read_workbook(request: FileRequest) -> Iterator[Part]:
    """Yields the rows of every sheet of an .xlsx workbook, as `read_delimited` does; a sheet's name is its heading.

    Sheets without rows are passed over. Raises DataError as `workbook_records` does.
    """
    yield from _renamed(request, _workbook(request))


def _workbook(request: FileRequest) -> Iterator[Part]:
    with open_zip(request):
        names = sheet_names(request.path)
    count = 0
    for name in names:
        records = _rows(workbook_records(request.path, name))
        first = next(records, None)
        if first is None:
            continue
        count += 1
        sheet = f"{request.name}/{name}" if len(names) > 1 else request.name
        yield from _table(replace(request, name=sheet), chain([first], records), name if len(names) > 1 else "")
    if not count:
        raise request.error("has no rows under a header")


def _rows(records: Iterator[Record]) -> Iterator[Record]:
    """The rows of a sheet; none of an empty one."""
    try:
        yield from records
    except DataError as error:
        if " is empty, " not in str(error):
            raise


def _renamed(request: FileRequest, parts: Iterator[Part]) -> Iterator[Part]:
    """The parts; errors name the file as people know it."""
    try:
        yield from parts
    except DataError as error:
        message = str(error).replace(request.path.name, request.name).replace(NOTHING_IMPORTED, NOT_READ)
        raise DataError(message) from error


def _table(request: FileRequest, records: Iterator[Record], heading: str = "") -> Iterator[Part]:
    first = next(records, None)
    if first is None:
        raise request.error("has no rows under its header")
    if _name(first, TEXT_NAMES):
        yield from _documents(request, chain([first], records))
        return
    yield DocumentStart(request.name)
    waiting = ""
    for record in chain([first], records):
        cells = [(name, str(value).strip()) for name, value in record.values.items()]
        line = "; ".join(f"{name}: {value}" if name else value for name, value in cells if value)
        if waiting and len(waiting) + len(line) > SECTION_LIMIT:
            yield Section(waiting, heading=heading, kind="table")
            waiting = ""
        waiting += line + "\n"
    yield from (Section(piece, heading=heading, kind="table") for piece in pieces(waiting))


def _documents(request: FileRequest, records: Iterable[Record]) -> Iterator[Part]:
    last = ""
    for number, record in enumerate(records, start=1):
        column = _name(record, TEXT_NAMES)
        if not column:
            raise record.error("lacks a “text”")
        text = record.optional_text(column)
        identifier = _name(record, ID_NAMES)
        name = f"{request.name}#{record.id(identifier) if identifier else number}"
        if name != last:
            title, language = (_text(record, names) for names in (TITLE_NAMES, LANGUAGE_NAMES))
            yield DocumentStart(name, title, language)
            last = name
        page = record.values.get("page")
        number_of_page = page if isinstance(page, int) and not isinstance(page, bool) and page > 0 else 0
        heading = _text(record, ("heading",))
        yield from (Section(piece, number_of_page, heading) for piece in pieces(text))


def _name(record: Record, names: Iterable[str]) -> str:
    return next((name for name in names if record.has(name)), "")


def _text(record: Record, names: Iterable[str]) -> str:
    name = _name(record, names)
    value = record.values.get(name) if name else ""
    return " ".join(value.split())[:300] if isinstance(value, str) else ""
