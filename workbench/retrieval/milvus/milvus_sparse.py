"""Learned sparse search whose candidates come from Milvus: dot products are those of the index's files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import Hit, Query, Ranking
from workbench.retrieval.milvus import candidate_search
from workbench.retrieval.milvus.milvus_collection import MilvusCollection, MilvusHit, SparseVector
from workbench.retrieval.parts.shard_files import Numbers
from workbench.retrieval.shards import StoredParts
from workbench.retrieval.sparse import LAYOUT, VOCABULARY, SparseIndex

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def stored_sparse(directory: Path, removed: Numbers) -> StoredParts:
    """The weights of a sparse index, read without its encoder. Raises MissingError, DataError."""
    return SparseIndex.stored(directory, lambda manifest: manifest.sizes[VOCABULARY], removed)


def sparse_vectors(weights: csr_matrix) -> list[SparseVector]:
    """The rows of a matrix as Milvus takes them, without zeros."""
    rows = ((weights.indices[start:end], weights.data[start:end]) for start, end in _bounds(weights))
    return [
        {token: weight for token, weight in zip(tokens.tolist(), values.tolist(), strict=True) if weight > 0}
        for tokens, values in rows
    ]


def _bounds(weights: csr_matrix) -> Iterator[tuple[int, int]]:
    return zip(weights.indptr[:-1].tolist(), weights.indptr[1:].tolist(), strict=True)


class MilvusSparseIndex(SparseIndex):
    """A sparse index that is searched in a collection; a `Retriever`. Nothing is connected before the first search."""

    def __init__(self, index: SparseIndex, collection: MilvusCollection) -> None:
        """`collection` has the weights of all passages of the opened `index`."""
        super().__init__(index._encoder, index._parts, index._content)
        self.collection = collection

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """As `SparseIndex.retrieve`. Raises what `MilvusCollection.search` does."""
        if not queries or k <= 0:
            return [()] * len(queries)
        weights = self._encoder.encode_queries(queries).tocsr()
        vectors = sparse_vectors(weights)
        rankings: list[Ranking] = [()] * len(queries)
        scopes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, query in enumerate(queries):
            scope = tuple(code for code in sorted(set(query.languages)) if code in self._parts)
            if vectors[place] and scope:
                scopes[scope].append(place)
        for scope, places in scopes.items():
            for place, ranking in zip(places, self._search(scope, places, vectors, weights, k), strict=True):
                rankings[place] = ranking
        return rankings

    def _search(
        self,
        scope: Sequence[str],
        places: Sequence[int],
        vectors: Sequence[SparseVector],
        weights: csr_matrix,
        k: int,
    ) -> list[Ranking]:
        def fetch(numbers: Sequence[int], limit: int) -> list[list[MilvusHit]]:
            return self.collection.search([vectors[places[number]] for number in numbers], scope, limit)

        def score(number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
            return list(self._scored(candidates, weights[places[number]]))

        return candidate_search.best(fetch, score, len(places), k)

    def _scored(self, candidates: Sequence[MilvusHit], weights: csr_matrix) -> Iterator[Hit]:
        for each in candidates:
            shard = self._part_with(each.language, each.row)
            place = shard.members.place_of(each.row)
            (score,) = shard.score(np.array([place], dtype=np.int64), weights.indices, weights.data)
            if score > 0:
                yield shard.members.hit(place, each.language, float(score), LAYOUT.kind)
