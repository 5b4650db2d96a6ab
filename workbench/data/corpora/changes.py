"""Changing a corpus: documents are added, replaced or removed, and only their passages and vectors are worked on.

A change makes a new version of the corpus, and swaps the manifest last: a kill at any moment leaves the former version.
A version's folder is a copy of the former one by hard links, to which new files are added. Whoever writes replaces a
link, and never changes a file that another version may share: what is read and written again (JSON) is copied. Rows are
numbered on; removed ones stay, and are left out of every search, whose scores are those of a corpus built anew with the
same fitted encoder.

The built-in encoder stays as it was fitted; the manifest counts the passages that came since. A version's fingerprint
is that of the former one with what was added and removed: the same changes in the same order give the same one. The
same passages on another way do not, since cached steps hold the numbers of rows.
"""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from workbench.core import DataError, Passage, UsageError, WorkbenchError, fingerprint, shorten, unknown_name
from workbench.data.corpora.build import (
    BUILDING,
    DENSE,
    LEXICAL,
    VERSION_FILE,
    CorpusManifest,
    forget_files,
    keep_files,
    only_builder,
    read_manifest,
    sweep,
    write_manifest,
    write_version,
)
from workbench.data.corpora.corpus import PUSHING, STORE, Corpus
from workbench.data.corpora.passage_table import append_table, most_first, write_removed
from workbench.retrieval import remove_unnamed
from workbench.workspace import checksums

COPIED = (".json",)
NOT_COPIED = (VERSION_FILE, STORE, PUSHING)
"""What a version states about itself alone."""
GROWING = ("dense", "sparse", "sentences")
"""The kinds of index that passages are added to in place."""
LEFT_OUT = (".lock", ".part")
"""Locks are held on a file, so versions must not share one."""
UNFINISHED = "encoding"
"""The folder of indexes that are being built: they are of their version alone."""


def link_version(former: Path, new: Path) -> None:
    """Makes `new` a copy of the version in `former`, by hard links where the file system has them."""
    for folder, names, files in os.walk(former):
        target = new / Path(folder).relative_to(former)
        target.mkdir()
        if Path(folder) == former and UNFINISHED in names:
            names.remove(UNFINISHED)
        # An index may grow meanwhile: its manifest comes first, since the files that it names are there before it and
        # stay. Files are listed after that.
        for name in files:
            if name.endswith(COPIED) and name not in NOT_COPIED:
                shutil.copyfile(Path(folder, name), target / name)
        for file in Path(folder).iterdir():
            if file.is_file() and not file.name.endswith((*COPIED, *LEFT_OUT)):
                _link(file, target / file.name)
        for kind in GROWING:
            if (target / f"{kind}.json").is_file():
                with suppress(WorkbenchError):  # A damaged index is reported when it is opened.
                    remove_unnamed(target, kind)


def versions(folder: Path) -> tuple[CorpusManifest, ...]:
    """The manifests of a corpus's versions, the current one first, then the latest; damaged former ones are left out.

    () where there is no corpus. Raises DataError where the current manifest is damaged.
    """
    current = read_manifest(folder)
    if current is None:
        return ()
    former = (_undamaged(folder, name) for name in reversed(current.versions))
    return (current, *(version for version in former if version is not None))


def drop_version(folder: Path, version: str) -> CorpusManifest:
    """Removes a former version; what others share of it stays. Returns the corpus's manifest.

    Raises UsageError for the current version and for one that does not exist.
    """
    with only_builder(folder):
        current = read_manifest(folder)
        if current is not None and version == current.version:
            raise UsageError(
                f"“{version}” is the current version of the corpus “{folder.name}”, which stays as long as the corpus "
                "does. Allowed: an older version."
            )
        if current is None or version not in current.versions:
            raise unknown_name("older version", version, current.versions if current else ())
        kept = tuple(name for name in current.versions if name != version)
        manifest = current.model_copy(update={"versions": kept})
        write_manifest(folder, manifest)
        shutil.rmtree(folder / version, ignore_errors=True)
    return manifest


def _undamaged(folder: Path, version: str) -> CorpusManifest | None:
    try:
        return read_manifest(folder, version)
    except DataError:
        return None


def _link(file: Path, link: Path) -> None:
    try:
        os.link(file, link)
    except OSError:  # A file system without hard links, or too many links to one file.
        shutil.copyfile(file, link)


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
    existing = {name for name, row in corpus.lexical.rows_of(counts).items() if row not in gone}
    if twice := {name for name, count in counts.items() if count > 1} | existing:
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
    quoted = [f"“{shorten(name)}”" for name in sorted(names)]
    rest = len(quoted) - LISTED
    return ", ".join(quoted[:LISTED]) + (f" and {rest:,} more" if rest > 0 else "")
