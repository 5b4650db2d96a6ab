"""What is changed of a wrong answer to learn why it is wrong, from the cheapest change to the dearest.

| change | a right answer then means |
| --- | --- |
| nothing | the answer is not stable: no change shows anything |
| the right documents alone | the reader can do it: it lacked them, or others misled it |
| the prompt asks for the user's language | the answer had slipped into another language |
| deeper retrieval | the right document was ranked too low |
| each document left out | that document misled the reader |
| the right documents, translated to English | the reader could not read them as they are |

Each change is tried on the same recipe by `replay`. Changes that send texts to a host are tried only where that is
allowed, and so is a language model, which costs a call per change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.annotation.diagnosis.observation import Observation, is_right
from workbench.annotation.diagnosis.proposal import CaseTrial, TrialKind
from workbench.app import Workbench
from workbench.core import Evidence, Passage, WorkbenchError
from workbench.experiments import Change, Instance, Replay, reach, replay
from workbench.languages import ENGLISH
from workbench.pipeline import EXTRACTIVE, Recipe, answer_language, fields_of_node, recipe_field
from workbench.workspace import PASSAGES_LIMIT

ASKING = "reply-short-in-ul-ul"
"""The prompt that asks for the user's language by name, in that language."""
TRANSLATABLE = ("monorag", "trag", "multirag")
"""The modes that read documents as they are, and differ from CrossRAG in little else."""
BESIDES = 5
"""Trials beside those that leave out a document."""
NOT_RUN = "It would send the question and its documents to {}, which was not allowed."
IMPORTED = "The answer was imported, so it cannot be tried again."


@dataclass(frozen=True, slots=True)
class _Counterfactual:
    """A change with the sentence that describes it; `passage` is the one left out."""

    kind: TrialKind
    words: str
    change: Change
    passage: str = ""


def most_calls(recipe: Recipe | None) -> int:
    """How many calls of a language model one proposal takes at most, 0 where none is used.

    Right answers, and those that differ from a gold by their surface alone, take none. Documents are summed up anew in
    every trial, at once or one by one; a question is expanded once more at most, since it stays the same.
    """
    if recipe is None or not recipe.language_models:
        return 0
    notes = {"none": 0, "tree-summarize": 1, "refine": recipe.k}[
        recipe.compressor if recipe.compressing_model else "none"
    ]
    answers = 0 if recipe.generator == EXTRACTIVE else 1
    return (BESIDES + recipe.k) * (answers + notes) + bool(recipe.expanding_model)


class CounterfactualTrials:
    """The trials of one answer. `sends`: whether texts may be sent to the recipe's hosts."""

    def __init__(self, workbench: Workbench, item: Instance, observation: Observation, *, sends: bool) -> None:
        self._workbench = workbench
        self._item = item
        self._seen = observation
        self._sends = sends

    def tried(self, *, thorough: bool = False) -> Iterator[CaseTrial]:
        """The trials one after another, as few as decide; all that are possible where `thorough`."""
        if self._seen.recipe is None:
            yield CaseTrial("gold-given", "The right documents alone", note=IMPORTED)
            return
        outcomes: dict[TrialKind, bool | None] = {}
        for trial in self._each(outcomes, thorough=thorough):
            outcomes[trial.kind] = trial.right
            yield trial
            if not thorough and (trial.right and trial.kind in ("unchanged", "left-out")):
                return

    def _each(self, outcomes: dict[TrialKind, bool | None], *, thorough: bool) -> Iterator[CaseTrial]:
        """The trials in order; what has come of them so far is in `outcomes`."""
        facts, gold = self._seen.facts, _documents(self._seen.bearing[:PASSAGES_LIMIT])
        yield self._trial(_Counterfactual("unchanged", "Nothing, once more", Change()))
        if self._item.answer_language not in ("", self._item.language) or thorough:
            yield from self._asking()
        yield self._trial(_Counterfactual("gold-given", "The right documents alone", Change(evidence=gold)))
        helps = outcomes["gold-given"]
        if not facts.bearing_given and facts.rank and facts.rank <= PASSAGES_LIMIT and (helps or thorough):
            # Without the recipe's filter, which might drop what the deeper retrieval is to give.
            no_filter = {name: recipe_field(name).default for name in fields_of_node("filter")}
            deeper = Change({**no_filter, "k": facts.rank})
            yield self._trial(_Counterfactual("deeper", f"{facts.rank} documents given", deeper))
        if facts.bearing_given and (helps or thorough):
            yield from map(self._trial, self._left_out())
        if (helps is False or thorough) and self._is_foreign():
            fields = {"mode": "crossrag", "scope": self._scope()}
            words = "The right documents alone, translated to English"
            yield self._trial(_Counterfactual("translated", words, Change(fields, gold)))

    def _asking(self) -> Iterator[CaseTrial]:
        recipe = self._seen.recipe
        if recipe and recipe.mode not in ("drag", "pivot") and not answer_language(recipe.prompt, self._item.language):
            words = "The prompt asks for the question's language"
            yield self._trial(_Counterfactual("answer-in-ul", words, Change({"prompt": ASKING})))

    def _left_out(self) -> Iterator[_Counterfactual]:
        """Each document that does not answer the question left out, the first first."""
        given = self._seen.given
        for place, passage in enumerate(given, start=1):
            if passage.id not in self._seen.facts.bearing:
                rest = _documents([other for other in given if other.id != passage.id])
                words = f"Without document {place} ({passage.title or passage.id})"
                yield _Counterfactual("left-out", words, Change(evidence=rest), passage.id)

    def _is_foreign(self) -> bool:
        recipe = self._seen.recipe
        languages = {passage.language for passage in self._seen.bearing}
        return bool(recipe and recipe.mode in TRANSLATABLE and languages - {ENGLISH})

    def _scope(self) -> str:
        return self._seen.recipe.scope if self._seen.recipe else ""

    def _trial(self, counterfactual: _Counterfactual) -> CaseTrial:
        kind, words, passage = counterfactual.kind, counterfactual.words, counterfactual.passage
        try:
            hosts = reach(self._workbench, self._item, counterfactual.change).hosts
            if hosts and not self._sends:
                return CaseTrial(kind, words, note=NOT_RUN.format(", ".join(hosts)), passage=passage)
            outcome: Replay = replay(self._workbench, self._item, counterfactual.change)
        except WorkbenchError as error:
            return CaseTrial(kind, words, note=str(error), passage=passage)
        if outcome.failure:
            return CaseTrial(kind, words, note=outcome.failure, passage=passage)
        right = is_right(self._item, outcome.answer)
        return CaseTrial(kind, words, outcome.answer, outcome.answer_language, right, outcome.note, passage)


def _documents(passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    return tuple(Evidence(passage, rank) for rank, passage in enumerate(passages, start=1))
