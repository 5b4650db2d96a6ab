"""Searching: candidates from the scope, and the best of them with their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.identity import component
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State
from workbench.protocols import PassageLookup, Reranker, Retriever
from workbench.records import Evidence, Query


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
    """The best `k` candidates, in the reranker's order, with their texts.

    `corpus` is the fingerprint of the corpus: two corpora may yield one ranking and hold different texts.
    """

    reranker: Reranker
    passages: PassageLookup
    corpus: str
    k: int
    name: str = "rerank"
    reads: tuple[str, ...] = ("query", "ranking")
    adds: tuple[str, ...] = ("ranking", "evidence")
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The reranker, the corpus and k."""
        return component("rerank", reranker=self.reranker.identity, corpus=self.corpus, k=self.k)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with at most `k` hits as ranking and as evidence."""
        return [self._one(state) for state in states]

    def _one(self, state: State) -> State:
        hits = state.ranking or ()
        if state.query is None or not hits:
            return replace(state, ranking=(), evidence=())
        passages = self.passages([hit.row for hit in hits])
        ranked = self.reranker.rerank(state.query, hits, passages)[: self.k]
        texts = {passage.id: passage for passage in passages}
        evidence = tuple(
            Evidence(passage=texts[hit.id], rank=rank, scores=dict(hit.scores))
            for rank, hit in enumerate(ranked, start=1)
        )
        return replace(state, ranking=ranked, evidence=evidence)

    def facts(self, state: State) -> Facts:
        """The number of passages that are handed over."""
        return (("passages kept", str(len(state.evidence))),)
