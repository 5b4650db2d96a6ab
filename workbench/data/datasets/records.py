"""Rows of files as records of named values, and the readers of JSON lines, CSV and TSV, plain or gzipped.

Every accessor either returns a value of its type or raises a DataError of one sentence with file and row. A file is
never in memory as a whole: a line over the limit ends the reading with a message before memory runs out.

Delimited files are UTF-8, with commas or semicolons in `.csv` and tabs in `.tsv`; rows are numbered as a spreadsheet
shows them: the header is row 1. A cell with a formula is refused; a cell that our own exports have escaped is read as
it was.

KILT's provenance names the Wikipedia pages that answer a question, and the sections in which they do. Source: Petroni
et al. (2021), KILT: {"id", "input", "output": [{"answer", "provenance": [{"wikipedia_id", "title", "section", …}]}]}. A
page is known by the id that KILT's knowledge source gives it; a corpus made from that source, or from a dump of the
English Wikipedia, calls it `en:` and the id.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from workbench.core import QUOTE_LIMIT, DataError, UsageError, shorten
from workbench.languages import ENGLISH
from workbench.workspace import plain_text

NOTHING_IMPORTED = "so nothing was imported"


@dataclass(frozen=True, slots=True)
class Record:
    """A row: `where` names the file and the row (“dev.jsonl, line 7”), `values` are as the format gives them."""

    where: str
    values: Mapping[str, object]

    def error(self, problem: str) -> DataError:
        """Return the error for a `problem` of this row, a phrase such as “lacks …” or “contains …”."""
        return DataError(f"{self.where} {problem}, {NOTHING_IMPORTED}.")

    def has(self, name: str) -> bool:
        """Return whether there is a value called `name` that is not null."""
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """Return a text without surrounding white space. Raises DataError if it is missing or empty."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise self.error(f"lacks a text “{shorten(name)}”")
        clean = cleaned(value)
        if not clean:
            raise self.error(f"has an empty “{shorten(name)}”")
        return clean

    def optional_text(self, name: str) -> str:
        """Return a text, "" if there is none. Raises DataError for another type."""
        value = self.values.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(f"has a “{shorten(name)}” that is not a text")
        return cleaned(value)

    def id(self, name: str) -> str:
        """Return an id, a text that is not empty or an integer. Raises DataError for anything else."""
        value = self.values.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not cleaned(value):
            raise self.error(f"lacks an id “{shorten(name)}”")
        return cleaned(value)

    def number(self, name: str) -> int:
        """Return an integer. Raises DataError for anything else."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"lacks an integer “{shorten(name)}”")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, each once, none empty; a single text is a list of one. Raises DataError otherwise."""
        value = self.values.get(name)
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise self.error(f"lacks a list of texts “{shorten(name)}”")
        return unique_texts(texts)

    def record(self, name: str) -> Record:
        """Return the object under `name`. Raises DataError if it is not one."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self.error(f"lacks an object “{shorten(name)}”")
        return Record(self.where, value)

    def records(self, name: str) -> list[Record]:
        """Return the list of objects under `name`. Raises DataError if it is not one."""
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.error(f"lacks a list of objects “{shorten(name)}”")
        return [Record(self.where, entry) for entry in value]


def cleaned(text: str) -> str:
    """Return `text` without byte order marks and surrounding white space."""
    return text.replace("\ufeff", "").strip()


def unique_texts(texts: list[str]) -> tuple[str, ...]:
    """Return each text once, cleaned, in order, without empty ones."""
    return tuple(dict.fromkeys(clean for text in texts if (clean := cleaned(text))))


LINE_LIMIT = 16 << 20
"""Bytes of one line. The longest lines of these datasets, TyDi QA's, hold a complete Wikipedia article each."""

ROWS_LIMIT = 1_000_000
"""Rows of one table of questions: they are checked in memory, about 1 KB each."""
FREE_BYTES, RATIO = 16 << 20, 200
"""A gzipped file may unpack to RATIO times its size, and to FREE_BYTES in any case. Real texts shrink to a third or a
tenth; the densest JSON lines known to us to a fiftieth."""

GZIP = b"\x1f\x8b"


def checked_file(path: Path, *, example: str = "data.jsonl") -> Path:
    """Return `path` if it is a readable file. Raises UsageError otherwise."""
    hint = f"Type the path of a file, for example: {example}"
    try:
        if path.is_dir():
            raise UsageError(f"“{path_text(path)}” is a folder. {hint}")
        if not path.exists():
            raise UsageError(f"There is no file “{path_text(path)}”. {hint}")
        if not path.is_file():
            raise UsageError(f"“{path_text(path)}” is not an ordinary file. {hint}")
        with path.open("rb"):
            return path
    except PermissionError as error:
        raise UsageError(f"“{path_text(path)}” may not be read. Allow reading it: chmod u+r FILE") from error
    except OSError as error:
        raise UsageError(f"“{path_text(path)}” cannot be read ({error.strerror}). {hint}") from error


def checked_folder(path: Path, content: str) -> Path:
    """Return `path` if it is a folder. Raises UsageError, which states the `content` that is expected."""
    if not path.is_dir():
        raise UsageError(f"There is no folder “{path_text(path)}”. Type the path of the folder with {content}.")
    return path


def path_text(path: Path) -> str:
    """Return the path for a message; a long one is cut at its start, since its end distinguishes files."""
    text = shorten(path, 10_000)
    return text if len(text) <= QUOTE_LIMIT else "…" + text[1 - QUOTE_LIMIT :]


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for its bytes, decompressed if they are gzipped, whatever the file's name."""
    checked_file(path)
    with path.open("rb") as raw:
        is_gzip = raw.read(2) == GZIP
        raw.seek(0)
        yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if is_gzip else raw


def lines(path: Path, *, limit: int = LINE_LIMIT, blank: bool = False, rows: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers from 1; empty ones are left out, unless `blank`.

    Raises UsageError for a path that is not a file, DataError for a truncated or damaged gzip file, one that unpacks to
    far more than its size, bytes that are not UTF-8, a line over `limit` bytes and more lines than `rows` (0: any
    number).
    """
    number, unpacked, empty = 0, 0, 0
    try:
        with open_bytes(path) as file:
            most = max(FREE_BYTES, RATIO * path.stat().st_size)
            while line := file.readline(limit + 1):
                number += 1
                unpacked += len(line)
                if unpacked > most:
                    raise DataError(
                        f"{path.name} unpacks to more than {RATIO} times its size, {NOTHING_IMPORTED}: unpack it and "
                        "import the unpacked file."
                    )
                if rows and number > rows:
                    raise DataError(f"{path.name} has more than {rows:,} lines, {NOTHING_IMPORTED}: split it.")
                if len(line) > limit:
                    raise DataError(f"{path.name}, line {number} is longer than {_size(limit)}, {NOTHING_IMPORTED}.")
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                empty += len(line) == 1
                if empty > ROWS_LIMIT:
                    raise DataError(f"{path.name} has more than {ROWS_LIMIT:,} empty lines, {NOTHING_IMPORTED}.")
                if blank or text.strip():
                    yield number, text.removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name}, line {number} is not UTF-8 (byte {error.start + 1} of the line), {NOTHING_IMPORTED}: "
            "save it as UTF-8."
        ) from error
    except EOFError as error:
        raise DataError(
            f"{path.name} is a truncated gzip file: it ends in line {number + 1}, {NOTHING_IMPORTED}. "
            "Download it again."
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"{path.name} is a damaged gzip file after line {number}, {NOTHING_IMPORTED}. Download it again."
        ) from error


def json_records(path: Path, *, limit: int = LINE_LIMIT, rows: int = 0) -> Iterator[Record]:
    """Yield the objects of a JSON-lines file.

    Raises as `lines` does, and DataError for a line that is not a JSON object.
    """
    for number, line in lines(path, limit=limit, rows=rows):
        yield json_record(f"{path.name}, line {number}", line)


def json_record(where: str, line: str) -> Record:
    """Return the JSON object in `line`; `where` is its place, for messages. Raises DataError."""
    value = json_value(where, line)
    if not isinstance(value, dict):
        raise DataError(f"{where} is not a JSON object {{…}}, {NOTHING_IMPORTED}.")
    return Record(where, value)


def json_value(where: str, line: str) -> object:
    """Return the JSON value in `line`; `where` is its place, for messages. Raises DataError."""
    try:
        value: object = json.loads(line)
        if "\\ud" in line.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{where} contains an invalid character (an unpaired surrogate), {NOTHING_IMPORTED}."
        ) from error
    except json.JSONDecodeError as error:
        line_words = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise DataError(
            f"{where} is not complete JSON ({error.msg} at {line_words}column {error.colno}), {NOTHING_IMPORTED}."
        ) from error
    except ValueError as error:
        raise DataError(f"{where} contains a number that is too long to read, {NOTHING_IMPORTED}.") from error
    except RecursionError as error:
        raise DataError(f"{where} is nested too deeply, {NOTHING_IMPORTED}.") from error
    return value


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"


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
    duplicate = next((name for index, name in enumerate(names) if name and name in names[:index]), None)
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


SECTION = "Section::::"
"""What the name of a section begins with in KILT's files."""
BEGINNING = "Abstract"
"""What KILT calls the text before a page's first heading."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The pages of a question, by the keys that a corpus knows them by, and headings in them ("": the beginning)."""

    pages: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()


def read_provenance(path: Path) -> Mapping[str, Provenance]:
    """The provenance of each question of a file, by its id. Raises DataError with file and line for an error in it."""
    return {record.id("id"): provenance_of(record) for record in json_records(path)}


def provenance_of(record: Record) -> Provenance:
    """The provenance of one question; every output counts, with an answer or without. Raises DataError."""
    pages: dict[str, None] = {}
    sections: dict[str, None] = {}
    for output in record.records("output") if record.has("output") else ():
        for provenance in output.records("provenance") if output.has("provenance") else ():
            if provenance.has("wikipedia_id"):
                pages[f"{ENGLISH}:{provenance.id('wikipedia_id')}"] = None
                if section := provenance.optional_text("section"):
                    sections["" if heading_of(section) == BEGINNING else heading_of(section)] = None
    return Provenance(tuple(pages), tuple(sections))


def heading_of(section: str) -> str:
    """A section's name as passages have it for their heading.

    >>> heading_of("Section::::History.")
    'History'
    """
    return section.strip().removeprefix(SECTION).removesuffix(".")
