"""An opened corpus: its passages, their neighbours, its built-in encoder, and its indexes, in files or in a Milvus.

`<corpus>/store.json` has the address of the Milvus that its owner wants. `<version>/store.json` has the collections in
use, and is written once all of them are complete; before, they are in `<version>/pushing.json`, so that what a killed
push left is known. Each index is looked up by its key and by its identity: one that is not there as it is now is
searched in the corpus's files. Collections that no version names any more are dropped; where Milvus cannot be reached
then, or a change was interrupted, they are written down beside the corpora, and dropped with the next ones, unless a
corpus names them again by then.

Neighbours: the passages before and after a candidate in its document join the candidates, as by AutoRAG's prev/next
augmenter (Kim et al. (2024), section 2.3.1): the hypothesis is that what stands next to a relevant passage bears on the
question too. All passages, those retrieved and those that join, are then scored alike, by their vector's likeness to
the question's, and ordered by that. A document's passages are in the order of their positions; removed ones do not
count, and none of another document or language ever joins.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workbench.core import (
    DataError,
    Hit,
    MissingError,
    Passage,
    Query,
    Ranking,
    WorkbenchError,
    component,
    shorten,
    with_score,
)
from workbench.data.corpora import sample
from workbench.data.corpora.build import DENSE, ENCODER, LEXICAL, CorpusManifest
from workbench.data.corpora.passage_table import GoldPlaces, PassageTable, removed_rows
from workbench.retrieval import (
    BM25_VERSION,
    HINT,
    BuiltinEncoder,
    DenseIndex,
    LexicalIndex,
    MilvusAddress,
    MilvusCollection,
    MilvusDenseIndex,
    MilvusLexicalIndex,
    MilvusSparseIndex,
    SparseIndex,
    VectorSearch,
    read_manifest as read_manifest_of,
)
from workbench.workspace import atomic, check_files, name_lock, sealed, unsealed

STORE, PUSHING = "store.json", "pushing.json"
FORMAT = 1


class StoredCollection(BaseModel):
    """The collection of one index: its name, the index's identity, its rows, and whether its search is exact."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    identity: str
    rows: int
    exact: bool


class IndexStore(BaseModel):
    """The collections of a version's indexes, by key, at an address of `milvus_address`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str
    collections: Mapping[str, StoredCollection] = Field(default_factory=dict)
    format: int = FORMAT

    def collection(self, key: str, identity: str, corpus: str) -> MilvusCollection | None:
        """The collection with the index of this key and identity, of the corpus called so; None where it is not there.

        Raises UsageError for an address that is not one.
        """
        stored = self.collections.get(key)
        if stored is None or stored.identity != identity:
            return None
        remedy = f"Push it again: {push_command(corpus, self.address)}"
        return MilvusCollection(MilvusAddress.of(self.address), stored.name, stored.exact, remedy)


@dataclass(frozen=True, slots=True)
class StoreState:
    """Where a corpus is searched that has a store: the store's address, and the names of its indexes by place.

    `behind` are those that are searched in the corpus's files, since the store has not got them.
    """

    corpus: str
    address: str
    pushed: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def words(self) -> str:
        """The state in a clause."""
        if not self.pushed:
            return f"searched in its files, not yet in {self.address}"
        rest = f"; not pushed yet, so searched in its files: {', '.join(self.behind)}" if self.behind else ""
        return f"searched in {self.address}{rest}"

    @property
    def command(self) -> str:
        """What to type to push what is behind; "" where nothing is."""
        return push_command(self.corpus, self.address) if self.behind else ""


def push_command(corpus: str, address: str) -> str:
    """What to type to push a corpus into a store."""
    return f"python -m workbench corpora index {corpus} --store {address}"


def read_store(folder: Path, name: str = STORE) -> IndexStore | None:
    """The store that the file called `name` in a version's or a corpus's folder names; None where there is none.

    Raises DataError where it is damaged.
    """
    path = folder / name
    try:
        stored: Any = unsealed(json.loads(path.read_bytes()))
        store = IndexStore.model_validate(stored)
        if store.format != FORMAT:
            raise ValueError("another format")
        return store
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, IsADirectoryError) as error:
        raise DataError(
            f"The file {name} in {folder} is damaged. Delete it: the corpus is then searched in its files."
        ) from error


def write_store(folder: Path, store: IndexStore, name: str = STORE) -> None:
    """Writes the file, atomically."""
    atomic.write_text(folder / name, json.dumps(sealed(store.model_dump(mode="json")), indent=1) + "\n")


def searched_lexical(folder: Path, key: str, index: LexicalIndex) -> LexicalIndex:
    """The lexical index of the version in `folder`, whose key is `key`. Raises DataError for a damaged file."""
    collection = _collection(folder, key, lexical_identity(index))
    return index if collection is None else MilvusLexicalIndex(index, collection)


def searched_dense(folder: Path, key: str, index: DenseIndex) -> DenseIndex:
    """As `searched_lexical`, for a dense index."""
    collection = _collection(folder, key, index.identity)
    return index if collection is None else MilvusDenseIndex(index, collection)


def searched_sparse(folder: Path, key: str, index: SparseIndex) -> SparseIndex:
    """As `searched_lexical`, for a sparse index."""
    collection = _collection(folder, key, index.identity)
    return index if collection is None else MilvusSparseIndex(index, collection)


def lexical_identity(index: LexicalIndex) -> str:
    """What the vectors of a lexical index depend on."""
    return f"{index.identity} vectors={BM25_VERSION}"


def _collection(folder: Path, key: str, identity: str) -> MilvusCollection | None:
    store = read_store(folder)
    return store.collection(key, identity, folder.parent.name) if store else None


LEFT = "collections-left.json"
LOCK = "_collections"
"""No corpus is called so."""

Place = tuple[str, str]
"""An address and the name of a collection there."""


def places_of(corpus: Path, files: Iterable[str] = (STORE, PUSHING)) -> set[Place]:
    """All collections that the versions in a corpus's folder name in these files; none for a damaged file."""
    places: set[Place] = set()
    for folder in corpus.glob("*/"):
        for name in files:
            try:
                store = read_store(folder, name)
            except DataError:
                continue
            places |= (
                {(store.address, collection.name) for collection in store.collections.values()} if store else set()
            )
    return places


@contextmanager
def dropping(corpora: Path, name: str) -> Iterator[None]:
    """Lets nobody else change the corpus called `name`; after the change, drops collections that it names no more."""
    with name_lock(corpora, name):
        before = places_of(corpora / name)
        gone: set[Place] = set()
        try:
            yield
        finally:
            gone = before - places_of(corpora / name)
            remember(corpora, gone)
        if gone:
            drop(corpora, gone)


def remember(corpora: Path, places: Collection[Place]) -> None:
    """Writes down collections that the next `drop` drops, but for those that a corpus names then."""
    if places:
        with name_lock(corpora, LOCK):
            _write(corpora, {*left(corpora), *places})


def drop(corpora: Path, places: Collection[Place]) -> list[Place]:
    """Drops collections, and those left from before; returns those that could not be, which are written down."""
    with name_lock(corpora, LOCK):
        former = left(corpora)
        # A collection's name depends on what it holds alone: what was left may be in use again.
        used = {collection for folder in corpora.glob("*/") for collection in places_of(folder)} if former else set()
        waiting = sorted({*(set(former) - used), *places})
        unreachable: dict[str, list[Place]] = {}
        for address, name in waiting:
            if address in unreachable or not _dropped(address, name):
                unreachable.setdefault(address, []).append((address, name))
        remaining = [collection for each in unreachable.values() for collection in each]
        if remaining or (corpora / LEFT).exists():
            _write(corpora, remaining)
    return remaining


def left(corpora: Path) -> list[Place]:
    """The collections that could not be dropped so far."""
    try:
        return [(str(address), str(name)) for address, name in json.loads((corpora / LEFT).read_bytes())]
    except (OSError, ValueError, TypeError):
        return []


def left_words(places: Iterable[Place]) -> str:
    """What is left where, in a sentence; "" for nothing."""
    ordered = sorted(places)
    if not ordered:
        return ""
    noun = "collection" if len(ordered) == 1 else "collections"
    where = ", ".join(sorted({address for address, _ in ordered}))
    return f"{len(ordered):,} {noun} could not be deleted at {where}; the next change to a store tries again."


def _dropped(address: str, name: str) -> bool:
    try:
        MilvusCollection(MilvusAddress.of(address), name).drop()
    except WorkbenchError:
        return False
    return True


def _write(corpora: Path, places: Collection[Place]) -> None:
    if places:
        atomic.write_text(corpora / LEFT, json.dumps(sorted(places), indent=1) + "\n")
    else:
        (corpora / LEFT).unlink(missing_ok=True)


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


NAME = "similarity"
"""What the score that orders the candidates and their neighbours is called in a hit's scores."""
VERSION = 1


class NeighbourAugmenter:
    """Implements `Augmenter` over a corpus's passages and a search by vectors over the same corpus."""

    def __init__(
        self, table: PassageTable, search: VectorSearch, count: int, side: Literal["both", "previous", "next"] = "both"
    ) -> None:
        """`count`, from 1: how many passages join on each side that `side` names."""
        self._table = table
        self._search = search
        self._count = count
        self._side = side

    @property
    def identity(self) -> str:
        """What scores, how many passages join, and on which side."""
        return component(
            "neighbours", search=self._search.identity, count=self._count, side=self._side, version=VERSION
        )

    def augment(self, queries: Sequence[Query], rankings: Sequence[Ranking]) -> list[Ranking]:
        """One ranking per query: every hit and its neighbours, each once, by `similarity`.

        Equal scores leave a hit before its neighbours, the nearer ones first, and hits in the order that they had: a
        question that means nothing to the encoder changes no order.
        """
        if not queries:
            return []
        retrieved = sorted({hit.row for ranking in rankings for hit in ranking})
        passages = dict(zip(retrieved, self._table.passages(retrieved), strict=True))
        documents = rows_in_order(self._table, {passage.document for passage in passages.values()})
        positions = {row: position for rows in documents.values() for position, row in enumerate(rows)}
        around = {
            row: list(self._around(documents[passage.document, passage.language], positions[row]))
            for row, passage in passages.items()
        }
        joining = sorted({row for rows in around.values() for row in rows} - set(passages))
        passages |= zip(joining, self._table.passages(joining), strict=True)
        vectors = self._search.encode(queries)
        augmented: list[Ranking] = []
        for query, ranking, vector in zip(queries, rankings, vectors, strict=True):
            hits = _with_neighbours(ranking, around, passages)
            scored = self._search.scored(hits, query, vector)
            both = [with_score(hit, scored_hit.score, NAME) for hit, scored_hit in zip(hits, scored, strict=True)]
            augmented.append(tuple(sorted(both, key=lambda hit: -hit.score)))
        return augmented

    def _around(self, rows: Sequence[int], position: int) -> Iterator[int]:
        """The rows that join the one at `position` of its document, the nearer ones first."""
        for distance in range(1, self._count + 1):
            if self._side != "next" and position >= distance:
                yield rows[position - distance]
            if self._side != "previous" and position + distance < len(rows):
                yield rows[position + distance]


def rows_in_order(table: PassageTable, documents: Collection[str]) -> dict[tuple[str, str], list[int]]:
    """The rows of these documents, by document and language, by position; equal positions in order of row."""
    rows = table.rows_of_documents(documents)
    placed: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row, (document, code, position) in zip(
        rows, table.values(rows, ("document", "language", "position")), strict=True
    ):
        placed.setdefault((document, code), []).append((position, row))
    return {key: [row for _, row in sorted(placed_rows)] for key, placed_rows in placed.items()}


def _with_neighbours(
    ranking: Ranking, around: Mapping[int, Sequence[int]], passages: Mapping[int, Passage]
) -> list[Hit]:
    """Every hit, followed by those of its neighbours that are not there yet; what was retrieved keeps its scores."""
    retrieved = {hit.row: hit for hit in ranking}
    rows = dict.fromkeys(row for hit in ranking for row in (hit.row, *around[hit.row]))
    return [retrieved.get(row) or Hit(passages[row].id, row, passages[row].language, 0.0) for row in rows]
