"""Pushing a corpus's indexes into Milvus: what the files hold, a batch at a time, and nothing is encoded again.

Rows are written by their number, so a push that was killed goes on where it was. Until all indexes are complete the
corpus is searched as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench.app import Workbench
from workbench.core import DataError, UsageError, WorkbenchError, fingerprint
from workbench.data import (
    DENSE,
    LEXICAL,
    PUSHING,
    STORE,
    Corpus,
    IndexStore,
    Progress,
    StoredCollection,
    complete_indexes,
    kinds,
    lexical_identity,
    places_of,
    read_store,
    remember,
    store_key,
    write_store,
)
from workbench.retrieval import (
    EXACT_ROWS,
    MilvusAddress,
    MilvusCollection,
    StoredParts,
    client,
    passage_vectors,
    sparse_vectors,
    stored_dense,
    stored_sparse,
)
from workbench.workspace import batched, verb

BATCH = 500
"""Rows in one message, a few MiB at most."""
BLOCK = 8_192
"""Rows read from an index at a time."""
SPARSE_BLOCK = 65_536
"""The same of a sparse one, all of whose lists are read for each block."""

Items = Iterable[tuple[str, int, Any]]
"""The language, the row and the vector of passages."""


@dataclass(frozen=True, slots=True)
class _Source:
    """One index to push; `dimensions` is None for sparse vectors, `items` reads them all."""

    key: str
    name: str
    kind: str
    identity: str
    dimensions: int | None
    rows: int
    items: Callable[[], Items]


@verb("corpora.index", "{name}")
def push(bench: Workbench, name: str, address: str, progress: Progress) -> IndexStore:
    """Pushes all indexes of the corpus called `name`, and has them searched there from then on.

    Collections that it had elsewhere are dropped. Raises UsageError for an address that is not one, MissingError,
    MilvusUnreachable, WorkbenchError.
    """
    place = MilvusAddress.of(address)
    name = bench.corpus(name, progress).manifest.name
    with bench.library.changing(name):
        corpus = bench.corpus(name, progress)
        former = _readable(corpus.folder)
        sources = list(_sources(corpus))
        store = IndexStore(
            address=place.text, collections={source.key: _planned(corpus, place, source) for source in sources}
        )
        client(place)  # Where it cannot be reached nothing is written.
        remember(bench.settings.corpora, places_of(corpus.folder.parent, (PUSHING,)))
        write_store(corpus.folder, store, PUSHING)
        complete = {
            source.key: _pushed(place, source, store.collections[source.key], former, progress) for source in sources
        }
        store = store.model_copy(update={"collections": complete})
        # First what the owner wants: screens read it to say where the corpus is searched.
        write_store(corpus.folder.parent, IndexStore(address=place.text))
        write_store(corpus.folder, store)
        (corpus.folder / PUSHING).unlink(missing_ok=True)
    return store


@verb("corpora.index", "{name}")
def return_to_files(bench: Workbench, name: str) -> None:
    """Has the corpus called `name` searched in its files from now on, and drops the collections of all its versions."""
    name = bench.corpus(name).manifest.name
    with bench.library.changing(name):
        folder = bench.corpus(name).folder.parent
        for file in (folder / STORE, *folder.glob(f"*/{STORE}"), *folder.glob(f"*/{PUSHING}")):
            file.unlink(missing_ok=True)


def check_switch(corpus: Corpus, address: str, confirmed: bool) -> None:
    """Raises UsageError where another store's collections would be dropped and that is not `confirmed`.

    `address` is "" for the corpus's files.
    """
    store = _readable(corpus.folder)
    target = MilvusAddress.of(address).text if address else ""
    if store is None or store.address == target or confirmed:
        return
    count = len(store.collections)
    raise UsageError(
        f"The corpus “{corpus.manifest.name}” is searched in {store.address}: its {count:,} "
        f"{'collection' if count == 1 else 'collections'} there would be deleted. To do so, add --yes"
    )


def _readable(folder: Path) -> IndexStore | None:
    try:
        return read_store(folder)
    except DataError:
        return None  # It is written anew.


def _sources(corpus: Corpus) -> Iterator[_Source]:
    lexical, removed = corpus.lexical, corpus.table.removed
    yield _Source(
        LEXICAL,
        "words (BM25)",
        "lexical",
        lexical_identity(lexical),
        None,
        len(corpus.table),
        lambda: passage_vectors(lexical, corpus.table.numbered()),
    )
    yield _dense(DENSE, "built-in encoder", stored_dense(corpus.folder / DENSE, removed))
    for name, folder in complete_indexes(corpus):
        for kind in kinds(folder):
            key = store_key(folder, kind)
            if kind == "dense":
                yield _dense(key, name, stored_dense(folder, removed))
            else:
                yield _sparse(key, name, stored_sparse(folder, removed))


def _dense(key: str, name: str, stored: StoredParts) -> _Source:
    dimensions = int(next(stored.encoded(1))[2].shape[1])

    def items() -> Items:
        for language, rows, vectors in stored.encoded(BLOCK):
            for row, vector in zip(rows, vectors, strict=True):
                if np.isfinite(vector).all():
                    yield language, row, vector

    return _Source(key, name, "dense", stored.identity, dimensions, stored.live, items)


def _sparse(key: str, name: str, stored: StoredParts) -> _Source:
    def items() -> Items:
        for language, rows, weights in stored.encoded(SPARSE_BLOCK):
            for start in range(0, len(rows), BATCH):
                vectors = sparse_vectors(weights[start : start + BATCH])
                for row, vector in zip(rows[start : start + BATCH], vectors, strict=True):
                    if vector:
                        yield language, row, vector

    return _Source(key, name, "sparse", stored.identity, None, stored.live, items)


def _planned(corpus: Corpus, place: MilvusAddress, source: _Source) -> StoredCollection:
    """The collection of an index; its name differs where anything does that its vectors depend on."""
    exact = place.file is not None or source.dimensions is None or source.rows <= EXACT_ROWS
    content = [corpus.manifest.version, source.key, source.identity, exact]
    name = f"mrag_{source.kind}_{fingerprint('milvus', content)}"
    return StoredCollection(name=name, identity=source.identity, rows=source.rows, exact=exact)


def _pushed(
    place: MilvusAddress, source: _Source, planned: StoredCollection, former: IndexStore | None, progress: Progress
) -> StoredCollection:
    """Fills the collection of an index, and returns what it has. Raises WorkbenchError where rows are missing."""
    collection = MilvusCollection(place, planned.name, planned.exact)
    resumed = collection.create(source.dimensions)
    known = former.collections.get(source.key) if former is not None and former.address == place.text else None
    if resumed and known is not None and known.name == planned.name and collection.finish() == known.rows:
        return known
    rows = 0
    for batch in batched(source.items(), BATCH):
        present = collection.present([row for _, row, _ in batch]) if resumed else set()
        if missing := [item for item in batch if item[1] not in present]:
            collection.put(missing)
        rows += len(batch)
        progress(f"pushing {source.name}", rows, source.rows)
    if (count := collection.finish()) != rows:
        raise WorkbenchError(f"Milvus at {place.text} has {count:,} of {rows:,} rows. Type the command again.")
    return planned.model_copy(update={"rows": rows})
