"""The files that a corpus's documents came from, kept with it where their pages can be shown: PDF files.

Each version has its files in its folder, by the fingerprint of their bytes; versions share them by hard links, as all
that they have in common, and a file goes with the last version that has a document of it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from workbench.core import file_fingerprint
from workbench.workspace import atomic

FOLDER = "files"
NAMES = "names.json"
"""Which file a document came from."""


def keep_files(version: Path, files: Mapping[str, Path]) -> None:
    """Copies `files`, by their documents' names, into the folder of a version that is being made."""
    if not files:
        return
    folder = version / FOLDER
    folder.mkdir(exist_ok=True)
    names = _names(folder)
    for document, path in files.items():
        name = f"{file_fingerprint(path)}{path.suffix.lower()}"
        if not (folder / name).exists():
            shutil.copyfile(path, folder / name)
        names[document] = name
    _settle(folder, names)


def forget_files(version: Path, documents: Collection[str]) -> None:
    """Removes the files of `documents` from the folder of a version that is being made; other versions keep theirs."""
    folder = version / FOLDER
    names = _names(folder)
    if names.keys() & set(documents):
        _settle(folder, {document: name for document, name in names.items() if document not in documents})


def file_of(version: Path, document: str) -> Path | None:
    """The file that a document came from; None where it is not kept."""
    name = _names(version / FOLDER).get(document)
    path = version / FOLDER / name if name else None
    return path if path is not None and path.is_file() else None


def files_of(version: Path) -> dict[str, Path]:
    """All files of a version by their documents' names."""
    folder = version / FOLDER
    return {document: folder / name for document, name in _names(folder).items() if (folder / name).is_file()}


def _names(folder: Path) -> dict[str, str]:
    """The files by document; those whose name is not one of ours, which damage alone can bring, are left out."""
    try:
        names = json.loads((folder / NAMES).read_bytes())
    except (OSError, ValueError):
        return {}
    items = names.items() if isinstance(names, dict) else ()
    return {str(key): str(name) for key, name in items if str(name) == Path(str(name)).name}


def _settle(folder: Path, names: Mapping[str, str]) -> None:
    """Writes which document is of which file, and removes the files that are of none."""
    atomic.write_text(folder / NAMES, json.dumps(names, ensure_ascii=False, sort_keys=True) + "\n")
    for path in folder.iterdir():
        if path.name != NAMES and path.name not in names.values():
            path.unlink()
