"""Zip files of documents: each member is read as a file of its own; a zip file inside a zip file is not."""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from workbench.core import DataError
from workbench.data.documents.document_parts import FileReader, FileRequest, Part, ReadingWarning
from workbench.data.documents.formats.zip_limits import open_zip

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
