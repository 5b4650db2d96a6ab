"""Building a corpus: passages → table → encoder → indexes, in a separate folder until it is complete.

A build writes `<corpora>/<name>/<version>/` and last of all, atomically, the manifest that points to it: no manifest,
no corpus. A killed build leaves a folder that nothing points to; the next build of the same corpus removes it.

PDF files are kept with the corpus, so that their pages can be shown: in each version's folder, by the fingerprint of
their bytes. Versions share them by hard links, and a file goes with the last version that has a document of it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from workbench.core import DataError, Passage, file_fingerprint, fingerprint
from workbench.data.corpora.passage_table import TABLE, AlignedTexts, PassageTable, aligned_groups, write_table
from workbench.workspace import FILES, atomic, checksums, sealed, unsealed

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
        return _parsed(path.read_bytes(), folder.name)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, IsADirectoryError) as error:
        raise DataError(
            f"The manifest {path.name} of corpus “{folder.name}” is damaged: import the corpus again under the "
            "same name."
        ) from error


@lru_cache(maxsize=64)
def _parsed(data: bytes, name: str) -> CorpusManifest:
    return CorpusManifest.model_validate(unsealed(json.loads(data))).model_copy(update={"name": name})


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
    entries = names.items() if isinstance(names, dict) else ()
    return {str(key): str(name) for key, name in entries if str(name) == Path(str(name)).name}


def _settle(folder: Path, names: Mapping[str, str]) -> None:
    """Writes which document is of which file, and removes the files that are of none."""
    atomic.write_text(folder / NAMES, json.dumps(names, ensure_ascii=False, sort_keys=True) + "\n")
    for path in folder.iterdir():
        if path.name != NAMES and path.name not in names.values():
            path.unlink()


Progress = Callable[[str, int, int], None]
"""Called with the name of the phase, the number of passages done, and the total (0: not known)."""

LEXICAL, ENCODER, DENSE = "lexical", "encoder", "dense"

BUILDING = ".building-"
"""How the name of a folder begins that is not complete."""
BUILDER = 1
"""Incremented when the indexes of the sample must be built again."""


def quiet(_phase: str, _done: int, _total: int) -> None:
    """Progress that is not reported."""


def never(_manifest: CorpusManifest) -> bool:
    """No manifest is good enough: the corpus is built in any case."""
    return False


@contextmanager
def only_builder(folder: Path) -> Iterator[None]:
    """Makes `folder`, holds its lock once nobody else does, and removes it again where it stayed empty."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if not _is_open_as(folder, handle):
                continue  # Another builder failed and removed the folder while we waited.
            try:
                yield
            finally:
                with suppress(OSError):
                    folder.rmdir()
            return
        finally:
            os.close(handle)


def _is_open_as(folder: Path, handle: int) -> bool:
    try:
        return os.path.samestat(folder.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def build_corpus(
    folder: Path,
    passages: Iterable[Passage],
    *,
    aligned: Iterable[AlignedTexts] = (),
    source: str,
    licence: str,
    progress: Progress = quiet,
    serves: Callable[[CorpusManifest], bool] = never,
    keeps_former: Callable[[CorpusManifest], bool] = never,
    files: Callable[[], Mapping[str, Path]] = dict,
    rechunking: Rechunking | None = None,
) -> CorpusManifest:
    """Builds the corpus in `folder` (its name is the corpus's) and makes it the current one.

    Builders of one corpus wait for each other; what another has built meanwhile is used where it `serves`.
    What it replaces stays as a former version where it `keeps_former`; those that are kept already stay in any case.
    `files`, called once the passages are read, gives those of documents that are kept with them (`document_files`).
    `rechunking`: which corpus's documents these are, split anew.
    `aligned` are further texts in translation, besides passages that share a `group`: the encoder learns from both.
    Passages may be a stream; they are read once. Raises DataError for a corpus without text.
    """
    from workbench.retrieval import ANCHORS, BuiltinEncoder, DenseIndex, LexicalIndex

    began = time.monotonic()
    with only_builder(folder):
        current = _current(folder)
        if current is not None and serves(current):
            return current
        sweep(folder, current)
        work = folder / f"{BUILDING}{datetime.now(UTC):%Y%m%d%H%M%S%f}"
        work.mkdir()
        kept = current.versions if current else ()
        if current and keeps_former(current):
            write_version(folder, current)
            kept = (*kept, current.version)
        try:
            progress("reading passages", 0, 0)
            total = write_table(work / TABLE, passages)
            keep_files(work, files())
            table = PassageTable(work / TABLE)
            aligned_texts = list(aligned)
            groups = aligned_texts + list(aligned_groups(table, ANCHORS))

            def phase_progress(phase: str) -> Callable[[int], None]:
                return lambda done: progress(phase, done, total)

            LexicalIndex.build(work / LEXICAL, table, phase_progress("lexical index"))
            progress("fitting the encoder", 0, 0)
            encoder = BuiltinEncoder.fit((passage.searchable for passage in table), groups)
            (work / ENCODER).mkdir(exist_ok=True)
            encoder.save(work / ENCODER)
            encoder = BuiltinEncoder.open(work / ENCODER)
            DenseIndex.build(work / DENSE, encoder, iter(table), phase_progress("dense index"))

            content = file_fingerprint(work / TABLE)
            identity = fingerprint("corpus", {"builder": BUILDER, "table": content, "encoder": encoder.identity})
            version = f"{identity}-{work.name.removeprefix(BUILDING)}"
            manifest = CorpusManifest(
                name=folder.name,
                version=version,
                fingerprint=identity,
                passages=total,
                languages=table.languages(),
                aligned=len(groups) > len(aligned_texts),
                source=source,
                licence=licence,
                built=datetime.now(UTC).isoformat(timespec="seconds"),
                seconds=round(time.monotonic() - began, 2),
                files=checksums(work, [work / TABLE]),
                former=current.former if current else (),
                versions=kept,
                rechunking=rechunking,
            )
            work.replace(folder / version)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        write_manifest(folder, manifest)
        sweep(folder, manifest)
    return manifest


def _current(folder: Path) -> CorpusManifest | None:
    """The manifest in `folder`; a damaged one counts as none, since building again repairs it."""
    try:
        return read_manifest(folder)
    except DataError:
        return None


def sweep(folder: Path, current: CorpusManifest | None) -> None:
    """Removes what the manifest does not point to. Readers keep the files that they have mapped."""
    keep = {current.version, *current.versions} if current else set()
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in keep:
            shutil.rmtree(entry, ignore_errors=True)
