"""Whether a fastText model file is complete.

fastText never stops reading a file that was cut off within its dictionary, until no memory is left, and takes one that
was cut off later for a model that knows nothing. So the file is walked through first: header, dictionary, and the
sizes of what follows (fastText 0.9.2, `FastText::loadModel`); nothing of it is loaded.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from struct import Struct

MAGIC, VERSION = 793_712_314, 12
HEADER = Struct("<ii")
ARGUMENTS = Struct("<12id")
DICTIONARY = Struct("<iiiqq")
AFTER_WORD = Struct("<qb")
PRUNED = Struct("<ii")
MATRIX = Struct("<qq")
CODES = Struct("<i")
QUANTISER = Struct("<iiii")
CENTROIDS = 256
FLOAT = 4


def is_complete(path: Path) -> bool:
    """Whether the file is a fastText model from its first byte to its last. Raises OSError."""
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _end(data) == len(data)
        except (ValueError, OverflowError):
            return False


def _end(data: mmap.mmap) -> int:
    """The offset at which the model ends by the sizes in the file. Raises ValueError where one is beyond its end."""
    if _read(HEADER, data, 0) != (MAGIC, VERSION):
        raise ValueError("not a fastText model")
    at = HEADER.size + ARGUMENTS.size
    entries, _, _, _, pruned = _read(DICTIONARY, data, at)
    at += DICTIONARY.size
    for _ in range(entries):
        if (at := data.find(b"\0", at)) < 0:
            raise ValueError("cut off")
        at += 1 + AFTER_WORD.size
    at += PRUNED.size * max(0, pruned)
    quantised = _flag(data, at)
    at = _matrix(data, at + 1, quantised=quantised)
    return _matrix(data, at + 1, quantised=quantised and _flag(data, at))


def _matrix(data: mmap.mmap, at: int, *, quantised: bool) -> int:
    if not quantised:
        rows, columns = _read(MATRIX, data, at)
        return at + MATRIX.size + FLOAT * rows * columns
    normed = _flag(data, at)
    at += 1
    rows, _ = _read(MATRIX, data, at)
    at += MATRIX.size
    (codes,) = _read(CODES, data, at)
    at = _quantiser(data, at + CODES.size + codes)
    return _quantiser(data, at + rows) if normed else at


def _quantiser(data: mmap.mmap, at: int) -> int:
    dimension, *_ = _read(QUANTISER, data, at)
    return at + QUANTISER.size + FLOAT * CENTROIDS * dimension


def _flag(data: mmap.mmap, at: int) -> bool:
    (byte,) = _read(Struct("<B"), data, at)
    return bool(byte)


def _read(form: Struct, data: mmap.mmap, at: int) -> tuple[int, ...]:
    if at < 0 or at + form.size > len(data):
        raise ValueError("cut off")
    return form.unpack_from(data, at)
