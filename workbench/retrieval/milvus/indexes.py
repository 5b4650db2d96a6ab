"""Lexical, sparse and dense search whose candidates come from Milvus, each scored again from the corpus's files.

So a score never depends on where a corpus is searched. Milvus's inner product is at least the score, but for the last
digits of a float32: once the last candidate's lies below the k-th best score, no other passage can be among the best,
and until then more candidates are fetched. Of an approximate index that holds for what it returns.

BM25 is an inner product, too. A passage's weight of a token is BM25's saturated term frequency, with the mean length of
its shard of the lexical index; a question's is the token's idf in that shard. So the product is the score that tantivy
gives: its lengths, which it keeps in one byte, are rounded here likewise. Each shard has its own statistics: a
dimension stands for a token in one shard, and one search covers many languages. What the words and n-grams of a broken
passage count is in its weights.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import FloatArray, Hit, Passage, Query, Ranking, component, top_k
from workbench.languages import has_broken_words, index_tokens, letter_grams
from workbench.retrieval.dense import LEVEL, DenseIndex, Levels
from workbench.retrieval.encoded_index import ShardManifest, StoredParts
from workbench.retrieval.index_files import DECIMALS, Numbers
from workbench.retrieval.lexical import BROKEN_NGRAMS, BROKEN_WORDS, LanguageQuery, LexicalIndex
from workbench.retrieval.milvus.collection import (
    HNSW_BUILD,
    HNSW_FEWEST,
    HNSW_LINKS,
    HNSW_TIMES,
    MOST_CANDIDATES,
    MilvusCollection,
    MilvusHit,
    SparseVector,
)
from workbench.retrieval.part_vectors import PartVectors
from workbench.retrieval.sparse import VOCABULARY, SparseIndex

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


OVERSAMPLE = 16
"""Candidates beyond the k best that are fetched at once."""
TIMES = 4
"""How many times as many are fetched next."""
SLACK = 1e-4
"""How far, relatively and absolutely, Milvus's product may lie below a score: rounding, and sums in another order."""

Fetch = Callable[[Sequence[int], int], Sequence[Sequence[MilvusHit]]]
"""For queries by their numbers, at most so many candidates of each, best first."""
Score = Callable[[int, Sequence[MilvusHit]], list[Hit]]
"""For a query by its number, its candidates scored, without those that do not match."""


def best_of_candidates(fetch: Fetch, score: Score, queries: Sequence[int], k: int) -> dict[int, Ranking]:
    """The `k` best hits of each of the `queries`, by their numbers."""
    rankings: dict[int, Ranking] = dict.fromkeys(queries, ())
    waiting = list(queries) if k > 0 else []
    limit = min(k + OVERSAMPLE, MOST_CANDIDATES)
    while waiting:
        later: list[int] = []
        for number, candidates in zip(waiting, fetch(waiting, limit), strict=True):
            rankings[number] = top_k(score(number, candidates), k)
            if not _is_complete(rankings[number], candidates, k, limit):
                later.append(number)
        waiting, limit = later, min(TIMES * limit, MOST_CANDIDATES)
    return rankings


def best_in_collection(
    collection: MilvusCollection, scopes: Sequence[Sequence[str]], vectors: Sequence[Any], score: Score, k: int
) -> list[Ranking]:
    """The `k` best hits for each vector, searched in the languages of its scope; those of one scope together.

    () where the scope is empty. Raises what `MilvusCollection.search` does.
    """
    queries: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, languages in enumerate(scopes):
        queries[tuple(languages)].append(number)
    rankings: dict[int, Ranking] = dict.fromkeys(queries.pop((), []), ())
    for scope, numbers in queries.items():

        def fetch(waiting: Sequence[int], limit: int, scope: Sequence[str] = scope) -> list[list[MilvusHit]]:
            return collection.search([vectors[number] for number in waiting], scope, limit)

        rankings |= best_of_candidates(fetch, score, numbers, k)
    return [rankings[number] for number in range(len(vectors))]


def _is_complete(ranking: Ranking, candidates: Sequence[MilvusHit], k: int, limit: int) -> bool:
    if len(candidates) < limit or limit == MOST_CANDIDATES:
        return True
    last = candidates[-1].score
    return len(ranking) == k and last + SLACK * (1 + abs(last)) < ranking[-1].score


K1, B = 1.2, 0.75
"""tantivy's."""
EXACT_LENGTHS = 40
STEPS = 8
BM25_VERSION = 1
"""Increased when the vectors change: an index in Milvus by another version is pushed anew."""


def _lengths() -> np.ndarray:
    """The lengths that one byte can stand for: all up to EXACT_LENGTHS, then STEPS with each width, which doubles."""
    lengths, width = list(range(EXACT_LENGTHS + 1)), 2
    while len(lengths) < 256:
        lengths += [lengths[-1] + width * (step + 1) for step in range(STEPS)]
        width *= 2
    return np.array(lengths[:256], dtype=np.int64)


LENGTHS = _lengths()


def dimension(language: str, token: str, *, ngrams: bool) -> int:
    """The dimension of a token in a shard. Two may share one: that only adds candidates, which are scored again."""
    text = f"{language}\x1f{int(ngrams)}\x1f{token}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "big") % (2**32 - 1)


def rounded_length(tokens: int) -> int:
    """The length that tantivy reckons with for a passage of that many tokens: the next lower one of LENGTHS.

    >>> rounded_length(40), rounded_length(43), rounded_length(100)
    (40, 42, 96)
    """
    return int(LENGTHS[np.searchsorted(LENGTHS, tokens, side="right") - 1])


def passage_vectors(
    index: LexicalIndex, numbered: Iterable[tuple[int, Passage]]
) -> Iterator[tuple[str, int, dict[int, float]]]:
    """The language, row and vector of each passage of the index that has a token; streams."""

    @lru_cache
    def mean(language: str, ngrams: bool) -> float:
        shard = index.shard(language, ngrams=ngrams)
        token = shard.any_token() if shard is not None else ""
        return shard.mean_length(token) if shard is not None and token else 1.0

    for row, passage in numbered:
        parts = [(False, index_tokens(passage.searchable), BROKEN_WORDS)]
        is_broken = False
        if index.shard(passage.language, ngrams=True) is not None:
            parts.append((True, letter_grams(passage.searchable), BROKEN_NGRAMS))
            is_broken = has_broken_words(passage.searchable)
        vector: dict[int, float] = {}
        for ngrams, tokens, factor in parts:
            norm = K1 * (1 - B + B * rounded_length(len(tokens)) / mean(passage.language, ngrams))
            times = (K1 + 1) * (factor if is_broken else 1.0)
            for token, count in Counter(tokens).items():
                place = dimension(passage.language, token, ngrams=ngrams)
                vector[place] = vector.get(place, 0.0) + times * count / (count + norm)
        if vector:
            yield passage.language, row, vector


def query_vector(parts: Sequence[LanguageQuery]) -> dict[int, float]:
    """The vector of what is searched for in some languages; empty where none of them knows a token."""
    vector: dict[int, float] = {}
    for part in parts:
        for query in (part.words, part.ngrams):
            if query is None:
                continue
            for token in query.tokens:
                place = dimension(part.language, token, ngrams=query is part.ngrams)
                vector[place] = vector.get(place, 0.0) + query.scale * query.shard.idf(token)
    return {place: weight for place, weight in vector.items() if weight > 0}


class MilvusLexicalIndex(LexicalIndex):
    """A lexical index that is searched in a collection; a `Retriever`. Nothing is connected before the first search."""

    def __init__(self, index: LexicalIndex, collection: MilvusCollection) -> None:
        """`collection` has the vectors of all passages of the opened `index`, as `passage_vectors` makes them."""
        super().__init__(index.manifest, index._shards, index._ngrams)
        self.collection = collection

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """As `LexicalIndex.retrieve`. Raises what `MilvusCollection.search` does."""
        parts = [list(self.language_queries(query)) for query in queries]
        vectors = [query_vector(each) for each in parts]
        scopes = [
            sorted({part.language for part in each}) if vector else ()
            for each, vector in zip(parts, vectors, strict=True)
        ]

        def score(number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
            rows: defaultdict[str, list[int]] = defaultdict(list)
            for each in candidates:
                rows[each.language].append(each.row)
            return [hit for part in parts[number] for hit in part.scored(rows[part.language])]

        return best_in_collection(self.collection, scopes, vectors, score, k)


def stored_sparse(directory: Path, removed: Numbers) -> StoredParts:
    """The weights of a sparse index, read without its encoder. Raises MissingError, DataError."""
    return SparseIndex.stored(directory, lambda manifest: manifest.sizes[VOCABULARY], removed)


def sparse_vectors(weights: csr_matrix) -> list[SparseVector]:
    """The rows of a matrix as Milvus takes them, without zeros."""
    return [
        {token: weight for token, weight in zip(tokens.tolist(), values.tolist(), strict=True) if weight > 0}
        for tokens, values in (
            (weights.indices[start:end], weights.data[start:end]) for start, end in pairwise(weights.indptr.tolist())
        )
    ]


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
        scopes = [
            [code for code in sorted(set(query.languages)) if code in self._parts] if vector else []
            for query, vector in zip(queries, vectors, strict=True)
        ]

        def score(number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
            return list(self._scored(candidates, weights[number]))

        return best_in_collection(self.collection, scopes, vectors, score, k)

    def _scored(self, candidates: Sequence[MilvusHit], weights: csr_matrix) -> Iterator[Hit]:
        for each in candidates:
            shard = self._part_with(each.language, each.row)
            place = shard.members.position_of(each.row)
            (score,) = shard.score(np.array([place], dtype=np.int64), weights.indices, weights.data)
            if score > 0:
                yield shard.members.hit(place, each.language, float(score), self.layout.kind)


ANY = Query("", "", ())
"""In place of a question where only its vector counts."""


def approximate_identity(identity: str) -> str:
    """The identity of an index that is searched by HNSW in Milvus: it may miss passages, so results are not shared."""
    return component("milvus-hnsw", index=identity, links=HNSW_LINKS, build=HNSW_BUILD, ef=[HNSW_FEWEST, HNSW_TIMES])


def stored_dense(directory: Path, removed: Numbers) -> StoredParts:
    """The vectors of a dense index, read without its encoder. Raises MissingError, DataError."""

    def width(manifest: ShardManifest) -> int:
        _, name = manifest.parts[0]
        with DenseIndex.layout.reading(directory):
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
        def score(number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
            return self.scored([self._hit(each) for each in candidates], ANY, vectors[number])

        return best_in_collection(self.collection, [codes] * len(vectors), list(vectors), score, k)

    def _hit(self, candidate: MilvusHit) -> Hit:
        members = self._part_with(candidate.language, candidate.row).members
        return members.hit(members.position_of(candidate.row), candidate.language, 0.0, self.layout.kind)


def _levelled(hit: Hit, lost: Levels) -> Hit:
    if hit.language not in lost:
        return hit
    level = lost[hit.language]
    score = round(hit.score - level, DECIMALS)
    return replace(hit, score=score, scores={**hit.scores, DenseIndex.layout.kind: score, LEVEL: level})
