"""Language balance: what keeps one language from filling a ranking over several.

Retrievers and rerankers favour English and the question's language; taking an equal share from each language of the
scope helps (Amiraz et al. (2025), "The Cross-Lingual Cost", arXiv 2507.07543).

- `none`: as ranked.
- `equal`: the first of each language, then the second of each, and so on; a language that has no more gives its
  places to the others. Score: 1 / rank within the language.
- `normalised`: by score, normalised (z-score) within each language.

Levelling (`LevelledSearch`) is of a dense index alone: a question is nearer to all passages of some languages than to
those of others, and that is taken out of the scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from workbench.core import FloatArray, Hit, Query, Ranking, Retriever, component, top_k, unknown_name, with_score
from workbench.retrieval.dense import LEVEL, DenseIndex
from workbench.retrieval.hybrid import z_score
from workbench.retrieval.index_files import DECIMALS

STRENGTH = 0.7
FEW = 30
"""A language with this many passages is moved half as far as one with very many."""


class LevelledSearch:
    """A dense index whose scores are levelled. Hits carry `dense`, which orders them, and `level`.

    Centring (`encoders.language_means`) takes out what a language adds to its vectors everywhere; what is left differs
    by question and corpus. Here each score loses `strength` times how far the question's mean cosine with the passages
    of that language lies above the mean over the languages searched. A language with few passages is hardly moved: its
    mean tells what they are about more than what its language does. Within one language nothing changes.

    Measured on XQuAD with every paragraph in one random language (hybrid): MRR .797 → .827; among three passages alone
    of a language .865 → .857 (docs/methods.md, `benchmarks.meaning`).
    """

    def __init__(self, dense: DenseIndex, strength: float = STRENGTH) -> None:
        """`strength`, in [0, 1], is the share of the difference that is taken out."""
        self._dense = dense
        self._strength = strength

    @property
    def identity(self) -> str:
        """Names the index and the strength."""
        return component("levelled", dense=self._dense.identity, strength=self._strength, few=FEW)

    def encode(self, queries: Sequence[Query]) -> FloatArray:
        """The encoder's vectors of the queries."""
        return self._dense.encode(queries)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The `k` best for each query; () where the encoder knows nothing of it."""
        if not queries or k <= 0:
            return [()] * len(queries)
        return self.nearest(queries, self.encode(queries), k)

    def nearest(self, queries: Sequence[Query], vectors: FloatArray, k: int) -> list[Ranking]:
        """As `retrieve`, for queries whose vectors are known; `k` is at least 1."""
        levels = [self._levels(query, vector) for query, vector in zip(queries, vectors, strict=True)]
        return self._dense.nearest(queries, vectors, k, levels)

    def scored(self, hits: Sequence[Hit], query: Query, vector: FloatArray) -> list[Hit]:
        """Any passages of the corpus, scored as `retrieve` scores them; in the same order."""
        levels = self._levels(query, vector)
        return [
            Hit(hit.id, hit.row, hit.language, score, {**hit.scores, "dense": score, LEVEL: levels[hit.language]})
            for hit, cosine in zip(hits, self._dense.cosines(hits, vector), strict=True)
            for score in [round(cosine - levels[hit.language], DECIMALS)]
        ]

    def _levels(self, query: Query, vector: FloatArray) -> Mapping[str, float]:
        """By language searched, what its passages lose for this question."""
        codes = [code for code in self._dense.languages if code in query.languages]
        means = np.array([float(self._dense.mean(code)[0] @ vector) for code in codes])
        counts = np.array([self._dense.mean(code)[1] for code in codes], dtype=np.float64)
        weights = counts / (counts + FEW)
        middle = float(weights @ means / weights.sum()) if codes else 0.0
        moved = np.round(self._strength * weights * (means - middle), DECIMALS)
        return dict(zip(codes, moved.tolist(), strict=True))


Balance = Literal["none", "equal", "normalised"]
NAME = "balance"
"""What the balanced score is called in a hit's scores."""
DEPTH = 50
"""The fewest candidates per language, so that a mean and a deviation mean something."""


def equal(rankings: Sequence[Ranking], k: int) -> Ranking:
    """The best `k` of one ranking per language, merged by rank; at the same rank by score, then by row."""
    ranked = [(rank, hit) for ranking in rankings for rank, hit in enumerate(ranking, start=1)]
    ordered = sorted(ranked, key=lambda item: (item[0], -item[1].score, item[1].row))
    return tuple(with_score(hit, 1 / rank, NAME) for rank, hit in ordered[: max(k, 0)])


def normalised(rankings: Sequence[Ranking], k: int) -> Ranking:
    """The best `k` of one ranking per language, by z-score within each; equal ones in order of row."""
    scored = [
        with_score(hit, scores.get(hit.id, 0.0), NAME)
        for ranking in rankings
        for scores in [z_score({hit.id: hit.score for hit in ranking})]
        for hit in ranking
    ]
    return top_k(scored, k)


_MERGES = {"equal": equal, "normalised": normalised}


class BalancedRetriever:
    """Implements `Retriever`: searches each language of a query by itself and merges the rankings."""

    def __init__(self, retriever: Retriever, balance: Balance) -> None:
        """Raises UsageError for an unknown balance."""
        if balance not in get_args(Balance):
            raise unknown_name("balance", balance, get_args(Balance))
        self._retriever = retriever
        self._balance: Balance = balance

    @property
    def identity(self) -> str:
        """The inner retriever's where the balance is `none`."""
        if self._balance == "none":
            return self._retriever.identity
        return component("balanced", how=self._balance, retriever=self._retriever.identity)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """At most `k` hits per query, balanced over its languages."""
        if self._balance == "none":
            return self._retriever.retrieve(queries, k)
        scopes = [tuple(dict.fromkeys(query.languages)) for query in queries]
        monolingual = [
            replace(query, languages=(language,))
            for query, scope in zip(queries, scopes, strict=True)
            for language in scope
        ]
        rankings = iter(self._retriever.retrieve(monolingual, max(k, DEPTH)))
        merge = _MERGES[self._balance]
        return [merge([next(rankings) for _ in scope], k) for scope in scopes]
