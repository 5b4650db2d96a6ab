"""What a corpus states about itself. The manifest is written last and atomically: no manifest, no corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from workbench.errors import DataError
from workbench.storage import atomic
from workbench.storage.checksums import FILES, sealed, unsealed

FORMAT = 1
FILE = "manifest.json"


class CorpusManifest(BaseModel):
    """A corpus's name, content, origin and build, as stored in `manifest.json`.

    `version` names the folder that holds the index; `fingerprint` changes with anything that affects a search.
    `languages` counts passages. `aligned`: passages carry groups of translations. `seconds` is the build's time.
    `files` has the checksum of the passage table, and is empty for corpora of older workbenches. `former` are the names
    that the corpus had before, latest last; it can be opened by them too.
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
    files: Mapping[str, str] = Field(default_factory=dict, exclude=True)
    former: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)


def read_manifest(folder: Path) -> CorpusManifest | None:
    """The manifest in a corpus's folder, None where there is none.

    The folder's name is the corpus's, so that renaming the folder renames the corpus. Raises DataError where the file
    is damaged.
    """
    path = folder / FILE
    try:
        manifest = CorpusManifest.model_validate(unsealed(json.loads(path.read_bytes())))
        return manifest.model_copy(update={"name": folder.name})
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, IsADirectoryError) as error:
        raise DataError(
            f"The manifest {path.name} of corpus “{folder.name}” is damaged: import the corpus again under the "
            "same name."
        ) from error


def write_manifest(folder: Path, manifest: CorpusManifest) -> None:
    """Makes `manifest` the corpus's, atomically."""
    stored = sealed({**manifest.model_dump(mode="json"), FILES: dict(manifest.files)})
    atomic.write_text(folder / FILE, json.dumps(stored, ensure_ascii=False, indent=2) + "\n")
