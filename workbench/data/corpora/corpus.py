"""An opened corpus: its passages, its indexes and its built-in encoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workbench.core import DataError, MissingError, Passage, shorten
from workbench.data.corpora import sample
from workbench.data.corpora.build import DENSE, ENCODER, LEXICAL
from workbench.data.corpora.gold_places import GoldPlaces
from workbench.data.corpora.manifest import CorpusManifest
from workbench.data.corpora.passage_table import PassageTable, removed_rows
from workbench.data.corpora.stores.store_search import searched_dense, searched_lexical
from workbench.retrieval import HINT, BuiltinEncoder, DenseIndex, LexicalIndex, read_manifest as read_manifest_of
from workbench.workspace import check_files


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
            return PassageTable.open(self.folder)
        except (OSError, ValueError, AttributeError) as error:  # ValueError: pyarrow's errors and those of checksums
            raise self._without_passages(error) from error

    @property
    def lexical(self) -> LexicalIndex:
        """The BM25 index, in its store if it has one. Raises DataError where it is damaged or of another segmenter."""
        return searched_lexical(self.folder, LEXICAL, self._lexical)

    @cached_property
    def _lexical(self) -> LexicalIndex:
        with self.naming_it():
            return LexicalIndex.open(self.folder / LEXICAL)

    @cached_property
    def encoder(self) -> BuiltinEncoder:
        """The built-in encoder, fitted on this corpus. Raises DataError where it is damaged."""
        with self.naming_it():
            return BuiltinEncoder.open(self.folder / ENCODER)

    @property
    def dense(self) -> DenseIndex:
        """The dense index by the built-in encoder, in its store if it has one. Raises DataError where it is damaged."""
        return searched_dense(self.folder, DENSE, self._dense)

    @cached_property
    def _dense(self) -> DenseIndex:
        encoder = self.encoder
        with self.naming_it():
            return DenseIndex.open(self.folder / DENSE, encoder, removed_rows(self.folder))

    @cached_property
    def golds(self) -> GoldPlaces:
        """Where the golds of questions are in it. Raises as `table` does, and `lexical` when passages are looked up."""
        return GoldPlaces(self.table, lambda: self.lexical)

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

    def passages_named(self, ids: Iterable[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that the corpus has, by id."""
        rows = self.lexical.rows_of(set(ids))
        return {passage.id: passage for passage in self.table.passages(list(rows.values()))}
