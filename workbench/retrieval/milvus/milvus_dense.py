"""Dense search whose candidates come from Milvus: cosines are those of the index's files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.core import FloatArray, Hit, Query, Ranking, component, top_k
from workbench.retrieval.dense import LAYOUT, LEVEL, DenseIndex, Levels
from workbench.retrieval.milvus import candidate_search
from workbench.retrieval.milvus.milvus_collection import (
    HNSW_BUILD,
    HNSW_FEWEST,
    HNSW_LINKS,
    HNSW_TIMES,
    MilvusCollection,
    MilvusHit,
)
from workbench.retrieval.parts.index_layout import ShardManifest
from workbench.retrieval.parts.part_vectors import PartVectors
from workbench.retrieval.parts.shard_files import DECIMALS, Numbers
from workbench.retrieval.shards import StoredParts

ANY = Query("", "", ())
"""In place of a question where only its vector counts."""


def approximate_identity(identity: str) -> str:
    """The identity of an index that is searched by HNSW in Milvus: it may miss passages, so results are not shared."""
    return component("milvus-hnsw", index=identity, links=HNSW_LINKS, build=HNSW_BUILD, ef=[HNSW_FEWEST, HNSW_TIMES])


def stored_dense(directory: Path, removed: Numbers) -> StoredParts:
    """The vectors of a dense index, read without its encoder. Raises MissingError, DataError."""

    def width(manifest: ShardManifest) -> int:
        _, name = manifest.parts[0]
        with LAYOUT.reading(directory):
            return PartVectors.open(directory, name).shape[1]

    return DenseIndex.stored(directory, width, removed)


class MilvusDenseIndex(DenseIndex):
    """A dense index that is searched in a collection; a `Retriever`. Nothing is connected before the first search."""

    def __init__(self, index: DenseIndex, collection: MilvusCollection) -> None:
        """`collection` has the vectors of all passages of the opened `index`."""
        super().__init__(index._encoder, index._parts, index._content)
        self.collection = collection
        self._index = index
        # Milvus misses nothing that the files' estimates might, unless its own index is approximate.
        self._exact = collection.exact

    def exactly(self) -> DenseIndex:
        """This index where its collection is searched exhaustively, else the one of the files, all vectors read."""
        return self if self.collection.exact else self._index.exactly()

    @property
    def identity(self) -> str:
        """That of the index, since results are the same; another one where the collection's is approximate."""
        identity = super().identity
        return identity if self.collection.exact else approximate_identity(identity)

    def _search(self, scope: Sequence[str], vectors: FloatArray, k: int, levels: Sequence[Levels]) -> Iterator[Ranking]:
        """As that of the index. Where levels order languages anew, each language is searched by itself."""
        known = [code for code in scope if code in self._parts]
        searches = [[code] for code in known] if any(levels) else [known] if known else []
        rankings = [self._nearest(codes, vectors, k) for codes in searches]
        for number, lost in enumerate(levels):
            hits = (hit for each in rankings for hit in each[number])
            yield top_k((_levelled(hit, lost) for hit in hits), k)

    def _nearest(self, codes: Sequence[str], vectors: FloatArray, k: int) -> list[Ranking]:
        def fetch(numbers: Sequence[int], limit: int) -> list[list[MilvusHit]]:
            return self.collection.search(list(vectors[list(numbers)]), codes, limit)

        def score(number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
            return self.scored([self._hit(each) for each in candidates], ANY, vectors[number])

        return candidate_search.best(fetch, score, len(vectors), k)

    def _hit(self, candidate: MilvusHit) -> Hit:
        members = self._part_with(candidate.language, candidate.row).members
        return members.hit(members.place_of(candidate.row), candidate.language, 0.0, LAYOUT.kind)


def _levelled(hit: Hit, lost: Levels) -> Hit:
    if hit.language not in lost:
        return hit
    level = lost[hit.language]
    score = round(hit.score - level, DECIMALS)
    return replace(hit, score=score, scores={**hit.scores, LAYOUT.kind: score, LEVEL: level})
