"""What a corpus states about itself. The manifest is written last and atomically: no manifest, no corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.errors import DataError
from workbench.storage import atomic

FORMAT = 1
FILE = "manifest.json"


class CorpusManifest(BaseModel):
    """A corpus's name, content, origin and build, as stored in `manifest.json`.

    `version` names the folder that holds the index; `fingerprint` changes with anything that affects a search.
    `languages` counts passages. `aligned`: passages carry groups of translations. `seconds` is the build's time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: str
    fingerprint: str
    passages: int
    languages: Mapping[str, int]
    aligned: bool
    source: str
    licence: str
    built: str
    seconds: float
    format: int = FORMAT


def read_manifest(folder: Path) -> CorpusManifest | None:
    """The manifest in a corpus's folder, None where there is none.

    Raises DataError where the file is damaged.
    """
    path = folder / FILE
    try:
        return CorpusManifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise DataError(
            f"The manifest {path.name} of corpus “{folder.name}” is damaged: import the corpus again under the "
            "same name."
        ) from error


def write_manifest(folder: Path, manifest: CorpusManifest) -> None:
    """Makes `manifest` the corpus's, atomically."""
    atomic.write_text(folder / FILE, manifest.model_dump_json(indent=2) + "\n")
