"""What went wrong with an answer: it is observed, counterfactuals are tried as far as needed, and the rules decide.

What is changed of a wrong answer to learn why it is wrong, from the cheapest change to the dearest:

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

Of many answers each proposal is stored as soon as it is there. A kill loses the answer at work and no other: the next
batch over the same answers goes on with those that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from workbench.annotation.diagnosis.observation import GoldAnswers, Observation, is_right, observe
from workbench.annotation.diagnosis.proposal import (
    CaseTrial,
    Proposal,
    ProposalStore,
    TrialKind,
    decide,
    decided_without_trials,
)
from workbench.app import Workbench
from workbench.core import Evidence, JobStopped, Passage, WorkbenchError
from workbench.data import DatasetLibrary
from workbench.experiments import Change, Instance, Replay, ResultStore, reach, replay
from workbench.languages import ENGLISH
from workbench.metrics import FORMAT_FAILURE
from workbench.pipeline import EXTRACTIVE, Recipe, answer_language, fields_of_node, recipe_field
from workbench.workspace import PASSAGES_LIMIT, Job, Jobs, RunningJob, batched, result_tables as t, verb

ASKING = "reply-short-in-ul-ul"
"""The prompt that asks for the user's language by name, in that language."""
TRANSLATABLE = ("monorag", "trag", "multirag")
"""The modes that read documents as they are, and differ from CrossRAG in little else."""
BESIDES = 5
"""Trials beside those that leave out a document."""
NOT_RUN = "It would send the question and its documents to {}, which was not allowed."
IMPORTED = "The answer was imported, so it cannot be tried again."


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
        yield self._trial("unchanged", "Nothing, once more", Change())
        if self._item.answer_language not in ("", self._item.language) or thorough:
            yield from self._asking()
        yield self._trial("gold-given", "The right documents alone", Change(evidence=gold))
        helps = outcomes["gold-given"]
        if not facts.bearing_given and facts.rank and facts.rank <= PASSAGES_LIMIT and (helps or thorough):
            # Without the recipe's filter, which might drop what the deeper retrieval is to give.
            no_filter = {name: recipe_field(name).default for name in fields_of_node("filter")}
            deeper = Change({**no_filter, "k": facts.rank})
            yield self._trial("deeper", f"{facts.rank} documents given", deeper)
        if facts.bearing_given and (helps or thorough):
            yield from self._left_out()
        if (helps is False or thorough) and self._is_foreign():
            fields = {"mode": "crossrag", "scope": self._scope()}
            yield self._trial("translated", "The right documents alone, translated to English", Change(fields, gold))

    def _asking(self) -> Iterator[CaseTrial]:
        recipe = self._seen.recipe
        if recipe and recipe.mode not in ("drag", "pivot") and not answer_language(recipe.prompt, self._item.language):
            yield self._trial("answer-in-ul", "The prompt asks for the question's language", Change({"prompt": ASKING}))

    def _left_out(self) -> Iterator[CaseTrial]:
        """Each document that does not answer the question left out, the first first."""
        given = self._seen.given
        for rank, passage in enumerate(given, start=1):
            if passage.id not in self._seen.facts.bearing:
                rest = _documents([other for other in given if other.id != passage.id])
                sentence = f"Without document {rank} ({passage.title or passage.id})"
                yield self._trial("left-out", sentence, Change(evidence=rest), passage.id)

    def _is_foreign(self) -> bool:
        recipe = self._seen.recipe
        languages = {passage.language for passage in self._seen.bearing}
        return bool(recipe and recipe.mode in TRANSLATABLE and languages - {ENGLISH})

    def _scope(self) -> str:
        return self._seen.recipe.scope if self._seen.recipe else ""

    def _trial(self, kind: TrialKind, sentence: str, change: Change, passage: str = "") -> CaseTrial:
        """Tries a change, which a sentence describes; `passage` is the id of the one left out."""
        try:
            hosts = reach(self._workbench, self._item, change).hosts
            if hosts and not self._sends:
                return CaseTrial(kind, sentence, note=NOT_RUN.format(", ".join(hosts)), passage=passage)
            outcome: Replay = replay(self._workbench, self._item, change)
        except WorkbenchError as error:
            return CaseTrial(kind, sentence, note=str(error), passage=passage)
        if outcome.failure:
            return CaseTrial(kind, sentence, note=outcome.failure, passage=passage)
        failure = outcome.scores.get(FORMAT_FAILURE)
        right = not (failure and failure.value) and is_right(self._item, outcome.answer)
        return CaseTrial(kind, sentence, outcome.answer, outcome.answer_language, right, outcome.note, passage)


def _documents(passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    return tuple(Evidence(passage, rank) for rank, passage in enumerate(passages, start=1))


OnTrial = Callable[[CaseTrial], None]
"""Called after each counterfactual with what came of it."""


class Diagnosing:
    """Proposes labels in one workspace; what it reads of datasets serves all answers of one.

    `sends`: whether counterfactuals may send texts to the hosts that a recipe names. `thorough`: whether all
    counterfactuals are tried that are possible, where fewer decide.
    """

    def __init__(self, workbench: Workbench, *, sends: bool = False, thorough: bool = False) -> None:
        self._workbench = workbench
        self._golds = GoldAnswers(DatasetLibrary(workbench.settings.datasets))
        self._sends = sends
        self._thorough = thorough

    @verb("proposals.run")
    def propose(self, item: Instance, on_trial: OnTrial = lambda _trial: None) -> Proposal:
        """The label that the rules propose for an answer, with its evidence and what was tried.

        Raises what a search raises that is not an error of the answer's own recipe.
        """
        observation = observe(self._workbench, item, self._golds, sends=self._sends)
        first = decided_without_trials(observation.facts)
        if first is not None:
            return first
        trials: list[CaseTrial] = []
        for trial in CounterfactualTrials(self._workbench, item, observation, sends=self._sends).tried(
            thorough=self._thorough
        ):
            trials.append(trial)
            on_trial(trial)
        return decide(observation.facts, trials, thorough=self._thorough)


OnProgress = Callable[[int, int], None]
"""Called with the number of answers that have a proposal, and of all."""
BATCH = "proposals"
"""The id of the job: a workspace has one batch at a time."""
AT_ONCE = 500
"""Answers that are read together."""


@verb("proposals.run")
def propose_for(
    workbench: Workbench,
    items: Sequence[Instance],
    *,
    sends: bool,
    on_progress: OnProgress = lambda _done, _total: None,
    stop: Event | None = None,
) -> None:
    """Proposes for those of some answers that have no proposal by the present rules; the others count as done.

    `sends`: whether texts may be sent to the recipes' hosts. Raises JobStopped once `stop` is set, between two answers.
    """
    store = ProposalStore(ResultStore.at(workbench.settings.database_url))
    diagnosing = Diagnosing(workbench, sends=sends)
    store.drop_orphans()
    left = store.missing(items)
    for number, item in enumerate(left, start=1):
        if stop is not None and stop.is_set():
            raise JobStopped
        store.save(item, diagnosing.propose(item))
        on_progress(len(items) - len(left) + number, len(items))


@dataclass(frozen=True, slots=True)
class ProposalParameters:
    """The answers to propose for, by their numbers, and whether texts may be sent to the recipes' hosts."""

    answers: tuple[int, ...]
    sends: bool = False


class ProposalJobs(Jobs):
    """The batch of proposals in a workspace."""

    kind = "proposals"

    @verb("proposals.run")
    def start(self, answers: Sequence[int], *, sends: bool) -> bool:
        """Starts proposing for answers; False where a batch is at work already."""
        return self.launch(BATCH, ProposalParameters(tuple(answers), sends))

    def batch(self) -> Job | None:
        """How the latest batch stands; None where there was none."""
        return self.job(BATCH)


def run_proposals(task: RunningJob, parameters: ProposalParameters) -> None:
    """Proposes for the answers that are still stored."""
    stored = {item.answer: item for item in _stored(ResultStore(task.jobs.engine), parameters.answers)}
    items = [stored[number] for number in parameters.answers if number in stored]
    task.tell("proposing", 0, len(items))
    show = partial(task.tell, "proposing")
    propose_for(Workbench(task.settings), items, sends=parameters.sends, on_progress=show, stop=task.stop)


def _stored(store: ResultStore, answers: Sequence[int]) -> Iterator[Instance]:
    for numbers in batched(answers, AT_ONCE):
        yield from store.of().instances(limit=len(numbers), conditions=[t.answers.c.id.in_(numbers)])
