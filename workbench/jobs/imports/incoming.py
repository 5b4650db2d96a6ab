"""Files that whoever runs the server laid into the workspace's folder `incoming`, for what is too large to upload.

People in a browser choose among them by name; nothing that they type becomes a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core import UsageError, shorten

FOLDER = "incoming"


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """An ordinary file that lies in the folder itself, with its size in bytes."""

    name: str
    size: int


def incoming_folder(home: Path) -> Path:
    """The folder for such files, whether or not it exists."""
    return home / FOLDER


def incoming_files(home: Path) -> list[IncomingFile]:
    """The files by name. Folders, links to elsewhere, special and hidden files are not among them."""
    folder = incoming_folder(home)
    if folder.is_symlink() or not folder.is_dir():
        return []
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and _is_ordinary(path))
    return [IncomingFile(path.name, path.stat().st_size) for path in paths]


def incoming_path(home: Path, name: str) -> Path:
    """The path of the file called `name`. Raises UsageError where `incoming_files` does not list it."""
    if all(name != item.name for item in incoming_files(home)):
        raise UsageError(
            f"There is no file “{shorten(name)}” in the folder “{FOLDER}” of the workspace. Allowed: the files listed."
        )
    return incoming_folder(home) / name


def _is_ordinary(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
