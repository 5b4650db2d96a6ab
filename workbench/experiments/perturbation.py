"""Perturbed evidence: does an answer change with the order of its documents, with two that do not answer, with gold?

Source: Ranaldi et al. (2025, D-RAG), Figure 3, and Ranaldi et al. (2025, CrossRAG), robustness: random shuffle · two
irrelevant documents added (random noise) · English first · English last. Hard negatives, two documents that rank high
without an answer, are ours. Ranks are counted anew, so that a prompt numbers its documents in order.

The oracle gives a question's gold passages in place of what a search would find. Source: Chirkova et al. (2024), Table
7, “Oracle”: the paragraphs that KILT names as provenance. Where gold names pages, of each page those passages are given
that are in a section which the source names and hold a gold answer; else those that hold one, else those in such a
section, else all. Passages in the question's language come first, then English.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from workbench.core import Components, Evidence, Hit, Passage, Question, component, fingerprint, is_gold, page_key
from workbench.data import GoldPlaces
from workbench.experiments.results.summaries.run_names import Perturbation
from workbench.languages import ENGLISH, search_form
from workbench.pipeline import Facts, Stage, State, StateStage

ADDED = 2
"""Documents that are added."""
DRAWS = 4_000
"""Rows of the corpus that are drawn at most to find random documents of a scope that is a small part of it."""
DRAWS_AT_ONCE = 50


def article(passage: Passage) -> str:
    """The passage's document without its language, as in the sample's `tea.ja`: the same one in every language."""
    return passage.document.removesuffix(f".{passage.language}")


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """What counts as evidence for a question, in every language: none of it is ever added.

    `passages` are the ids of its gold passages and the names of its gold pages, `groups` those of passages in
    translation that hold one of them, `documents` those that hold one, their articles in any language and the keys of
    gold pages, `answers` its gold answers in all languages of the dataset.
    """

    passages: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    answers: tuple[str, ...] = ()

    def holds(self, passage: Passage) -> bool:
        """Whether a passage is a gold one or a translation of one, or contains a gold answer in any language."""
        if is_gold(passage, self.passages) or (passage.group and passage.group in self.groups):
            return True
        text = search_form(passage.searchable)
        return any(answer in text for answer in map(search_form, self.answers) if answer)

    def to_list(self) -> list[list[str]]:
        """The content, for a fingerprint."""
        return [*(sorted(items) for items in (self.passages, self.groups, self.documents)), list(self.answers)]


NO_GOLD_EVIDENCE = GoldEvidence()
GoldByQuestion = Mapping[tuple[str, str], GoldEvidence]
"""The evidence for each question, by its text and its language."""


@dataclass(frozen=True)
class Reorder(StateStage):
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

    def one(self, state: State) -> State:
        """The state with the same evidence in another order."""
        return replace(state, evidence=_numbered(self._order(state)))

    def _order(self, state: State) -> list[Evidence]:
        if self.kind == "shuffle":
            # By the passages' ids, so that the same passages come in the same order whatever theirs was before.
            return _rng(state, self.seed).sample(sorted(state.evidence, key=_id), len(state.evidence))
        first = self.kind == "english-first"
        return sorted(state.evidence, key=lambda item: (item.passage.language == ENGLISH) != first)

    def facts(self, state: State) -> Facts:
        """The order."""
        return (("order", self.kind),)


class Distractors(Protocol):
    """Where passages that do not answer a question come from."""

    @property
    def kind(self) -> Perturbation:
        """The perturbation."""

    @property
    def identity(self) -> str:
        """Everything that affects which passages come, but the question and the seed."""

    def passages(self, state: State, gold: GoldEvidence, rng: random.Random) -> Iterator[Evidence]:
        """Passages in the order in which they are to be added; those that hold evidence may be among them."""


@dataclass(frozen=True)
class HardNegatives:
    """The best candidates for the query that the question was searched with."""

    components: Components = field(repr=False)
    candidates: int
    kind: Perturbation = "hard-negatives"

    @property
    def identity(self) -> str:
        """The retriever, the corpus and the number of candidates."""
        return component(
            "ranked",
            retriever=self.components.retriever.identity,
            corpus=self.components.corpus,
            candidates=self.candidates,
        )

    def passages(self, state: State, gold: GoldEvidence, rng: random.Random) -> Iterator[Evidence]:
        """The candidates, best first."""
        if state.query is None:
            return
        ranking = self.components.retriever.retrieve([state.query], self.candidates)[0]
        for hit, passage in zip(ranking, self.components.passages([hit.row for hit in ranking]), strict=True):
            yield Evidence(passage, 0, dict(hit.scores))


@dataclass(frozen=True)
class RandomNoise:
    """Passages drawn at random from the scope's other articles; `rows` is the number of passages of the corpus."""

    components: Components = field(repr=False)
    rows: int
    kind: Perturbation = "random-noise"

    @property
    def identity(self) -> str:
        """The corpus."""
        return component("random", corpus=self.components.corpus)

    def passages(self, state: State, gold: GoldEvidence, rng: random.Random) -> Iterator[Evidence]:
        """Passages in the scope from articles without a gold passage, each drawn once, from at most DRAWS rows."""
        drawn: dict[int, None] = {}
        for _ in range(0, min(DRAWS, 20 * self.rows), DRAWS_AT_ONCE):
            fresh = [row for row in dict.fromkeys(rng.choices(range(self.rows), k=DRAWS_AT_ONCE)) if row not in drawn]
            drawn.update(dict.fromkeys(fresh))
            for passage in self.components.passages(fresh):
                if passage.language in state.scope and gold.documents.isdisjoint((passage.document, article(passage))):
                    yield Evidence(passage, 0)


@dataclass(frozen=True)
class AddDistractors(StateStage):
    """Two more documents that do not answer the question, at places drawn by seed.

    None is a gold passage or a translation of one, holds a gold answer in any language of the dataset, or is from a
    document that is in the evidence already.
    """

    source: Distractors
    seed: int
    golds: GoldByQuestion = field(repr=False)
    name: str = "perturb"
    reads: tuple[str, ...] = ("question", "language", "scope", "query", "evidence")
    adds: tuple[str, ...] = ("evidence",)
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """Where the documents come from, the seed and the evidence that is excluded."""
        return component(
            self.source.kind,
            source=self.source.identity,
            seed=self.seed,
            golds=fingerprint("gold evidence", sorted([*key, item.to_list()] for key, item in self.golds.items())),
        )

    def one(self, state: State) -> State:
        """The state with up to two more documents as evidence."""
        return replace(state, evidence=self._more(state))

    def _more(self, state: State) -> tuple[Evidence, ...]:
        gold = self.golds.get((state.question, state.language), NO_GOLD_EVIDENCE)
        documents = {item.passage.document for item in state.evidence}
        mixed = list(state.evidence)
        rng = _rng(state, self.seed)
        positions = _rng(state, self.seed)
        for passage in self.source.passages(state, gold, rng):
            if passage.passage.document in documents or gold.holds(passage.passage):
                continue
            documents.add(passage.passage.document)
            mixed.insert(positions.randint(0, len(mixed)), passage)
            if len(mixed) == len(state.evidence) + ADDED:
                break
        return _numbered(mixed)

    def facts(self, state: State) -> Facts:
        """The kind of documents and how many at most."""
        return ((f"{self.source.kind} added", f"up to {ADDED}"),)


def perturbed(
    stages: Sequence[Stage],
    kind: Perturbation,
    components: Components,
    candidates: int,
    seed: int,
    golds: GoldByQuestion,
    rows: int = 0,
) -> tuple[Stage, ...]:
    """The chain's stages with the evidence perturbed before anything reads it; unchanged where none is added.

    `rows` is the number of passages of the corpus.
    """
    # Also before passages are translated, so that what is added is translated like the rest.
    split = next((number for number, stage in enumerate(stages) if "evidence" in stage.reads), 0)
    if kind == "none" or not any("evidence" in stage.adds for stage in stages[:split]):
        return tuple(stages)
    stage: Stage
    if kind == "hard-negatives":
        stage = AddDistractors(HardNegatives(components, candidates), seed, golds)
    elif kind == "random-noise":
        stage = AddDistractors(RandomNoise(components, rows), seed, golds)
    else:
        stage = Reorder(kind, seed)
    return (*stages[:split], stage, *stages[split:])


def _rng(state: State, seed: int) -> random.Random:
    return random.Random(f"{seed}\n{state.language}\n{state.question}")  # noqa: S311


def _id(item: Evidence) -> str:
    return item.passage.id


def _numbered(items: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(replace(item, rank=rank) for rank, item in enumerate(items, start=1))


ORACLE: Final = "oracle"
"""The perturbation that replaces the search."""
SEARCH = frozenset({"expand query", "retrieve", "augment", "rerank", "filter"})
"""The stages that the oracle replaces."""
PASSAGES_LIMIT = 2_000
"""Passages of one gold page that are looked at."""

Numbered = tuple[int, Passage]
"""A passage with its row."""


@dataclass(frozen=True, slots=True)
class OracleGold:
    """What is known to answer a question: its golds, the sections of gold pages, and gold answers in all languages."""

    golds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    def to_list(self) -> list[list[str]]:
        """The content, for a fingerprint."""
        return [list(self.golds), list(self.sections), list(self.answers)]


NOTHING_KNOWN = OracleGold()
OracleByQuestion = Mapping[tuple[str, str], OracleGold]
"""What answers each question, by its text and its language."""


def oracle_golds(
    questions: Sequence[Question], language: str, answers: Mapping[str, Sequence[str]]
) -> OracleByQuestion:
    """What answers the questions in a language; `answers` are the gold answers in every language, by question id."""
    golds: dict[tuple[str, str], OracleGold] = {}
    for question in questions:
        key = (question.text.strip(), language)
        before = golds.get(key, NOTHING_KNOWN)
        texts = (*before.answers, *question.answers, *answers.get(question.id, ()))
        golds[key] = OracleGold(
            tuple(dict.fromkeys((*before.golds, *question.gold))),
            tuple(dict.fromkeys((*before.sections, *question.gold_sections))),
            tuple(dict.fromkeys(filter(None, map(search_form, texts)))),
        )
    return golds


@dataclass(frozen=True)
class GiveGold(StateStage):
    """The gold passages in the languages searched as ranking, and the first `k` of them as evidence.

    `corpus` is the fingerprint of the corpus that `places` looks golds up in.
    """

    places: GoldPlaces = field(repr=False)
    corpus: str
    golds: OracleByQuestion = field(repr=False)
    candidates: int
    k: int
    name: str = "perturb"
    reads: tuple[str, ...] = ("question", "language", "scope")
    adds: tuple[str, ...] = ("ranking", "evidence")
    cacheable: bool = True

    @property
    def identity(self) -> str:
        """The corpus, the golds and how many passages are given."""
        return component(
            ORACLE,
            corpus=self.corpus,
            candidates=self.candidates,
            k=self.k,
            golds=fingerprint("oracle", sorted([*key, *item.to_list()] for key, item in self.golds.items())),
        )

    def one(self, state: State) -> State:
        """The state with its gold passages; with none where the scope has none of them."""
        gold = self.golds.get((state.question, state.language), NOTHING_KNOWN)
        best = self._ordered(gold, state)[: self.candidates]
        hits = tuple(
            Hit(passage.id, row, passage.language, 1 / rank) for rank, (row, passage) in enumerate(best, start=1)
        )
        evidence = tuple(Evidence(passage, rank) for rank, (_, passage) in enumerate(best[: self.k], start=1))
        return replace(state, ranking=hits, evidence=evidence)

    def _ordered(self, gold: OracleGold, state: State) -> list[Numbered]:
        """The passages that are given: of every gold its first, then of every one its second, and so on."""
        order = {code: index for index, code in enumerate(dict.fromkeys((state.language, ENGLISH, *state.scope)))}
        nearest: dict[int, tuple[tuple[int, int, int], Passage]] = {}
        for number, name in enumerate(gold.golds):
            passages = self.places.passages(name, state.scope, PASSAGES_LIMIT)
            answering = _answering(passages, gold) if page_key(name) else passages
            answering = sorted(answering, key=lambda item: (order[item[1].language], item[1].position))
            for place, (row, passage) in enumerate(answering):
                nearest.setdefault(row, ((place, order[passage.language], number), passage))
        return [(row, passage) for row, (_, passage) in sorted(nearest.items(), key=lambda item: item[1][0])]

    def facts(self, state: State) -> Facts:
        """The number of gold passages that are given."""
        return (("gold passages", str(len(state.evidence))),)


def with_oracle(stages: Sequence[Stage], oracle: GiveGold) -> tuple[Stage, ...]:
    """The chain's stages with the oracle in place of the search; unchanged where nothing is searched."""
    positions = [number for number, stage in enumerate(stages) if stage.name in SEARCH]
    if not positions:
        return tuple(stages)
    rest = [stage for stage in stages if stage.name not in SEARCH]
    return (*rest[: positions[0]], oracle, *rest[positions[0] :])


def _answering(passages: Sequence[Numbered], gold: OracleGold) -> Sequence[Numbered]:
    """Of a gold page's passages those that answer, as far as is known."""
    begin_in_section = {passage.id for _, passage in passages if passage.heading in gold.sections}
    # A passage has the heading above its beginning: a section may begin within the passage before its first.
    in_section = [passage for passage in passages if {passage[1].id, passage[1].next} & begin_in_section]
    with_answer = [passage for passage in passages if _holds(passage[1], gold)]
    rows = {row for row, _ in with_answer}
    both = [item for item in in_section if item[0] in rows]
    return next((items for items in (both, with_answer, in_section) if items), passages)


def _holds(passage: Passage, gold: OracleGold) -> bool:
    text = search_form(passage.text)
    return any(answer in text for answer in gold.answers)
