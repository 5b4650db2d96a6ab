"""An index's manifest: a small JSON file in its folder, written last and atomically.

While there is none, the folder holds no index: so a half-built one is never mistaken for a complete one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from workbench.errors import DataError, MissingError, shorten
from workbench.storage.atomic import write_text

HINT = "Build it again: python -m workbench corpora index"

Manifest = TypeVar("Manifest")


def manifest_path(directory: Path, kind: str) -> Path:
    """The manifest of the index of this `kind` (`lexical`, `dense`, `sparse`) in `directory`."""
    return directory / f"{kind}.json"


def write_manifest(directory: Path, kind: str, facts: Mapping[str, object]) -> None:
    """Makes the index in `directory` complete, atomically."""
    write_text(manifest_path(directory, kind), json.dumps(facts, indent=1))


def read_manifest(directory: Path, kind: str, parse: Callable[[Any], Manifest]) -> Manifest:
    """The manifest, parsed; `parse` may raise ValueError, KeyError, TypeError, AttributeError.

    Raises MissingError where there is no index, DataError where `parse` cannot make sense of the facts.
    """
    path = manifest_path(directory, kind)
    if not path.is_file():
        raise MissingError(f"There is no {kind} index in {shorten(directory)}. {HINT}")
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"The {kind} index's manifest {shorten(path)} cannot be read. {HINT}") from error
