"""Writing files so that a kill at any moment leaves the old one or the new one, never half of one."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to a file next to `path`, flush it to disk and rename it into place.

    Raises OSError, after which the old file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not `tempfile`, whose files only their owner may read, also once renamed into place.
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
    """Write `text` in UTF-8 as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))
