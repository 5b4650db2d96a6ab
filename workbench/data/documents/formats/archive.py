"""Zip files, and the formats that are zip files inside: opened only when they cannot be bombs, read by the byte.

Of a zip file of documents each member is read as a file of its own; a zip file inside a zip file is not.
"""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from workbench.core import DataError
from workbench.data.documents.document_parts import FileReader, FileRequest, Part, ReadingWarning

UNPACKED_LIMIT = 1 << 30
"""Bytes of all members once unpacked."""
MEMBERS_LIMIT = 20_000
FREE_BYTES, RATIO = 32 << 20, 250
"""A zip file may unpack to RATIO times its size, and to FREE_BYTES in any case."""
XML_LIMIT = 128 << 20
"""Bytes of one XML part, which a parser keeps in memory."""
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, KeyError,
)  # fmt: skip
"""What `zipfile` raises for a damaged or encrypted file."""
DOCTYPE_REACH = 4_096


@contextmanager
def open_zip(request: FileRequest) -> Iterator[zipfile.ZipFile]:
    """Opens a zip file whose members are within the limits.

    Raises DataError for any other, and for damage while it is read.
    """
    try:
        with zipfile.ZipFile(request.path) as archive:
            _check(request, archive)
            yield archive
    except DAMAGED as error:
        from workbench.core import WorkbenchError

        if isinstance(error, WorkbenchError):
            raise
        raise request.error("is damaged, or a part of it is missing", "save it again") from error


def _check(request: FileRequest, archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    size = request.path.stat().st_size
    unpacked = sum(member.file_size for member in members)
    if len(members) > MEMBERS_LIMIT:
        raise request.error(f"holds more than {MEMBERS_LIMIT:,} files", "split it")
    if unpacked > UNPACKED_LIMIT:
        raise request.error(f"unpacks to more than {UNPACKED_LIMIT >> 20:,} MiB", "split it")
    if unpacked > max(FREE_BYTES, RATIO * size):
        raise request.error(f"unpacks to more than {RATIO} times its size, as a zip bomb does")
    if sum(member.compress_size for member in members) > size:
        raise request.error("has members that share their bytes, as a zip bomb does")
    if any(member.flag_bits & 1 for member in members):
        raise request.error("has a password", "save it without one")


def check_parts(request: FileRequest, archive: zipfile.ZipFile) -> None:
    """Checks the XML parts of an office file or a book: small enough, and without a document type of their own.

    Document types declare entities, by which XML reads other files or grows without end. Raises DataError.
    """
    for member in archive.infolist():
        if not member.filename.lower().endswith((".xml", ".rels", ".opf", ".ncx")):
            continue
        if member.file_size > XML_LIMIT:
            raise request.error(f"has a part of more than {XML_LIMIT >> 20} MiB", "split it")
        with archive.open(member) as part:
            start = part.read(DOCTYPE_REACH).replace(b"\0", b"")
        if b"<!ENTITY" in start or (b"<!DOCTYPE" in start and not member.filename.lower().endswith(".ncx")):
            raise request.error("has XML with a document type, which such files never have")


def part(request: FileRequest, archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one part. Raises DataError for one that is missing or too large."""
    try:
        member = archive.getinfo(name)
    except KeyError as error:
        raise request.error(f"lacks its part {name[:60]}", "save it again") from error
    if member.file_size > XML_LIMIT:
        raise request.error(f"has a part of more than {XML_LIMIT >> 20} MiB", "split it")
    return archive.read(member)


UNSEEN = ("__macosx/", ".ds_store", "thumbs.db", "desktop.ini")
"""What systems add to archives by themselves."""


def read_archive(request: FileRequest, read: FileReader) -> Iterator[Part]:
    """Yields the parts of every member, `read` from a copy; one that cannot be read is named in a warning.

    Members' names are never used as paths. Raises DataError for a damaged archive, a bomb, one with a password and one
    in which nothing can be read.
    """
    count = 0
    with tempfile.TemporaryDirectory(prefix="documents-") as folder, open_zip(request) as archive:
        for member in archive.infolist():
            if member.is_dir() or _is_unseen(member.filename):
                continue
            name = f"{request.name}/{_shown(member.filename)}"
            if stat.S_ISLNK(member.external_attr >> 16):
                yield ReadingWarning(name, "skipped", f"{name} is a link, which is not followed.")
                continue
            copy = Path(folder) / f"member{PurePosixPath(member.filename).suffix.lower()[:16].replace('/', '')}"
            with archive.open(member) as packed, copy.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked, 1 << 20)
            try:
                yield from read(replace(request, path=copy, name=name, first_page=1))
                count += 1
            except DataError as error:
                yield ReadingWarning(name, "skipped", str(error))
            finally:
                copy.unlink(missing_ok=True)
    if not count:
        raise request.error("holds no document that can be read")


def refuse_nested(request: FileRequest) -> Iterator[Part]:
    """Reads nothing of a zip file inside a zip file. Raises DataError."""
    raise request.error("is a zip file inside a zip file", "unpack it")


def _is_unseen(name: str) -> bool:
    low = name.lower()
    return low.startswith(UNSEEN[0]) or low.rpartition("/")[2] in UNSEEN[1:]


def _shown(name: str) -> str:
    """A member's name for people, without what leads out of the archive."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "".join(sign if sign.isprintable() else "�" for sign in "/".join(parts))[-200:] or "file"
