"""What a corpus states about itself. The manifest is written last and atomically: no manifest, no corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from workbench.core import DataError
from workbench.workspace import FILES, atomic, sealed, unsealed

FORMAT = 1
FILE = "manifest.json"
VERSION_FILE = "version.json"
"""The manifest of a former version, in its folder."""
REFIT_SHARE = 0.2
"""The share of passages that the built-in encoder was not fitted on from which fitting it again is advised: at a third,
hit@5 in the sample falls from .64 to .58 by this encoder alone (docs/decisions/0011)."""
COMPACT_SHARE = 0.25
"""The share of removed rows from which writing the corpus anew is advised: searches pass over them."""


class Rechunking(BaseModel):
    """What a sister corpus is: the documents of `corpus`, as it was with this fingerprint, split by `chunking`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: str
    fingerprint: str
    chunking: str


class CorpusManifest(BaseModel):
    """A corpus's name, content, origin and build, as stored in `manifest.json`.

    `version` names the folder that holds the index; `fingerprint` changes with anything that affects a search.
    `languages` counts passages. `aligned`: passages carry groups of translations. `seconds` is the build's time.
    `files` has the checksums of the passage table. `former` are the names that the corpus had before, latest last; it
    can be opened by them too.

    `rechunking`: which corpus's documents it splits anew, None where it has documents of its own.
    `removed` rows are no longer part of it, `added` passages came after the built-in encoder was fitted. `versions` are
    the former ones that are kept, oldest first.
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
    removed: int = Field(default=0, exclude_if=lambda rows: not rows)
    added: int = Field(default=0, exclude_if=lambda passages: not passages)
    versions: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    rechunking: Rechunking | None = Field(default=None, exclude_if=lambda origin: origin is None)

    @property
    def shall_refit(self) -> bool:
        """Whether so many passages came since the built-in encoder was fitted that fitting it again is advised."""
        return self.added > REFIT_SHARE * self.passages

    @property
    def shall_compact(self) -> bool:
        """Whether so many rows were removed that writing the corpus anew is worth it."""
        return self.removed > COMPACT_SHARE * (self.passages + self.removed)


def read_manifest(folder: Path, version: str = "") -> CorpusManifest | None:
    """The manifest in a corpus's folder, or that of a former version in it; None where there is none.

    The folder's name is the corpus's, so that renaming the folder renames the corpus. Raises DataError where the file
    is damaged.
    """
    path = folder / version / VERSION_FILE if version else folder / FILE
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
    _write(folder / FILE, manifest)


def write_version(folder: Path, manifest: CorpusManifest) -> None:
    """Writes the manifest of a version into its folder, from which it is read once it is a former one."""
    _write(folder / manifest.version / VERSION_FILE, manifest)


def _write(path: Path, manifest: CorpusManifest) -> None:
    stored = sealed({**manifest.model_dump(mode="json"), FILES: dict(manifest.files)})
    atomic.write_text(path, json.dumps(stored, ensure_ascii=False, indent=2) + "\n")


def sound_manifest(folder: Path) -> CorpusManifest | None:
    """The manifest of a corpus folder, None where there is none or it is damaged."""
    try:
        return read_manifest(folder)
    except DataError:
        return None
