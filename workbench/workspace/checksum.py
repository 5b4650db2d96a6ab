"""Checksums of files: written where an index is built, compared where it is opened.

A checksum is text, `SIZE QUICK FULL`: the bytes of the file, the CRC-32 of what every opening reads again, and the
fingerprint of all bytes. Opening reads files of up to COMPLETE_LIMIT completely (2 ms at most), and of longer ones the
head, the tail and evenly spaced pieces: damage elsewhere in a long file is noticed by a deep check only.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from workbench.core import file_fingerprint, fingerprint

COMPLETE_LIMIT = 8 << 20
PIECE = 64 << 10
PIECES = 12
"""Of a long file 12 pieces of 64 KiB are read: the head, the tail and ten between them. Checksums that are stored
depend on these three numbers."""
FILES, SEAL = "files", "checksum"
"""A manifest's keys: the checksums of files by name, and the fingerprint of everything else in the manifest."""


class DamagedFile(ValueError):
    """A file is not as it was written; the message is a clause that names it."""


def checksum(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        size, quick = _quick(file)
    return f"{size} {quick:08x} {file_fingerprint(path)}"


def checksums(folder: Path, paths: Iterable[Path]) -> dict[str, str]:
    """The checksums of files in `folder`, by path within it."""
    return {path.relative_to(folder).as_posix(): checksum(path) for path in sorted(paths)}


def check_files(folder: Path, expected: Mapping[str, str], *, deep: bool = False) -> None:
    """Compares files in `folder` with their checksums; with `deep`, all bytes of long files too.

    Raises DamagedFile for the first file that is missing or differs.
    """
    for name, value in expected.items():
        size, quick, full = value.split(" ")
        path = folder / name
        try:
            with path.open("rb") as file:
                now = _quick(file)
            same = now == (int(size), int(quick, 16)) and (not deep or file_fingerprint(path) == full)
        except OSError as error:
            raise DamagedFile(f"{path.name} cannot be read: {error.strerror}") from error
        if not same:
            shorter = f" and has {now[0]:,} bytes instead of {int(size):,}" if now[0] != int(size) else ""
            raise DamagedFile(f"{path.name} is not as it was written{shorter}")


def sealed(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a manifest with a checksum of them all."""
    return {**facts, SEAL: fingerprint("manifest", dict(facts))}


def unsealed(stored: Any) -> Any:
    """The facts that `sealed` was given. Raises DamagedFile where they are not the same any more."""
    facts = {key: value for key, value in stored.items() if key != SEAL} if isinstance(stored, dict) else {}
    if not facts or fingerprint("manifest", facts) != stored.get(SEAL):
        raise DamagedFile("the manifest is not as it was written")
    return facts


def _quick(file: BinaryIO) -> tuple[int, int]:
    """The file's size, and the CRC-32 of the bytes that every opening reads."""
    size = file.seek(0, 2)
    if size <= COMPLETE_LIMIT:
        places, length = range(0, size, 1 << 20), 1 << 20
    else:
        last = size - PIECE
        places, length = range(0, last + 1, last // (PIECES - 1)), PIECE
    value = 0
    for place in places:
        file.seek(place)
        value = zlib.crc32(file.read(length), value)
    if size > COMPLETE_LIMIT:
        file.seek(size - PIECE)
        value = zlib.crc32(file.read(PIECE), value)
    return size, value
