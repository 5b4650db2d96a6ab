"""Perturbed evidence: does an answer change with the order of its documents, or with two that mislead?

Source: Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), robustness: random shuffle · two misleading
documents added · English first · English last. Ranks are counted anew, so that a prompt numbers its documents in order.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.experiments.experiment import Perturbation
from workbench.identity import component, fingerprint
from workbench.languages import ENGLISH
from workbench.pipeline.stage import Facts, Stage
from workbench.pipeline.state import State
from workbench.protocols import Components
from workbench.records import Evidence

ADDED = 2
"""Misleading documents that are added."""
GoldAnswers = Mapping[tuple[str, str], Sequence[str]]
"""Gold answers by question and its language."""


@dataclass(frozen=True)
class Reorder:
    """The evidence shuffled by seed, or with English first or last; the rest keeps its order."""

    kind: Perturbation
    seed: int
    name: str = "perturb"
    reads: tuple[str, ...] = ("question", "language", "evidence")
    adds: tuple[str, ...] = ("evidence",)
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The order and the seed."""
        return component("reorder", kind=self.kind, seed=self.seed)

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with the same evidence in another order."""
        return [replace(state, evidence=_numbered(self._order(state))) for state in states]

    def _order(self, state: State) -> list[Evidence]:
        if self.kind == "shuffle":
            # By the passages' ids, so that the same passages come in the same order whatever theirs was before.
            return _rng(state, self.seed).sample(sorted(state.evidence, key=_id), len(state.evidence))
        first = self.kind == "english-first"
        return sorted(state.evidence, key=lambda item: (item.passage.language == ENGLISH) != first)

    def facts(self, state: State) -> Facts:
        """The order."""
        return (("order", self.kind),)


@dataclass(frozen=True)
class Mislead:
    """Two more documents, at places drawn by seed.

    They are the best candidates without a gold answer, from documents that are not in the evidence, for the query that
    the question was searched with.
    """

    components: Components = field(repr=False)
    candidates: int
    seed: int
    golds: GoldAnswers = field(repr=False)
    name: str = "perturb"
    reads: tuple[str, ...] = ("question", "language", "query", "evidence")
    adds: tuple[str, ...] = ("evidence",)
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The retriever, the corpus, the number of candidates, the seed and the gold answers."""
        return component(
            "mislead",
            retriever=self.components.retriever.identity,
            corpus=self.components.corpus,
            candidates=self.candidates,
            seed=self.seed,
            golds=fingerprint("golds", sorted([*key, *answers] for key, answers in self.golds.items())),
        )

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with up to two more documents as evidence."""
        return [replace(state, evidence=self._more(state)) for state in states]

    def _more(self, state: State) -> tuple[Evidence, ...]:
        if state.query is None:
            return state.evidence
        ranking = self.components.retriever.retrieve([state.query], self.candidates)[0]
        documents = {item.passage.document for item in state.evidence}
        golds = self.golds.get((state.question, state.language), ())
        mixed = list(state.evidence)
        rng = _rng(state, self.seed)
        added = 0
        for hit, passage in zip(ranking, self.components.passages([hit.row for hit in ranking]), strict=True):
            if added == ADDED:
                break
            if passage.document not in documents and not _answers(passage.text, golds):
                documents.add(passage.document)
                mixed.insert(rng.randint(0, len(mixed)), Evidence(passage, 0, dict(hit.scores)))
                added += 1
        return _numbered(mixed)

    def facts(self, state: State) -> Facts:
        """The number of misleading documents."""
        return (("misleading documents", str(ADDED)),)


def perturbed(
    stages: Sequence[Stage], kind: Perturbation, components: Components, candidates: int, seed: int, golds: GoldAnswers
) -> tuple[Stage, ...]:
    """The chain's stages with the evidence perturbed before anything reads it; unchanged where none is added."""
    # Also before passages are translated, so that what is added is translated like the rest.
    place = next((number for number, stage in enumerate(stages) if "evidence" in stage.reads), 0)
    if kind == "none" or not any("evidence" in stage.adds for stage in stages[:place]):
        return tuple(stages)
    stage: Stage = Mislead(components, candidates, seed, golds) if kind == "misleading" else Reorder(kind, seed)
    return (*stages[:place], stage, *stages[place:])


def _answers(text: str, golds: Sequence[str]) -> bool:
    plain = text.casefold()
    return any(gold.casefold() in plain for gold in golds if gold.strip())


def _rng(state: State, seed: int) -> random.Random:
    return random.Random(f"{seed}\n{state.language}\n{state.question}")  # noqa: S311


def _id(item: Evidence) -> str:
    return item.passage.id


def _numbered(items: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(replace(item, rank=rank) for rank, item in enumerate(items, start=1))
