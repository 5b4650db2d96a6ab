"""An index's manifest: a small JSON file in its folder, written last and atomically.

While there is none, the folder holds no index: so a half-built one is never mistaken for a complete one. It has the
checksums of the index's files, which opening the index compares.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from workbench.core import DataError, MissingError, shorten
from workbench.workspace import FILES, DamagedFile, check_files, checksums, sealed, unsealed, write_text

HINT = "Build it again: python -m workbench corpora index"

Manifest = TypeVar("Manifest")


def manifest_path(directory: Path, kind: str) -> Path:
    """The manifest of the index of this `kind` (`lexical`, `dense`, `sparse`) in `directory`."""
    return directory / f"{kind}.json"


def write_manifest(
    directory: Path, kind: str, facts: Mapping[str, Any], files: Iterable[Path] = (), without: Iterable[Path] = ()
) -> None:
    """Makes the index in `directory`, which consists of `files`, complete, atomically.

    Where `facts` were read from a manifest, its files stay part of the index, except `files`, which are new, and those
    it is now `without`: only the new ones are read.
    """
    gone = {path.relative_to(directory).as_posix() for path in without}
    former = {name: value for name, value in facts.get(FILES, {}).items() if name not in gone}
    stored = sealed({**facts, FILES: {**former, **checksums(directory, files)}})
    write_text(manifest_path(directory, kind), json.dumps(stored, indent=1))


def read_facts(directory: Path, kind: str) -> Mapping[str, Any]:
    """All that the manifest states, with the checksums of the index's files. Raises as `read_manifest` does."""
    facts: Mapping[str, Any] = read_manifest(directory, kind, dict)
    return facts


def read_manifest(directory: Path, kind: str, parse: Callable[[Any], Manifest], *, deep: bool = False) -> Manifest:
    """The manifest, parsed, of files that are as they were written; `deep`: all bytes of long files are compared.

    `parse` may raise ValueError, KeyError, TypeError, AttributeError. Raises MissingError where there is no index,
    DataError where it is damaged.
    """
    path = manifest_path(directory, kind)
    if not path.is_file():
        raise MissingError(f"There is no {kind} index in {shorten(directory)}. {HINT}")
    try:
        facts = unsealed(json.loads(path.read_text(encoding="utf-8")))
        manifest = parse(facts)
        check_files(directory, facts[FILES], deep=deep)
        return manifest
    except DamagedFile as error:
        raise DataError(f"The {kind} index in {shorten(directory)} is damaged ({error}). {HINT}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise DataError(f"The {kind} index's manifest {shorten(path)} cannot be read. {HINT}") from error
