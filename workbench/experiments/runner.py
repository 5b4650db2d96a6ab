"""Runs an experiment: stage by stage over the whole matrix, a batch of questions at a time.

Each phase ends with a stage whose outputs are stored by key, so a later phase, a later job and another experiment find
them.  The last phase composes, generates, scores (asking a judge where there is one) and writes each batch's answers in
one transaction together with the mark that it is finished.  A kill loses the batch under way; resuming skips what is
marked, so nothing is lost or twice.  Memory holds one batch's states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.experiments.cells import Cell, Sharing, StepCounts, StoppedError
from workbench.experiments.chain_builder import ChainBuilder, RunChain
from workbench.experiments.inputs import Batch, ExperimentInputs
from workbench.metrics.measure import Score
from workbench.pipeline.executor import Cache
from workbench.pipeline.state import State
from workbench.records import Question
from workbench.results.answer_scoring import JudgeContext, Scorable, answer_measures, score
from workbench.results.judging import SharedJudge, judged_measures, seen
from workbench.results.writer import CellResult
from workbench.workspace.question import checked_question
from workbench.workspace.workbench import Workbench

PHASES = ("translate question", "retrieve", "rerank", "perturb", "translate passages", "detect language")
"""The stage that each phase ends with; the last one goes from composing to the scored answer."""
FINAL = len(PHASES) - 1
PHASE_TITLES = (
    "translating questions",
    "retrieving",
    "reranking",
    "perturbing",
    "translating passages",
    "answering",
)

OnBatch = Callable[[str, int, int, StepCounts], None]
"""Called after each batch with the phase's title, its batches finished and in all, and the tally."""


def ignore_progress(_phase: str, _done: int, _total: int, _tally: StepCounts) -> None:
    """An OnBatch that nobody watches."""


class Results(Protocol):
    """Where batches of answers go, and what is there already; `writing.Writer` stores them."""

    def done(self, phase: int) -> set[int]: ...

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]: ...

    def write(self, phase: int, batch: int, dataset: str, given: Sequence[CellResult]) -> None: ...


@dataclass
class Runner:
    """One experiment in one process. `cache` is the workspace's unless another is given."""

    workbench: Workbench
    material: ExperimentInputs
    writer: Results
    cache: Cache | None = None
    stop: Event = field(default_factory=Event)
    on_batch: OnBatch = ignore_progress
    on_key: Callable[[str, str], None] | None = None

    def __post_init__(self) -> None:
        home, experiment = self.workbench.settings.home, self.material.experiment
        self.sharing = Sharing(self.cache or self.workbench.cache, self.stop, on_key=self.on_key)
        self.judge = SharedJudge(experiment.judge, home, self.sharing) if experiment.judge else None
        by_judge = judged_measures(self.judge) if self.judge else {}
        self._measures = {**answer_measures(self.material.identifier), **by_judge}
        self._chains = ChainBuilder(self.workbench, experiment.seed)
        self._lines: tuple[tuple[str, str], list[RunChain]] = (("", ""), [])

    def run(self) -> StepCounts:
        """Runs what is not finished yet. Raises StoppedError where `stop` was set."""
        batches = list(self.material.batches())
        for phase, last in enumerate(PHASES):
            mine = [batch for batch in batches if self._concerned(batch, phase)]
            done = self.writer.done(phase)
            for batch in mine:
                if batch.number in done:
                    continue
                if self.stop.is_set():
                    raise StoppedError
                self._batch(batch, phase, last)
                done.add(batch.number)
                self.on_batch(PHASE_TITLES[phase], len(done), len(mine), self.sharing.tally)
        return self.sharing.tally

    def _concerned(self, batch: Batch, phase: int) -> bool:
        """Whether some run has the stage that the phase ends with."""
        return phase == FINAL or any(one.name == PHASES[phase] for line in self._lines_of(batch) for one in line.links)

    def _batch(self, batch: Batch, phase: int, last: str) -> None:
        questions = self.material.asked(batch)
        lines = self._lines_of(batch)
        answered = self.writer.answered(batch.dataset, questions) if phase == FINAL else set()
        threads = _threads(questions, lines, answered)
        self.sharing.walk(threads, last)
        given = self._given(questions, lines, threads) if phase == FINAL else []
        self.writer.write(phase, batch.number, batch.dataset, given)

    def _lines_of(self, batch: Batch) -> list[RunChain]:
        place = (batch.dataset, batch.language)
        if self._lines[0] != place:
            runs = self.material.runs_over(batch.dataset)
            asked = self.material.questions(batch.dataset, batch.language)
            self._lines = (place, self._chains.lines(runs, batch.language, asked))
        return self._lines[1]

    def _given(
        self, questions: Sequence[Question], lines: Sequence[RunChain], threads: Sequence[Cell]
    ) -> list[CellResult]:
        scopes = {line.run.number: line.scope for line in lines}
        well = [thread for thread in threads if not thread.error]
        items = [
            Scorable(
                questions[thread.question],
                thread.state.answer,
                tuple(item.passage.id for item in thread.state.evidence),
                scopes[thread.run],
                seen(thread.state) if self.judge else JudgeContext(),
            )
            for thread in well
        ]
        languages = self._gold_languages(questions, lines)
        found = score(self.material.metrics, items, languages, self._measures)
        scores = {id(thread): value for thread, value in zip(well, found, strict=True)}
        return [_given(thread, questions[thread.question], scores.get(id(thread))) for thread in threads]

    def _gold_languages(self, questions: Sequence[Question], lines: Sequence[RunChain]) -> Mapping[str, str]:
        gold = {name for question in questions for name in question.gold}
        corpora = {line.run.recipe.corpus for line in lines}
        found: dict[str, str] = {}
        for name in corpora if gold else ():
            corpus = self._chains.corpus(name)
            rows = corpus.lexical.rows_of(gold)
            found.update({item.id: item.language for item in corpus.table.passages(list(rows.values()))})
        return found


def _threads(questions: Sequence[Question], lines: Sequence[RunChain], answered: set[tuple[int, str]]) -> list[Cell]:
    """A thread a cell that has no answer yet. Cells that ask the same of the same languages begin as one state."""
    begun: dict[tuple[int, tuple[str, ...]], State] = {}
    threads: list[Cell] = []
    for number, question in enumerate(questions):
        try:
            text, wrong = checked_question(question.text), ""
        except WorkbenchError as error:
            text, wrong = question.text, str(error)
        for line in lines:
            if (line.run.number, question.id) in answered:
                continue
            state = begun.setdefault((number, line.scope), State(text, question.language, line.scope))
            threads.append(Cell(line.run.number, number, line.links, state, error=line.error or wrong))
    return threads


def _given(thread: Cell, question: Question, scores: Mapping[str, Score] | None) -> CellResult:
    state = thread.state
    usage = state.generation.usage if state.generation else None
    ranked = {hit.id: hit.score for hit in state.ranking or ()}
    return CellResult(
        run=thread.run,
        question=question,
        text="" if thread.error else state.answer,
        answer_language="" if thread.error else state.answer_language,
        passages=tuple(
            (item.passage.id, item.passage.language, round(ranked.get(item.passage.id, 0.0), 6))
            for item in state.evidence
        ),
        seconds=thread.seconds,
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
        error=thread.error,
        scores=scores,
    )
