"""Writing files so that a kill at any moment leaves the old one or the new one, never half of one."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4


def write_bytes(path: Path, data: bytes) -> None:
    """Writes `data` beside `path`, flushes it to disk and renames it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not `tempfile`, which would let nobody but the owner read what is then renamed into place.
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """`write_bytes` for UTF-8 text."""
    write_bytes(path, text.encode("utf-8"))
