"""Searching: candidates from the scope, and the best of them with their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.identity import component
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.protocols import PassageLookup, Reranker, Retriever
from workbench.recipes.recipe import PASS
from workbench.records import Evidence, Hit, Passage, Query, Ranking, top_k, with_score
from workbench.retrieval.fusion import reciprocal_rank

VERSION = 2
FUSED = "queries"
"""The name of the score that fusing the rankings of several queries gives."""


@dataclass(frozen=True)
class Retrieve:
    """Candidates from the scope, by the question as typed or as translated.

    `fuses`, the constant of reciprocal rank fusion: by what the question was expanded to, one ranking per query, all
    queries of a batch retrieved at once and each state's rankings fused; None for the question alone.
    """

    retriever: Retriever
    candidates: int
    fuses: int | None = None
    name: str = "retrieve"
    adds: tuple[str, ...] = ("query", "ranking")
    cacheable: bool = True

    @property
    def reads(self) -> tuple[str, ...]:
        """The question, its translation, the scope and, where it was expanded, the expansion."""
        expanded = () if self.fuses is None else ("expansion",)
        return ("question", "language", "scope", "question_translation", *expanded)

    @property
    def identity(self) -> str:
        """The retriever, the number of candidates and, where rankings are fused, the constant of the fusion."""
        fusion = {} if self.fuses is None else {"fuses": self.fuses}
        return component("retrieve", retriever=self.retriever.identity, candidates=self.candidates, **fusion)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their query and its ranking."""
        queries = [self._queries(state) for state in states]
        rankings = iter(self.retriever.retrieve([query for some in queries for query in some], self.candidates))
        return [
            replace(state, query=query_of(state), ranking=self._fused([next(rankings) for _ in some]))
            for state, some in zip(states, queries, strict=True)
        ]

    def _queries(self, state: State) -> list[Query]:
        if self.fuses is None or state.expansion is None:
            return [query_of(state)]
        return [Query(text, state.expansion.language, state.scope) for text in state.expansion.queries]

    def _fused(self, rankings: Sequence[Ranking]) -> Ranking:
        if self.fuses is None or len(rankings) == 1:
            return rankings[0]
        return fused_rankings(rankings, self.fuses, self.candidates)

    def facts(self, state: State) -> Facts:
        """The number of candidates, the languages searched, and how many rankings were fused."""
        count = len(self._queries(state))
        return (
            ("candidates", str(len(state.ranking or ()))),
            ("languages searched", " ".join(state.scope)),
            *((("rankings fused", str(count)),) if count > 1 else ()),
        )


def query_of(state: State) -> Query:
    """The question as it is searched with: as translated, else as typed."""
    translation = state.question_translation
    if translation is None:
        return Query(state.question, state.language, state.scope)
    return Query(translation.text, translation.target, state.scope)


def fused_rankings(rankings: Sequence[Ranking], k: int, candidates: int) -> Ranking:
    """Rankings of several queries as one, of at most `candidates` hits: Σ 1 / (k + rank), over places from 1.

    By place, since a balanced ranking is not in the order of its scores. A hit keeps the scores of the first ranking
    that has it. A ranking whose scores are all 0 does not vote.
    """
    hits = {hit.id: hit for ranking in reversed(rankings) for hit in ranking}
    voting = [ranking for ranking in rankings if any(hit.score for hit in ranking)]
    places = [{hit.id: 1 / place for place, hit in enumerate(ranking, start=1)} for ranking in voting]
    fused = reciprocal_rank(places, k)
    return top_k((with_score(hits[name], score, FUSED) for name, score in fused.items()), candidates)


@dataclass(frozen=True)
class Rerank:
    """All candidates in the reranker's order, and the best `k` of them with their texts.

    `corpus` is the fingerprint of the corpus: two corpora may yield one ranking and hold different texts. The reranker
    that keeps the order (`pass`) adds no ranking.
    """

    reranker: Reranker
    passages: PassageLookup
    corpus: str
    k: int
    name: str = "rerank"
    reads: tuple[str, ...] = ("query", "ranking")
    cacheable: bool = True

    @property
    def adds(self) -> tuple[str, ...]:
        """The evidence and, but for `pass`, the reranked ranking."""
        return ("evidence",) if self._keeps_order else ("reranked", "evidence")

    @property
    def identity(self) -> str:
        """The reranker, the corpus and k; the version since which a reranked ranking is kept to its full depth."""
        version = {} if self._keeps_order else {"version": VERSION}
        return component("rerank", reranker=self.reranker.identity, corpus=self.corpus, k=self.k, **version)

    @property
    def _keeps_order(self) -> bool:
        return self.reranker.identity == PASS

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with the reranked ranking and at most `k` passages as evidence."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        hits = state.ranking or ()
        if state.query is None or not hits:
            return replace(state, evidence=())
        if self._keeps_order:
            best = hits[: self.k]
            return replace(state, evidence=_evidence(best, self.passages([hit.row for hit in best])))
        passages = self.passages([hit.row for hit in hits])
        reranked = self.reranker.rerank(state.query, hits, passages)
        return replace(state, reranked=reranked, evidence=_evidence(reranked[: self.k], passages))

    def facts(self, state: State) -> Facts:
        """The number of passages that are handed over."""
        return (("passages kept", str(len(state.evidence))),)


def _evidence(hits: Sequence[Hit], passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    """The hits as evidence, ranked from 1; `passages` holds the text of each."""
    texts = {passage.id: passage for passage in passages}
    return tuple(
        Evidence(passage=texts[hit.id], rank=rank, scores=dict(hit.scores)) for rank, hit in enumerate(hits, start=1)
    )
