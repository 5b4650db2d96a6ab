"""The corpora of a workspace: list, open, add and remove them. The sample is built when it is first opened."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import regex

from workbench.corpora import sample
from workbench.corpora.build import (
    BUILDER,
    DENSE,
    ENCODER,
    LEXICAL,
    TABLE,
    AlignedTexts,
    Progress,
    build_corpus,
    never,
    quiet,
)
from workbench.corpora.manifest import FILE, FORMAT, CorpusManifest, read_manifest
from workbench.corpora.passage_table import PassageTable
from workbench.errors import DataError, MissingError, UsageError, shorten, unknown_name
from workbench.identity import fingerprint
from workbench.languages.segment import SEGMENTER_VERSION
from workbench.protocols import Encoder
from workbench.records import Passage
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.builtin.builtin_encoder import VERSION as ENCODER_VERSION
from workbench.retrieval.encoders.builtin.builtin_encoder import BuiltinEncoder
from workbench.retrieval.index_manifest import HINT
from workbench.retrieval.index_manifest import read_manifest as read_manifest_of
from workbench.retrieval.lexical import LexicalIndex
from workbench.storage.checksums import check_files
from workbench.storage.name_lock import name_lock

NAME = regex.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
SAMPLE_SOURCE = "The workbench's own sample"
SAMPLE_LICENCE = "CC BY 4.0"


def checked_name(name: str, kind: str) -> str:
    """`name`, if it can name a corpus or a dataset: it becomes a folder, so nothing else is allowed.

    Raises UsageError otherwise; `kind` is `corpus` or `dataset`.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"“{shorten(name)}” cannot name a {kind}. Allowed: 1 to 63 lower-case letters, digits, “-” and “_”, a "
            f"letter or digit first. For example: --name my-{kind}"
        )
    return name


@dataclass
class Corpus:
    """An opened corpus. Its parts are opened when first used, memory-mapped, and shared by all users of the object."""

    manifest: CorpusManifest
    folder: Path = field(repr=False)

    @cached_property
    def table(self) -> PassageTable:
        """The passages, by row. Raises DataError where they are damaged."""
        try:
            check_files(self.folder, self.manifest.files)
            return PassageTable(self.folder / TABLE)
        except (OSError, ValueError, AttributeError) as error:  # ValueError: pyarrow's errors and those of checksums
            raise self._without_passages(error) from error

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The BM25 index. Raises DataError where it is damaged or of another segmenter."""
        with self.naming_it():
            return LexicalIndex.open(self.folder / LEXICAL)

    @cached_property
    def encoder(self) -> Encoder:
        """The built-in encoder, fitted on this corpus. Raises DataError where it is damaged."""
        with self.naming_it():
            return BuiltinEncoder.open(self.folder / ENCODER)

    @cached_property
    def dense(self) -> DenseIndex:
        """The dense index by the built-in encoder. Raises DataError where it is damaged."""
        encoder = self.encoder
        with self.naming_it():
            return DenseIndex.open(self.folder / DENSE, encoder)

    def check_all_bytes(self) -> None:
        """Compares every byte of the passages and the corpus's indexes with the checksums of their build.

        Raises DataError where something is damaged, MissingError where it is missing.
        """
        try:
            check_files(self.folder, self.manifest.files, deep=True)
        except ValueError as error:
            raise self._without_passages(error) from error
        with self.naming_it():
            read_manifest_of(self.folder / LEXICAL, LEXICAL, lambda facts: facts, deep=True)
            BuiltinEncoder.open(self.folder / ENCODER, deep=True)
            read_manifest_of(self.folder / DENSE, DENSE, lambda facts: facts, deep=True)

    @contextmanager
    def naming_it(self, options: str = "") -> Iterator[None]:
        """Completes the command in errors of the indexes, which end with HINT, by the corpus's name and `options`."""
        try:
            yield
        except (DataError, MissingError) as error:
            if not str(error).endswith(HINT):
                raise
            raise type(error)(f"{error} {self.manifest.name}{options}") from error

    def _without_passages(self, error: Exception) -> DataError:
        name = self.manifest.name
        remedy = (
            f"Build them again: python -m workbench corpora index {name}"
            if name == sample.SAMPLE
            else f"Delete the folder {self.folder.parent} and import its files again."
        )
        return DataError(f"The passages of corpus “{name}” are damaged ({shorten(error)}). {remedy}")

    @property
    def languages(self) -> tuple[str, ...]:
        """The corpus's languages, most passages first."""
        return tuple(self.manifest.languages)


class CorpusLibrary:
    """Corpora under one folder, one sub-folder each."""

    def __init__(self, folder: Path) -> None:
        """`folder` may be missing: there are no corpora then."""
        self._folder = folder
        self._open: dict[str, Corpus] = {}

    def list(self) -> list[CorpusManifest]:
        """The manifests of all complete corpora, by name; a damaged one is left out, and reported when it is opened."""
        manifests = [_undamaged(entry) for entry in self._folders()]
        return [manifest for manifest in manifests if manifest is not None]

    def damaged(self) -> Sequence[str]:
        """The names of corpora whose manifest cannot be read."""
        return [entry.name for entry in self._folders() if (entry / FILE).exists() and _undamaged(entry) is None]

    def _folders(self) -> Sequence[Path]:
        return sorted(entry for entry in self._folder.iterdir() if entry.is_dir()) if self._folder.is_dir() else []

    def open(self, name: str, progress: Progress = quiet) -> Corpus:
        """The corpus called `name`; builds the sample where it is missing or out of date.

        Raises UsageError for a name that no corpus has, DataError for a damaged one.
        """
        folder = self._folder / name
        if name == sample.SAMPLE:
            manifest = _undamaged(folder)
            if manifest is None or not self._is_current_sample(manifest):
                manifest = self._build_sample(progress)
        else:
            manifest = read_manifest(folder) if NAME.fullmatch(name) else None
        if manifest is None or manifest.format != FORMAT:
            raise unknown_name(
                "corpus", name, {item.name for item in self.list()} | {sample.SAMPLE}, "Type: corpora list"
            )
        corpus = self._open.get(name)
        if corpus is None or corpus.manifest.version != manifest.version:
            corpus = Corpus(manifest, self._folder / name / manifest.version)
            self._open[name] = corpus
        return corpus

    def add(
        self,
        name: str,
        passages: Iterable[Passage],
        *,
        source: str,
        licence: str,
        aligned: Iterable[AlignedTexts] = (),
        progress: Progress = quiet,
    ) -> CorpusManifest:
        """Builds or replaces the corpus called `name`; `aligned`: see `build_corpus`.

        Raises UsageError for an invalid name or the sample's, DataError for passages without text.
        """
        if name == sample.SAMPLE:
            raise UsageError(
                "The corpus “sample” is the workbench's own and cannot be replaced. Choose another name, for "
                "example: --name mine"
            )
        checked_name(name, "corpus")
        folder = self._folder / name
        with self.changing(name):
            return build_corpus(folder, passages, aligned=aligned, source=source, licence=licence, progress=progress)

    def changing(self, name: str) -> AbstractContextManager[None]:
        """Keeps others from changing the corpus called `name`, a name that is allowed, until the end of the block.

        Whoever reads it in order to build it anew does both within.
        """
        return name_lock(self._folder, name)

    def index(self, name: str, progress: Progress = quiet) -> CorpusManifest:
        """Builds the indexes of the corpus called `name` again, from its passages. Raises as `open` does."""
        self.open(name, progress)
        if name == sample.SAMPLE:
            return self._build_sample(progress, rebuild=True)
        with self.changing(name):
            corpus = self.open(name, progress)
            return build_corpus(
                self._folder / name,
                iter(corpus.table),
                source=corpus.manifest.source,
                licence=corpus.manifest.licence,
                progress=progress,
            )

    def remove(self, name: str) -> None:
        """Deletes a corpus, the manifest first: a half-deleted one never passes for complete. Raises as `open` does."""
        self.open(name)
        with self.changing(name):
            corpus = self.open(name)
            (corpus.folder.parent / FILE).unlink()
            shutil.rmtree(corpus.folder.parent, ignore_errors=True)
            self._open.pop(name, None)

    def _is_current_sample(self, manifest: CorpusManifest) -> bool:
        return manifest.format == FORMAT and manifest.source == self._sample_source()

    def _sample_source(self) -> str:
        builder = fingerprint("sample", [sample.fingerprint(), BUILDER, SEGMENTER_VERSION, ENCODER_VERSION])
        return f"{SAMPLE_SOURCE} {builder}"

    def _build_sample(self, progress: Progress, *, rebuild: bool = False) -> CorpusManifest:
        return build_corpus(
            self._folder / sample.SAMPLE,
            sample.passages(),
            aligned=sample.aligned_sentences(),
            source=self._sample_source(),
            licence=SAMPLE_LICENCE,
            progress=progress,
            serves=never if rebuild else self._is_current_sample,
        )


def _undamaged(folder: Path) -> CorpusManifest | None:
    try:
        return read_manifest(folder)
    except DataError:
        return None
