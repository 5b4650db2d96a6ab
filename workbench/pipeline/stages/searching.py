"""Searching: candidates from the scope, and the best of them with their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.identity import component
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.protocols import PassageLookup, Reranker, Retriever
from workbench.recipes.recipe import PASS
from workbench.records import Evidence, Hit, Passage, Query

VERSION = 2


@dataclass(frozen=True)
class Retrieve:
    """Candidates from the scope, by the question as typed or as translated."""

    retriever: Retriever
    candidates: int
    name: str = "retrieve"
    reads: tuple[str, ...] = ("question", "language", "scope", "question_translation")
    adds: tuple[str, ...] = ("query", "ranking")
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The retriever and the number of candidates."""
        return component("retrieve", retriever=self.retriever.identity, candidates=self.candidates)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their query and its ranking."""
        queries = [self._query(state) for state in states]
        rankings = self.retriever.retrieve(queries, self.candidates)
        return [
            replace(state, query=query, ranking=ranking)
            for state, query, ranking in zip(states, queries, rankings, strict=True)
        ]

    def _query(self, state: State) -> Query:
        translation = state.question_translation
        if translation is None:
            return Query(state.question, state.language, state.scope)
        return Query(translation.text, translation.target, state.scope)

    def facts(self, state: State) -> Facts:
        """The number of candidates, and the languages searched."""
        return (("candidates", str(len(state.ranking or ()))), ("languages searched", " ".join(state.scope)))


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
