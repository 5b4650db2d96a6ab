"""The process in which files are read: requests come on stdin, the parts of documents go out on stdout, as JSON lines.

Which reader a file gets is decided by its content where that is plain to see, by its name otherwise. The process's
memory is limited, since it runs C++ and XML parsers over files of strangers; whatever happens to it, the workbench goes
on (`isolated_reading`).
"""

from __future__ import annotations

import json
import os
import resource
import sys
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from workbench.core import WorkbenchError
from workbench.data.documents.formats.archive import read_archive, read_book, read_slides, read_word, refuse_nested
from workbench.data.documents.formats.markup import read_web_page
from workbench.data.documents.formats.plain_text import (
    read_delimited,
    read_json_lines,
    read_markdown,
    read_text,
    read_workbook,
)
from workbench.data.documents.isolated_reading import FileReader, FileRequest, OcrRequest, Part
from workbench.data.documents.pdf.pdf_file import read_pdf
from workbench.data.documents.pdf.pdf_pages import shown_page

ALLOWED = ".pdf, .docx, .pptx, .xlsx, .csv, .tsv, .html, .md, .txt, .epub, .jsonl, and .zip of these"
BY_NAME: dict[str, FileReader] = {
    ".pdf": read_pdf,
    **dict.fromkeys((".docx", ".docm"), read_word),
    **dict.fromkeys((".pptx", ".pptm"), read_slides),
    **dict.fromkeys((".xlsx", ".xlsm"), read_workbook),
    **dict.fromkeys((".csv", ".tsv", ".tab"), read_delimited),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_web_page),
    **dict.fromkeys((".md", ".markdown"), read_markdown),
    **dict.fromkeys((".txt", ".text", ".rst", ".log"), read_text),
    **dict.fromkeys((".jsonl", ".ndjson"), read_json_lines),
    ".epub": read_book,
}
BY_PART: tuple[tuple[str, FileReader], ...] = (
    ("word/document.xml", read_word),
    ("ppt/presentation.xml", read_slides),
    ("xl/workbook.xml", read_workbook),
    ("META-INF/container.xml", read_book),
)
"""The part of a zip file by which it is known what it is."""
ZIPPED = frozenset((".zip", ".epub", ".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm"))
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM")
ZIP_START = b"PK\x03\x04"


def read_file(request: FileRequest, *, is_member: bool = False) -> Iterator[Part]:
    """Yields the parts of a file of any format; `is_member`: of a zip file, where no further one is opened.

    Raises DataError, in one sentence, for a file that cannot be read.
    """
    yield from _reader(request, is_member)(request)


def _reader(request: FileRequest, is_member: bool) -> FileReader:
    with request.path.open("rb") as file:
        start = file.read(8)
    suffix = Path(request.name).suffix.lower()
    if not start:
        raise request.error("is empty")
    if start.startswith(OLD_OFFICE):
        raise request.error(
            "is a file of an old Office program, or has a password", "save it as .docx, .pptx or .xlsx, without one"
        )
    if start.startswith(b"%PDF-"):
        return read_pdf
    if start.startswith(ZIP_START) or suffix in ZIPPED:
        return _zip_reader(request, is_member)
    if start.startswith(IMAGES):
        raise request.error("is an image", "print it to PDF, and its text is recognised")
    if suffix not in BY_NAME:
        raise request.error(f"is in a format that is not read (allowed are {ALLOWED})", "save it as one of these")
    return BY_NAME[suffix]


def _zip_reader(request: FileRequest, is_member: bool) -> FileReader:
    try:
        with zipfile.ZipFile(request.path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise request.error("is damaged, or is not what its name states", "save it again") from error
    reader = next((reader for name, reader in BY_PART if name in names), None)
    if reader is not None:
        return reader
    if Path(request.name).suffix.lower() in ZIPPED - {".zip"}:
        raise request.error("is not what its name states", "save it again")
    return refuse_nested if is_member else partial(read_archive, read=partial(read_file, is_member=True))


SECONDS_LIMIT = 7_200
"""Seconds of a processor, so that a process whose parent was killed while it hung ends, too."""
WRITTEN_LIMIT = 2 << 30
"""Bytes of one file that this process may write: a member of a zip file, an image for Tesseract."""


def main() -> None:
    """Answers requests until stdin ends. The arguments are the most memory in bytes."""
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_LIMIT, SECONDS_LIMIT))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN_LIMIT, WRITTEN_LIMIT))
    # What libraries print must not get between the lines.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        answer(json.loads(line), output)


def answer(request: dict[str, Any], output: BinaryIO) -> None:
    """Writes the parts of the requested file and `end` or `error`; where it has a `sentence`, its page and boxes."""
    ocr = OcrRequest(request["pages"], tuple(request["languages"]))
    file = FileRequest(Path(request["path"]), request["name"], ocr, request["first_page"])
    try:
        if request["sentence"] is not None:
            shown = shown_page(file, file.first_page, request["sentence"])
            _write(output, {"image": b64encode(shown.image).decode("ascii"), "boxes": shown.boxes})
            return
        for part in read_file(file):
            _write(output, {"part": type(part).__name__, **asdict(part)})
        _write(output, {"end": True})
    except WorkbenchError as error:
        _write(output, {"error": str(error)})
    except MemoryError:
        _write(output, {"error": str(file.error("needs more memory than one file may have", "split it"))})
    except RecursionError:
        _write(output, {"error": str(file.error("is nested too deeply"))})
    except Exception as error:  # a parser met what its authors did not expect
        _write(output, {"error": str(file.error(f"cannot be read ({type(error).__name__})", "save it again"))})


def _write(output: BinaryIO, value: dict[str, Any]) -> None:
    # Half characters (lone surrogates) cannot be stored: they become the sign for an unreadable one.
    text = json.dumps(value, ensure_ascii=False)
    output.write(text.encode("utf-8", "replace").replace(b"\0", b" ") + b"\n")
    output.flush()


if __name__ == "__main__":
    main()
