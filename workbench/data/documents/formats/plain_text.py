"""Text, Markdown and tables of texts.

Text is UTF-8, or UTF-16 and UTF-32 with a byte order mark; a piece is in memory at a time. In Markdown headings part
the text, and marks of emphasis, links and images go; the words stay as they are. In tables and JSON lines a row with a
text is a document; rows of other tables are lines of one document. They are read by the readers of datasets, with their
limits on lines, cells and workbooks.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import regex

from workbench.core import DataError
from workbench.data.datasets.records import NOTHING_IMPORTED, Record, delimited_records, json_records
from workbench.data.datasets.workbook import sheet_names, workbook_records
from workbench.data.documents.formats.archive import open_zip
from workbench.data.documents.isolated_reading import (
    NOT_READ,
    SECTION_LIMIT,
    DocumentStart,
    FileRequest,
    Part,
    Section,
    pieces,
)

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
        if not start:
            raise request.error("is empty")
        encoding = next((name for mark, name in MARKS if start.startswith(mark)), "utf-8")
        file.seek(0)
        text = io.TextIOWrapper(file, encoding=encoding)
        try:
            while piece := text.read(PIECE):
                if "\0" in piece:
                    raise request.error("contains NUL characters, as no text file does", "save it as UTF-8 text")
                yield piece
        except UnicodeDecodeError as error:
            position = file.tell() - len(error.object) + error.start + 1
            name = encoding.removesuffix("-sig").upper()
            raise request.error(f"is not {name} (near byte {position:,})", "save it as UTF-8") from error


HEADING = regex.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*")
UNDERLINE = regex.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
FENCE = regex.compile(r" {0,3}(```+|~~~+)")
IMAGE_OR_LINK = regex.compile(
    r"!?\[([^\[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)|\[[^\[\]]{0,200}\])"
)
EMPHASIS = regex.compile(r"(?<![\p{L}\p{N}*_])(\*{1,3}|_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?![\p{L}\p{N}*_])")
CODE = regex.compile(r"(`+)(.{1,1000}?)\1")
FRONT = regex.compile(r"(title|lang|language):[ \t]*[\"']?(.*?)[\"']?[ \t]*")
FRONT_LINES = 60
HEADING_LIMIT = 300


def read_markdown(request: FileRequest) -> Iterator[Part]:
    """Yields a Markdown file's paragraphs under their headings; the title is that of its front matter or first heading.

    Raises DataError as `read_text` does.
    """
    lines = lines_of(request)
    first = [line for _, line in zip(range(FRONT_LINES), lines, strict=False)]
    facts, body = _front_matter(first)
    title = facts.get("title", "") or next((match[2] for line in body if (match := HEADING.fullmatch(line))), "")
    yield DocumentStart(request.name, plain(title), facts.get("lang", "") or facts.get("language", ""))
    heading, waiting, fence = "", "", ""

    def section() -> Iterator[Part]:
        yield from (Section(piece, heading=heading) for piece in pieces(waiting))

    def rest() -> Iterator[str]:
        yield from body
        yield from lines

    for line in rest():
        match = None if fence else HEADING.fullmatch(line)
        fenced = FENCE.match(line)
        if fenced and (not fence or fenced[1].startswith(fence)):
            fence = "" if fence else fenced[1]
        elif match:
            yield from section()
            heading, waiting = plain(match[2])[:HEADING_LIMIT], ""
            yield Section(heading, heading=heading, kind="heading")
        elif fence or not UNDERLINE.fullmatch(line):
            waiting += (line if fence else plain(line)) + "\n"
        elif waiting.strip() and not waiting.endswith("\n\n"):
            # A line of = or - makes a heading of the line above it.
            above, _, last = waiting.removesuffix("\n").rpartition("\n")
            waiting = above
            yield from section()
            heading, waiting = last.strip()[:HEADING_LIMIT], ""
            yield Section(heading, heading=heading, kind="heading")
        if len(waiting) >= SECTION_LIMIT:
            yield from section()
            waiting = ""
    yield from section()


def plain(text: str) -> str:
    """A line without the marks of links, images, code and emphasis.

    >>> plain("See **the [map](https://example.org)** of `Oulu`")
    'See the map of Oulu'
    """
    return EMPHASIS.sub(r"\2", CODE.sub(r"\2", IMAGE_OR_LINK.sub(r"\1", text)))


def _front_matter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """What the block between two lines of --- at the beginning states, and the lines after it."""
    if not lines or lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return {}, lines
    end = [line.strip() for line in lines[1:]].index("---") + 1
    matches = [match for line in lines[1:end] if (match := FRONT.fullmatch(line))]
    return {match[1]: match[2] for match in matches}, lines[end + 1 :]


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
