"""Folders: as values, to see whether anything in one has changed, and a workspace with the sample in it."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from workbench.workspace.lock import FOLDER


def copy_sample(sample_home: Path, home: Path) -> Path:
    """A workspace in `home` with the sample of another one, as hard links; what translators learn of it they share."""
    shutil.copytree(sample_home / "corpora", home / "corpora", copy_function=os.link)
    share_translation(sample_home, home)
    return home


def share_translation(sample_home: Path, home: Path) -> None:
    """Lets the built-in translator of `home` use what it learns for other tests: a second a pair."""
    home.mkdir(parents=True, exist_ok=True)
    (sample_home / "translation").mkdir(exist_ok=True)
    (home / "translation").symlink_to(sample_home / "translation", target_is_directory=True)


def tree(folder: Path) -> dict[str, str]:
    """Every file and folder by its path, with a fingerprint of its content; locks, which have none, are left out."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
        if FOLDER not in path.relative_to(folder).parts
    }
