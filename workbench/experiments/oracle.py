"""The oracle: the generator is given a question's gold passages instead of what a search would find.

Source: Chirkova et al. (2024), Table 7, “Oracle”: the paragraphs that KILT names as provenance. Where gold names pages,
of each page those passages are given that are in a section which the source names and hold a gold answer; else those
that hold one, else those in such a section, else all. Passages in the question's language come first, then English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.core import Evidence, Hit, Passage, Question, component, fingerprint, page_key
from workbench.data import GoldPlaces
from workbench.languages import ENGLISH, search_form
from workbench.pipeline import BatchStage, Facts, Stage, State

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
class GiveGold(BatchStage):
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

    def run(self, states: Sequence[State]) -> list[State]:
        """The states with their gold passages; with none where the scope has none of them."""
        return [self._with_gold(state) for state in states]

    def _with_gold(self, state: State) -> State:
        gold = self.golds.get((state.question, state.language), NOTHING_KNOWN)
        best = self._ordered(gold, state)[: self.candidates]
        hits = tuple(
            Hit(passage.id, row, passage.language, 1 / rank) for rank, (row, passage) in enumerate(best, start=1)
        )
        evidence = tuple(Evidence(passage, rank) for rank, (_, passage) in enumerate(best[: self.k], start=1))
        return replace(state, ranking=hits, evidence=evidence)

    def _ordered(self, gold: OracleGold, state: State) -> list[Numbered]:
        """The passages that are given: of every gold its first, then of every one its second, and so on."""
        order = {code: place for place, code in enumerate(dict.fromkeys((state.language, ENGLISH, *state.scope)))}
        items: dict[int, tuple[tuple[int, int, int], Passage]] = {}
        for number, name in enumerate(gold.golds):
            passages = self.places.passages(name, state.scope, PASSAGES_LIMIT)
            answering = _answering(passages, gold) if page_key(name) else passages
            answering = sorted(answering, key=lambda item: (order[item[1].language], item[1].position))
            for place, (row, passage) in enumerate(answering):
                items.setdefault(row, ((place, order[passage.language], number), passage))
        return [(row, passage) for row, (_, passage) in sorted(items.items(), key=lambda item: item[1][0])]

    def facts(self, state: State) -> Facts:
        """The number of gold passages that are given."""
        return (("gold passages", str(len(state.evidence))),)


def with_oracle(stages: Sequence[Stage], oracle: GiveGold) -> tuple[Stage, ...]:
    """The chain's stages with the oracle in place of the search; unchanged where nothing is searched."""
    places = [number for number, stage in enumerate(stages) if stage.name in SEARCH]
    if not places:
        return tuple(stages)
    rest = [stage for stage in stages if stage.name not in SEARCH]
    return (*rest[: places[0]], oracle, *rest[places[0] :])


def _answering(passages: Sequence[Numbered], gold: OracleGold) -> Sequence[Numbered]:
    """Of a gold page's passages those that answer, as far as is known."""
    begin_in_section = {passage.id for _, passage in passages if passage.heading in gold.sections}
    # A passage has the heading above its beginning: a section may begin within the passage before its first.
    in_section = [item for item in passages if {item[1].id, item[1].next} & begin_in_section]
    with_answer = [item for item in passages if _holds(item[1], gold)]
    rows = {row for row, _ in with_answer}
    both = [item for item in in_section if item[0] in rows]
    return next((items for items in (both, with_answer, in_section) if items), passages)


def _holds(passage: Passage, gold: OracleGold) -> bool:
    text = search_form(passage.text)
    return any(answer in text for answer in gold.answers)
