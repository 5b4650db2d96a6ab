"""Building a corpus: passages → table → encoder → indexes, in a separate folder until it is complete.

A build writes `<corpora>/<name>/<version>/` and last of all the manifest that points to it. A killed build leaves a
folder that nothing points to; the next build of the same corpus removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from workbench.core import DataError, Passage, file_fingerprint, fingerprint
from workbench.data.corpora.aligned_groups import AlignedTexts, aligned_groups
from workbench.data.corpora.document_files import keep_files
from workbench.data.corpora.manifest import CorpusManifest, Rechunking, read_manifest, write_manifest, write_version
from workbench.data.corpora.passage_table import TABLE, PassageTable, write_table
from workbench.workspace import checksums

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
