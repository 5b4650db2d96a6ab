"""Uploaded files as files on disk for as long as they are read, under their own names.

A name is what a browser, or whoever plays one, sent: for a folder's files the path within it, for others the name
alone. It is never joined to a path of ours before `relative` has let it through.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from workbench.errors import UsageError, WorkbenchError, shorten

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

LONGEST_PART, LONGEST = 255, 1_000
"""Bytes of a file's or folder's name, as file systems allow, and of a whole path."""
UNNAMED = "upload"
"""What a folder is called whose name did not come along."""


@contextmanager
def kept(files: Sequence[UploadedFile]) -> Iterator[list[Path]]:
    """The files, each in a folder of its own that is gone afterwards. Of a name only the last part is used.

    Raises UsageError for a name that `relative` refuses.
    """
    names = [relative(file.name.replace("\\", "/").rsplit("/", 1)[-1]) for file in files]
    with _folder() as folder:
        paths = [folder / str(number) / name for number, name in enumerate(names)]
        for path, file in zip(paths, files, strict=True):
            path.parent.mkdir()
            path.write_bytes(file.getbuffer())
        yield paths


@contextmanager
def kept_folder(files: Sequence[tuple[PurePosixPath, UploadedFile]], root: PurePosixPath) -> Iterator[Path]:
    """The folder `root` of an upload with the files that lie in it; it is gone afterwards.

    `files` come with the paths that `relative` gave. Raises UsageError for two that cannot lie side by side.
    """
    inside = [(path.relative_to(root), file) for path, file in files if path.is_relative_to(root)]
    check_places(path for path, _ in inside)
    with _folder() as made:
        folder = made / (root.name or UNNAMED)
        folder.mkdir()
        for path, file in inside:
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.getbuffer())
        yield folder


def relative(name: str) -> PurePosixPath:
    """The path that came with a file, if it leads nowhere but down. Raises UsageError.

    Backslashes part folders as slashes do. Refused are absolute paths, `..` (on Windows also with dots or spaces after
    it), drives and streams (`:`), control characters and halves of characters, and names too long for a disk.

    >>> relative("scifact/./qrels\\\\test.tsv")
    PurePosixPath('scifact/qrels/test.tsv')
    """
    given = name.replace("\\", "/")
    parts = [part for part in given.split("/") if part not in ("", ".")]
    if given.startswith("/") or not parts or not all(map(_harmless, parts)) or _size("/".join(parts)) > LONGEST:
        raise UsageError(
            f"The file name “{_shown(name)}” is not taken: names lie within the folder chosen, without “..”, “:” and "
            f"control characters, and have at most {LONGEST_PART} bytes. Rename the file and choose it again."
        )
    return PurePosixPath(*parts)


def check_places(paths: Iterable[PurePosixPath]) -> None:
    """Raises UsageError where two paths name the same place on some disk (in upper or lower case, with accents
    composed or not), or one names a file where the other needs a folder.
    """
    seen: dict[str, PurePosixPath] = {}
    for path in paths:
        if _place(path) in seen:
            raise _clash(seen[_place(path)], path)
        seen[_place(path)] = path
    for path in seen.values():
        for parent in path.parents:
            if _place(parent) in seen:
                raise _clash(seen[_place(parent)], path)


def _clash(one: PurePosixPath, other: PurePosixPath) -> UsageError:
    return UsageError(
        f"“{_shown(str(other))}” and “{_shown(str(one))}” cannot lie in one folder. Remove or rename one of them, and "
        "add a folder only once."
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
    """A name for a message: what cannot be seen, and could turn the text around, is marked."""
    return shorten("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name))


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        try:
            yield Path(made)
        except WorkbenchError as error:
            # Where a server keeps uploads means nothing to those who upload.
            raise type(error)(str(error).replace(f"{made}{os.sep}", "")) from error
