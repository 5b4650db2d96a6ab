"""Changing a corpus: documents are added, replaced or removed, and only their passages and vectors are worked on.

A change makes a new version of the corpus, a folder that shares the files of the former one (`versions`), and swaps the
manifest last: a kill at any moment leaves the former version. Rows are numbered on; removed ones stay, and are left out
of every search, whose scores are those of a corpus built anew with the same fitted encoder.

The built-in encoder stays as it was fitted; the manifest counts the passages that came since. A version's fingerprint
is that of the former one with what was added and removed: the same changes in the same order give the same one. The
same passages on another way do not, since cached steps hold the numbers of rows.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from workbench.core import DataError, Passage, UsageError, fingerprint, shorten
from workbench.data.corpora.build import BUILDING, DENSE, LEXICAL, only_builder, sweep
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.document_files import forget_files, keep_files
from workbench.data.corpora.manifest import CorpusManifest, read_manifest, write_manifest, write_version
from workbench.data.corpora.passage_table import append_table, most_first, write_removed
from workbench.data.corpora.versions import link_version
from workbench.workspace import checksums

DocumentKey = tuple[str, str]
"""A document's id and its language: a document is in one language, another may have the same id in another."""
Row = tuple[int, Passage]
LISTED = 3


def add_documents(
    folder: Path,
    passages: Iterable[Passage],
    files: Callable[[], Mapping[str, Path]] = dict,
    *,
    in_all_languages: bool = False,
) -> CorpusManifest:
    """Adds documents, given by all their passages, to the corpus in `folder`; returns the manifest of the new version.

    Documents that the corpus has with the same passages are passed over; where nothing is new, the version stays.
    `in_all_languages`: a document's name stands for it in all languages, as a file's does. `files`, called once the
    passages are read, gives those of documents that are kept with them (`document_files`).
    Raises DataError for a document that it has otherwise, and for the id of a passage that another has.
    """
    return _change(folder, passages, (), replaces=False, in_all_languages=in_all_languages, files=files)


def replace_documents(
    folder: Path,
    passages: Iterable[Passage],
    files: Callable[[], Mapping[str, Path]] = dict,
    *,
    in_all_languages: bool = False,
) -> CorpusManifest:
    """As `add_documents`; a document that the corpus has with other passages is replaced, in one version."""
    return _change(folder, passages, (), replaces=True, in_all_languages=in_all_languages, files=files)


def remove_documents(folder: Path, documents: Collection[str]) -> CorpusManifest:
    """Removes documents, in whatever languages, from the corpus in `folder`; returns the new version's manifest.

    Raises UsageError for documents that it does not have, and where no passage would be left.
    """
    return _change(folder, (), documents, replaces=False)


def _change(
    folder: Path,
    passages: Iterable[Passage],
    removed: Collection[str],
    *,
    replaces: bool,
    in_all_languages: bool = False,
    files: Callable[[], Mapping[str, Path]] = dict,
) -> CorpusManifest:
    began = time.monotonic()
    with only_builder(folder):
        current = read_manifest(folder)
        if current is None:
            raise UsageError(f"There is no corpus “{shorten(folder.name)}” to change. Import its files first.")
        sweep(folder, current)
        corpus = Corpus(current, folder / current.version)
        added, gone = _difference(corpus, list(passages), removed, replaces, in_all_languages)
        if not added and not gone:
            return current
        if len(gone) == current.passages and not added:
            raise UsageError(
                f"The corpus “{folder.name}” would have no passage left. Allowed: to remove some of its documents, or "
                "to delete the corpus."
            )
        manifest = _written(folder, corpus, added, gone, began, files())
        write_version(folder, current)
        write_manifest(folder, manifest)
    return manifest


def _written(
    folder: Path,
    corpus: Corpus,
    added: Sequence[Passage],
    gone: Sequence[Row],
    began: float,
    files: Mapping[str, Path],
) -> CorpusManifest:
    """Writes the new version into its folder, and returns its manifest."""
    current = corpus.manifest
    first = corpus.table.size
    rows = list(range(first, first + len(added)))
    work = folder / f"{BUILDING}{datetime.now(UTC):%Y%m%d%H%M%S%f}"
    try:
        link_version(corpus.folder, work)
        forget_files(work, {passage.document for _, passage in gone} - {passage.document for passage in added})
        keep_files(work, files)
        written: list[Path] = []
        if added:
            written += append_table(work, first, added)
        if gone:
            before = corpus.table.removed
            written += write_removed(work, np.union1d(before, np.array([row for row, _ in gone], dtype=np.int64)))
        with corpus.naming_it():
            corpus.lexical.change(work / LEXICAL, zip(rows, added, strict=True), gone, corpus.table.numbered)
            if added:
                corpus.dense.extend(work / DENSE, added, rows)
        content = [[row, *_content(passage)] for row, passage in zip(rows, added, strict=True)]
        identity = fingerprint("change", [current.fingerprint, content, [row for row, _ in gone]])
        version = f"{identity}-{work.name.removeprefix(BUILDING)}"
        manifest = current.model_copy(
            update={
                "version": version,
                "fingerprint": identity,
                "passages": current.passages + len(added) - len(gone),
                "languages": _languages(current.languages, added, gone),
                "built": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": round(time.monotonic() - began, 2),
                "files": {**current.files, **checksums(work, written)},
                "removed": current.removed + len(gone),
                "added": current.added + len(added),
                "versions": (*current.versions, current.version),
            }
        )
        work.replace(folder / version)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return manifest


def _difference(
    corpus: Corpus, passages: Sequence[Passage], removed: Collection[str], replaces: bool, in_all_languages: bool
) -> tuple[list[Passage], list[Row]]:
    """The passages to add, and the rows with their passages to remove. Raises DataError, UsageError."""

    def key_of(passage: Passage) -> DocumentKey:
        return passage.document, "" if in_all_languages else passage.language

    new: defaultdict[DocumentKey, list[Passage]] = defaultdict(list)
    for passage in passages:
        new[key_of(passage)].append(passage)
    rows = corpus.table.rows_of_documents({*removed, *(document for document, _ in new)})
    present: defaultdict[DocumentKey, list[Row]] = defaultdict(list)
    for row, passage in zip(rows, corpus.table.passages(rows), strict=True):
        present[key_of(passage)].append((row, passage))
    if missing := set(removed) - {document for document, _ in present}:
        noun = "document" if len(missing) == 1 else "documents"
        raise UsageError(f"The corpus “{corpus.manifest.name}” has no {noun} {_listed(missing)}. Nothing was removed.")
    gone = [row for key, each in present.items() if key[0] in removed for row in each]
    added: list[Passage] = []
    for key, each in new.items():
        there = present.get(key, [])
        if sorted(map(_content, each)) == sorted(_content(passage) for _, passage in there):
            continue
        if there and not replaces:
            raise DataError(
                f"The corpus “{corpus.manifest.name}” has a document {_listed([key[0]])} with another text. Replace "
                "it, or give the new one another id."
            )
        gone += there
        added += each
    _check_ids(corpus, added, {row for row, _ in gone})
    return added, sorted(gone, key=lambda row: row[0])


def _check_ids(corpus: Corpus, added: Sequence[Passage], gone: Collection[int]) -> None:
    counts = Counter(passage.id for passage in added)
    taken = {name for name, row in corpus.lexical.rows_of(counts).items() if row not in gone}
    if twice := {name for name, count in counts.items() if count > 1} | taken:
        noun, verb = ("passage", "has") if len(twice) == 1 else ("passages", "have")
        raise DataError(
            f"The {noun} {_listed(twice)} {verb} the id of another passage of the corpus. Ids must differ; nothing was "
            "added."
        )


def _content(passage: Passage) -> list[str | int]:
    """All that a passage states, for comparison and fingerprints."""
    return [getattr(passage, name) for name in Passage.__slots__]


def _languages(before: Mapping[str, int], added: Sequence[Passage], gone: Sequence[Row]) -> dict[str, int]:
    counts = Counter(before)
    counts.update(passage.language for passage in added)
    counts.subtract(passage.language for _, passage in gone)
    return dict(most_first(counts.items()))


def _listed(names: Collection[str]) -> str:
    items = [f"“{shorten(name)}”" for name in sorted(names)]
    rest = len(items) - LISTED
    return ", ".join(items[:LISTED]) + (f" and {rest:,} more" if rest > 0 else "")
