"""Text files line by line, plain or gzipped, and JSON lines; errors state file and line.

A file is never in memory as a whole: a line over the limit ends the reading with a message before memory runs out.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from workbench.core import QUOTE_LIMIT, DataError, UsageError, shorten
from workbench.data.datasets.files.record import NOTHING_IMPORTED, Record

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
            f"{where} contains half a character (an unpaired \\uD800 to \\uDFFF), {NOTHING_IMPORTED}."
        ) from error
    except json.JSONDecodeError as error:
        raise DataError(
            f"{where} is not complete JSON ({error.msg} at column {error.colno}), {NOTHING_IMPORTED}."
        ) from error
    except ValueError as error:
        raise DataError(f"{where} contains a number that is too long to read, {NOTHING_IMPORTED}.") from error
    except RecursionError as error:
        raise DataError(f"{where} is nested too deeply, {NOTHING_IMPORTED}.") from error
    return value


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
