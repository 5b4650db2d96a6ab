"""Text files line by line, plain or gzipped, and JSON lines: what is wrong is said with file and line.

A file is never held whole: a line longer than the limit ends the reading with a sentence, not with the machine's
memory.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from workbench.datasets.files.record import NOTHING, Record
from workbench.errors import GIVEN_LIMIT, DataError, UsageError, shorten

LINE_LIMIT = 16 << 20
"""Bytes of one line. The longest lines of these datasets, TyDi QA's, hold a whole Wikipedia article each."""

GZIP = b"\x1f\x8b"


def checked_file(path: Path, *, example: str = "data.jsonl") -> Path:
    """`path`, if it is a file that may be read. Raises UsageError."""
    hint = f"Type the path of a file, for example: {example}"
    try:
        if path.is_dir():
            raise UsageError(f"“{shown(path)}” is a folder. {hint}")
        if not path.exists():
            raise UsageError(f"There is no file “{shown(path)}”. {hint}")
        if not path.is_file():
            raise UsageError(f"“{shown(path)}” is no ordinary file. {hint}")
        with path.open("rb"):
            return path
    except PermissionError as error:
        raise UsageError(f"“{shown(path)}” may not be read. Allow reading it: chmod u+r FILE") from error
    except OSError as error:
        raise UsageError(f"“{shown(path)}” cannot be read ({error.strerror}). {hint}") from error


def checked_folder(path: Path, what: str) -> Path:
    """`path`, if it is a folder. Raises UsageError, which says `what` the folder should hold."""
    if not path.is_dir():
        raise UsageError(f"There is no folder “{shown(path)}”. Type the path of the folder with {what}.")
    return path


def shown(path: Path) -> str:
    """The path for a message; of a long one its end, which tells files apart."""
    text = shorten(path, 10_000)
    return text if len(text) <= GIVEN_LIMIT else "…" + text[1 - GIVEN_LIMIT :]


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where they are gzipped, whatever the file is called."""
    checked_file(path)
    with path.open("rb") as raw:
        packed = raw.read(2) == GZIP
        raw.seek(0)
        yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw


def lines(path: Path, *, limit: int = LINE_LIMIT, blank: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers from 1; empty ones are left out, unless `blank`.

    Raises UsageError for a path that is no file, DataError for a cut or damaged gzip file, bytes that are no UTF-8 and
    a line over `limit` bytes.
    """
    number = 0
    try:
        with opened(path) as file:
            while line := file.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    raise DataError(f"{path.name}, line {number} is longer than {_size(limit)}, {NOTHING}.")
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if blank or text.strip():
                    yield number, text.removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name}, line {number} is not UTF-8 (byte {error.start + 1} of the line), {NOTHING}: save it as "
            "UTF-8."
        ) from error
    except EOFError as error:
        raise DataError(
            f"{path.name} is a cut gzip file: it ends in line {number + 1}, {NOTHING}. Fetch it again."
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"{path.name} is a damaged gzip file after line {number}, {NOTHING}. Fetch it again."
        ) from error


def json_records(path: Path, *, limit: int = LINE_LIMIT) -> Iterator[Record]:
    """The JSON objects of a JSON-lines file. Raises as `lines` does, and DataError for a line that is no JSON "
    "object.
    """
    for number, line in lines(path, limit=limit):
        yield json_record(f"{path.name}, line {number}", line)


def json_record(where: str, line: str) -> Record:
    """The JSON object in `line`. Raises DataError."""
    value = json_value(where, line)
    if not isinstance(value, dict):
        raise DataError(f"{where} is no JSON object {{…}}, {NOTHING}.")
    return Record(where, value)


def json_value(where: str, line: str) -> object:
    """The JSON value in `line`. Raises DataError."""
    try:
        value: object = json.loads(line)
        if "\\ud" in line.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(f"{where} holds half a character (an unpaired \\uD800 to \\uDFFF), {NOTHING}.") from error
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not whole JSON ({error.msg} at column {error.colno}), {NOTHING}.") from error
    except ValueError as error:
        raise DataError(f"{where} holds a number too long to read, {NOTHING}.") from error
    except RecursionError as error:
        raise DataError(f"{where} is nested too deeply, {NOTHING}.") from error
    return value


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
