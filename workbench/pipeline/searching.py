"""The stages of a search: the question by itself, queries, candidates, passages that join them, the best with texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import (
    Augmenter,
    AveragedQuery,
    Contextualiser,
    Conversation,
    Evidence,
    Expander,
    Hit,
    Passage,
    PassageLookup,
    Query,
    Ranking,
    Reranker,
    Retriever,
    Usage,
    WorkbenchError,
    component,
    top_k,
    with_score,
)
from workbench.pipeline.recipe import PASS
from workbench.pipeline.stage import BatchStage, Facts, State, StateStage, first_failure, usage_facts
from workbench.retrieval import reciprocal_rank

VERSION = 2
FUSED = "queries"
"""The name of the score that fusing the rankings of several queries gives."""


@dataclass(frozen=True)
class Retrieve(BatchStage):
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
    models: tuple[str, ...] = ("encoder",)

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
        if state.expansion.is_averaged:
            question = query_of(state)
            return [AveragedQuery(question.text, question.language, question.languages, state.expansion.queries)]
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
    reciprocals = [{hit.id: 1 / rank for rank, hit in enumerate(ranking, start=1)} for ranking in voting]
    fused = reciprocal_rank(reciprocals, k)
    return top_k((with_score(hits[name], score, FUSED) for name, score in fused.items()), candidates)


@dataclass(frozen=True)
class Augment(BatchStage):
    """The candidates with the passages that join them, in the augmenter's order.

    `corpus` is the fingerprint of the corpus: two corpora may yield one ranking and have different neighbours.
    """

    augmenter: Augmenter
    corpus: str
    name: str = "augment"
    reads: tuple[str, ...] = ("query", "ranking")
    adds: tuple[str, ...] = ("ranking",)
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The augmenter and the corpus."""
        return component("augment", augmenter=self.augmenter.identity, corpus=self.corpus)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with a ranking of more candidates; one that found none stays as it is."""
        indexes = [index for index, state in enumerate(states) if state.query is not None and state.ranking]
        queries = [query for index in indexes if (query := states[index].query) is not None]
        rankings = self.augmenter.augment(queries, [states[index].ranking or () for index in indexes])
        after = list(states)
        for index, ranking in zip(indexes, rankings, strict=True):
            after[index] = replace(after[index], ranking=ranking)
        return after

    def facts(self, state: State) -> Facts:
        """The number of candidates with what joined them."""
        return (("candidates with neighbours", str(len(state.ranking or ()))),)


@dataclass(frozen=True)
class Rerank(StateStage):
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
    def models(self) -> tuple[str, ...]:
        """The reranker; none for `pass`."""
        return () if self._keeps_order else ("reranker",)

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

    def one(self, state: State) -> State:
        """The state with the reranked ranking and at most `k` passages as evidence."""
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


@dataclass(frozen=True)
class FilterPassages(StateStage):
    """Of the `k` best passages, those whose score is high enough: none at all where none passes.

    `threshold` is the least score, in the unit of whatever ranked last; `percentile`, in [0.01, 1], the share of the
    passages that is kept, the best first and at least one. Both count where both are there. It reads rankings and not
    the evidence, so that documents that a person or an experiment puts in its place are not filtered.
    """

    passages: PassageLookup
    corpus: str
    k: int
    threshold: float | None = None
    percentile: float | None = None
    name: str = "filter"
    reads: tuple[str, ...] = ("query", "ranking", "reranked")
    adds: tuple[str, ...] = ("evidence",)
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The limits, the corpus and k."""
        limits = {"threshold": self.threshold, "percentile": self.percentile}
        return component("filter", corpus=self.corpus, k=self.k, **limits)

    def one(self, state: State) -> State:
        """The state with as much of its evidence as passes, ranked from 1."""
        best = state.final_ranking[: self.k]
        hits = passing(best, self.threshold, self.percentile)
        return replace(state, evidence=_evidence(hits, self.passages([hit.row for hit in hits])))

    def facts(self, state: State) -> Facts:
        """How many passages passed, and the limits."""
        passed = f"{len(state.evidence)} of {min(self.k, len(state.final_ranking))}"
        least = () if self.threshold is None else (("least score", f"{self.threshold:g}"),)
        share = () if self.percentile is None else (("share kept", f"{self.percentile:g}"),)
        return (("passages kept", passed), *least, *share)


def passing(hits: Sequence[Hit], threshold: float | None, percentile: float | None) -> tuple[Hit, ...]:
    """Those of the hits, best first, that a filter lets through: see `FilterPassages`.

    >>> hits = [Hit(name, 0, "en", score) for name, score in (("a", 0.9), ("b", 0.5), ("c", 0.2))]
    >>> [hit.id for hit in passing(hits, 0.5, None)], [hit.id for hit in passing(hits, None, 0.34)]
    (['a', 'b'], ['a'])
    """
    # The share is exact: 0.7 of 10 is 7, and a product of binary fractions may lie just below.
    most = len(hits) if percentile is None else max(1, math.floor(len(hits) * percentile + 1e-9))
    return tuple(hit for hit in hits[:most] if threshold is None or hit.score >= threshold)


def _evidence(hits: Sequence[Hit], passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    """The hits as evidence, ranked from 1; `passages` holds the text of each."""
    texts = {passage.id: passage for passage in passages}
    return tuple(
        Evidence(passage=texts[hit.id], rank=rank, scores=dict(hit.scores)) for rank, hit in enumerate(hits, start=1)
    )


@dataclass(frozen=True)
class Contextualise:
    """The question as a language model rewrites it, so that it reads without the conversation that it ends."""

    contextualiser: Contextualiser
    name: str = "contextualise"
    reads: tuple[str, ...] = ("question", "language", "conversation")
    adds: tuple[str, ...] = ("question", "contextualisation")
    cacheable: bool = True
    models: tuple[str, ...] = ("generator",)

    @property
    def identity(self) -> str:
        """The contextualiser's identity."""
        return self.contextualiser.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with the question as rewritten. Raises the first failure."""
        return first_failure(self.run_each(states))

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One state with its rewritten question or failure per state, in order."""
        rewritten = self.contextualiser.contextualise(
            [Conversation(state.question, state.language, state.conversation) for state in states]
        )
        return [
            item if isinstance(item, WorkbenchError) else replace(state, question=item.question, contextualisation=item)
            for state, item in zip(states, rewritten, strict=True)
        ]

    def usage(self, state: State) -> Usage | None:
        """The tokens that the rewriting took."""
        return state.contextualisation.usage if state.contextualisation else None

    def facts(self, state: State) -> Facts:
        """The question as rewritten, how many messages it was rewritten from, what there is to note, and the tokens."""
        if state.contextualisation is None:
            return ()
        note = (("note", state.contextualisation.note),) if state.contextualisation.note else ()
        read = (("question", state.contextualisation.question), ("messages read", str(len(state.conversation))))
        return (*read, *note, *usage_facts(state.contextualisation.usage))


@dataclass(frozen=True)
class ExpandQuery:
    """The queries that a language model writes from the question as typed or as translated."""

    expander: Expander
    name: str = "expand query"
    reads: tuple[str, ...] = ("question", "language", "question_translation")
    adds: tuple[str, ...] = ("expansion",)
    cacheable: bool = True
    models: tuple[str, ...] = ("expanding_model",)

    @property
    def identity(self) -> str:
        """The expander's identity."""
        return self.expander.identity

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their expansion. Raises the first failure."""
        return first_failure(self.run_each(states))

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One state with its expansion or failure per state, in order."""
        expansions = self.expander.expand([query_of(state) for state in states])
        return [
            item if isinstance(item, WorkbenchError) else replace(state, expansion=item)
            for state, item in zip(states, expansions, strict=True)
        ]

    def usage(self, state: State) -> Usage | None:
        """The tokens that the expansion took."""
        return state.expansion.usage if state.expansion else None

    def facts(self, state: State) -> Facts:
        """The queries, what there is to note, and the tokens."""
        if state.expansion is None:
            return ()
        numbered = " ".join(f"[{number}] {query}" for number, query in enumerate(state.expansion.queries, start=1))
        note = (("note", state.expansion.note),) if state.expansion.note else ()
        return (("queries", numbered), *note, *usage_facts(state.expansion.usage))
