"""Language balance: what keeps one language from filling a ranking over several.

Retrievers and rerankers favour English and the question's language; taking an equal share from each language of the
scope helps (Amiraz et al. (2025), "The Cross-Lingual Cost", arXiv 2507.07543).

- `none`: as ranked.
- `equal`: the first of each language, then the second of each, and so on; a language that has no more gives its
  places to the others. Score: 1 / rank within the language.
- `normalised`: by score, normalised (z-score) within each language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from workbench.core import Query, Ranking, Retriever, component, top_k, unknown_name, with_score
from workbench.retrieval.fusion import z_score

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
