"""Which reader a file gets: by its content where that is plain to see, by its name otherwise."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from workbench.data.documents.document_parts import FileReader, FileRequest, Part
from workbench.data.documents.formats.archive import read_archive, refuse_nested
from workbench.data.documents.formats.book_file import read_book
from workbench.data.documents.formats.markdown_text import read_markdown
from workbench.data.documents.formats.office import read_slides, read_word
from workbench.data.documents.formats.plain_text import read_text
from workbench.data.documents.formats.row_files import read_delimited, read_json_lines, read_workbook
from workbench.data.documents.formats.web_page import read_web_page
from workbench.data.documents.pdf.pdf_file import read_pdf

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
