"""Lexical search whose candidates come from Milvus: scores and look-ups by id are those of the index's files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from workbench.core import Hit, Query, Ranking
from workbench.retrieval.lexical import LexicalIndex, ShardQuery
from workbench.retrieval.milvus import candidate_search
from workbench.retrieval.milvus.bm25_vectors import query_vector
from workbench.retrieval.milvus.milvus_collection import MilvusCollection, MilvusHit


class MilvusLexicalIndex(LexicalIndex):
    """A lexical index that is searched in a collection; a `Retriever`. Nothing is connected before the first search."""

    def __init__(self, index: LexicalIndex, collection: MilvusCollection) -> None:
        """`collection` has the vectors of all passages of the opened `index`, by `bm25_vectors`."""
        super().__init__(index.manifest, index._shards, index._broken)
        self.collection = collection

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """As `LexicalIndex.retrieve`. Raises what `MilvusCollection.search` does."""
        rankings: list[Ranking] = [()] * len(queries)
        scopes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        parts = [list(self.shard_queries(query)) for query in queries]
        vectors = [query_vector(each) for each in parts]
        for place, (each, vector) in enumerate(zip(parts, vectors, strict=True)):
            if vector:
                scopes[tuple(sorted({part.language for part in each}))].append(place)
        for scope, places in scopes.items():
            for place, ranking in zip(places, self._search(scope, places, vectors, parts, k), strict=True):
                rankings[place] = ranking
        return rankings

    def _search(
        self,
        scope: Sequence[str],
        places: Sequence[int],
        vectors: Sequence[dict[int, float]],
        parts: Sequence[Sequence[ShardQuery]],
        k: int,
    ) -> list[Ranking]:
        def fetch(numbers: Sequence[int], limit: int) -> list[list[MilvusHit]]:
            return self.collection.search([vectors[places[number]] for number in numbers], scope, limit)

        def score(number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
            rows: defaultdict[str, list[int]] = defaultdict(list)
            for each in candidates:
                rows[each.language].append(each.row)
            return [
                part.hit(match)
                for part in parts[places[number]]
                for match in part.shard.score(part.tokens, rows[part.language])
            ]

        return candidate_search.best(fetch, score, len(places), k)
