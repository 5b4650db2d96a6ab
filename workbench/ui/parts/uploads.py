"""Uploaded files as files on disk, under their original names: for as long as they are read, or for a job.

A name is what a browser, or a program that poses as one, sent: for a folder's files the path within it, for others
the name alone. It is never joined to a path of ours before `safe_path` has accepted it.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from workbench.core import UsageError, WorkbenchError, shorten

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

LONGEST_PART, LONGEST = 255, 1_000
"""Bytes of a file's or folder's name, as file systems allow, and of a complete path."""
UNNAMED = "upload"
"""The name of a folder that was uploaded without one."""


@contextmanager
def files_on_disk(files: Sequence[UploadedFile]) -> Iterator[list[Path]]:
    """The files, each in a separate temporary folder. Only the last part of a name is used.

    Raises UsageError for a name that `safe_path` refuses.
    """
    names = plain_names(files)
    with _temporary_folder() as folder:
        paths = [folder / str(number) / name for number, name in enumerate(names)]
        for path, file in zip(paths, files, strict=True):
            path.parent.mkdir()
            path.write_bytes(file.getbuffer())
        yield paths


def numbered(files: Sequence[UploadedFile]) -> list[tuple[str, UploadedFile]]:
    """The files for a job, each by a path in a folder named by its number. Only the last part of a name is used.

    Raises UsageError for a name that `safe_path` refuses.
    """
    names = plain_names(files)
    return [(f"{number}/{name}", file) for number, (name, file) in enumerate(zip(names, files, strict=True))]


def in_folder(
    files: Sequence[tuple[PurePosixPath, UploadedFile]], root: PurePosixPath
) -> list[tuple[str, UploadedFile]]:
    """The files of the folder `root` of an upload for a job, by their paths from its name on.

    `files` come with the paths that `safe_path` returned. Raises UsageError for two that exclude each other.
    """
    inside = [(path.relative_to(root), file) for path, file in files if path.is_relative_to(root)]
    check_places(path for path, _ in inside)
    return [(f"{folder_name(root)}/{path}", file) for path, file in inside]


def plain_names(files: Sequence[UploadedFile]) -> list[PurePosixPath]:
    """The last parts of the files' names. Raises UsageError for one that `safe_path` refuses."""
    return [safe_path(file.name.replace("\\", "/").rsplit("/", 1)[-1]) for file in files]


def folder_name(root: PurePosixPath) -> str:
    """The name of an uploaded folder, also where it has none."""
    return root.name or UNNAMED


def safe_path(name: str) -> PurePosixPath:
    r"""The path that came with a file, if it leads nowhere but down. Raises UsageError.

    Backslashes separate folders as slashes do. Refused are absolute paths, `..` (on Windows also with dots or spaces
    after it), drives and streams (`:`), control characters, lone surrogates, and names too long for a disk.

    >>> safe_path("scifact/./qrels\\test.tsv")
    PurePosixPath('scifact/qrels/test.tsv')
    """
    path = name.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or not parts or not all(map(_harmless, parts)) or _size("/".join(parts)) > LONGEST:
        raise UsageError(
            f"The file name “{_shown(name)}” is not allowed. A name must stay within the selected folder, must not "
            f"contain “..”, “:” or control characters, and has at most {LONGEST_PART} bytes. Rename the file and "
            "select it again."
        )
    return PurePosixPath(*parts)


def check_places(paths: Iterable[PurePosixPath]) -> None:
    """Checks that the paths can be in one folder.

    Raises UsageError where two name the same place on some disk (in upper or lower case, with accents composed or not),
    or one names a file where the other needs a folder.
    """
    places: dict[str, PurePosixPath] = {}
    for path in paths:
        if _place(path) in places:
            raise _clash(places[_place(path)], path)
        places[_place(path)] = path
    for path in places.values():
        for parent in path.parents:
            if _place(parent) in places:
                raise _clash(places[_place(parent)], path)


def _clash(one: PurePosixPath, other: PurePosixPath) -> UsageError:
    return UsageError(
        f"“{_shown(str(other))}” and “{_shown(str(one))}” cannot be in the same folder. Remove or rename one of them, "
        "and add a folder only once."
    )


def _place(path: PurePosixPath) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())


def _harmless(part: str) -> bool:
    return (
        bool(part.strip(" ."))
        and ":" not in part
        and not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in part)
        and _size(part) <= LONGEST_PART
    )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _shown(name: str) -> str:
    """A name for a message: characters that cannot be seen, and could reverse the text, are marked."""
    return shorten("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name))


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield Path(folder)
        except WorkbenchError as error:
            # Where a server stores uploads means nothing to those who upload.
            raise type(error)(str(error).replace(f"{folder}{os.sep}", "")) from error
