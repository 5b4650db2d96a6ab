"""A folder as a value, to see whether anything in it has changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from workbench.workspace.name_locks import FOLDER


def tree(folder: Path) -> dict[str, str]:
    """Every file and folder by its path, with a fingerprint of its content; locks, which have none, are left out."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
        if FOLDER not in path.relative_to(folder).parts
    }
