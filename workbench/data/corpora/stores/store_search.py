"""An index as it is searched: in the store of its version where that has it, else in its files."""

from __future__ import annotations

from pathlib import Path

from workbench.data.corpora.stores.store_file import read_store
from workbench.retrieval import (
    BM25_VERSION,
    DenseIndex,
    LexicalIndex,
    MilvusCollection,
    MilvusDenseIndex,
    MilvusLexicalIndex,
    MilvusSparseIndex,
    SparseIndex,
)


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
