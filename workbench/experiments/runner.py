"""Runs an experiment: stage by stage over the complete matrix, a batch of questions at a time.

Each phase but the last ends with a stage whose outputs are cached, so a later phase, a later job and another experiment
read them. The last phase composes, generates, scores (asking a judge where there is one) and writes each batch's
answers in one transaction together with the mark that it is finished. A kill loses the batch under way; resuming skips
what is marked, so nothing is lost or stored twice. Memory holds one batch's states. Cells that wait for one stage are
run together, so that equal steps run once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property, partial
from itertools import takewhile
from threading import Event
from typing import Protocol

from workbench.app import Workbench, checked_question
from workbench.components import EncoderSpread
from workbench.core import Evidence, JobStopped, Question, Ranking, WorkbenchError, page_key, total_usage
from workbench.experiments.chain_builder import NEEDING_ANSWERS, ChainBuilder, RunChain, no_questions
from workbench.experiments.experiment import Run
from workbench.experiments.inputs import Batch, ExperimentInputs
from workbench.experiments.phases import Phase, build_indexes, derive_phases
from workbench.experiments.results.scoring import (
    JudgeContext,
    Scorable,
    SharedJudge,
    answer_measures,
    candidate_depth,
    format_scores,
    judge_context,
    judged_measures,
    score,
    semantic_measures,
)
from workbench.experiments.results.writer import CellResult
from workbench.metrics import GoldLanguages, Measure, Score
from workbench.pipeline import (
    BoundStage,
    Cache,
    Executor,
    InThisProcess,
    StageRunner,
    State,
    StepCounts,
    StepGuard,
    StepKeys,
    format_failure,
)


@dataclass(slots=True)
class Cell:
    """One cell on its way: `run` and `question` number it, `at` counts the stages that are behind it.

    `seconds` add up those of its steps when they were run; `error` is why it failed, "" where it has not.
    """

    run: int
    question: int
    stages: Sequence[BoundStage]
    state: State
    at: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def waits_for(self) -> str:
        """The name of the next stage, "" where the cell has ended."""
        return self.stages[self.at].name if not self.error and self.at < len(self.stages) else ""


def advance(executor: Executor, cells: Sequence[Cell], stages: Sequence[str]) -> None:
    """Takes every cell through those of its stages that are named, in this order. Raises JobStopped."""
    keys = StepKeys()
    for name in stages:
        waiting: dict[str, list[Cell]] = {}
        for cell in cells:
            if cell.waits_for == name:
                waiting.setdefault(cell.stages[cell.at].identity, []).append(cell)
        for together in waiting.values():
            first = together[0]
            outcomes = executor.step(first.stages[first.at], [cell.state for cell in together], keys)
            for cell, outcome in zip(together, outcomes, strict=True):
                cell.state, cell.error = outcome.state, outcome.failure
                cell.seconds += outcome.seconds
                cell.at += not outcome.failure


OnBatch = Callable[[str, int, int, StepCounts], None]
"""Called after each batch with the phase's title, its batches finished and in all, and the counts of steps."""


def ignore_progress(_phase: str, _done: int, _total: int, _counts: StepCounts) -> None:
    """An OnBatch that does nothing."""


class Results(Protocol):
    """Where batches of answers are stored, and what is stored already; `results.writer.Writer` implements it."""

    def done(self, phase: str) -> set[int]:
        """The numbers of the batches that a phase has finished; a phase goes by the name of the stage that ends it."""

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
        """Run number and question id of those cells of some questions that are stored."""

    def write(self, phase: str, batch: int, dataset: str, results: Sequence[CellResult], /) -> None:
        """Stores a batch's results and that a phase has finished it, in one transaction."""


@dataclass(frozen=True)
class RunnerContext:
    """What the runners of one process share: components, judge, measures, counts of steps and remembered failures."""

    executor: Executor
    judge: SharedJudge | None
    measures: Mapping[str, Measure]
    chains: ChainBuilder

    @classmethod
    def of(cls, inputs: ExperimentInputs, executor: Executor) -> RunnerContext:
        """The context of an experiment. Raises what making its judge raises."""
        home, experiment = inputs.workbench.settings.home, inputs.experiment
        judge = SharedJudge(experiment.judge, home, executor) if experiment.judge else None
        by_judge = judged_measures(judge, experiment.judge_language) if judge else {}
        by_encoder = semantic_measures(experiment.semscore_encoder, home)
        measures = {**answer_measures(inputs.identifier), **by_judge, **by_encoder}
        return cls(executor, judge, measures, ChainBuilder(inputs.workbench, experiment.seed))


@dataclass
class Runner:
    """One experiment in one process. `cache` is the workspace's unless another is given.

    `on_key` is called with the stage's name and the key of each distinct step of a batch. `fields` are those of the
    state that the metrics look at: each chain ends with the last stage that sets one of them; all of it is run where
    none is named. `guard` is the executor's. `stages` runs the stages, and `spread` encodes the indexes that are
    missing: this process where they are None. `context` is one of the same workspace, judge and seed, whose executor
    then does the work; a new one where it is None.
    """

    workbench: Workbench
    inputs: ExperimentInputs
    writer: Results
    cache: Cache | None = None
    stop: Event = field(default_factory=Event)
    on_batch: OnBatch = ignore_progress
    on_key: Callable[[str, str], None] | None = None
    fields: frozenset[str] = frozenset()
    guard: StepGuard | None = None
    stages: StageRunner | None = None
    spread: EncoderSpread | None = None
    context: InitVar[RunnerContext | None] = None

    def __post_init__(self, context: RunnerContext | None) -> None:
        self._latest: tuple[tuple[str, str], list[RunChain]] = (("", ""), [])
        self.shared = context or RunnerContext.of(
            self.inputs,
            Executor(
                self.cache or self.workbench.cache,
                "isolate",
                self.stop,
                self.on_key,
                guard=self.guard,
                runner=self.stages or InThisProcess(),
            ),
        )

    @property
    def executor(self) -> Executor:
        """The executor of its steps."""
        return self.shared.executor

    @property
    def generators(self) -> Mapping[str, str]:
        """The names that recipes have for the generators in use up to now, by their identities."""
        return self.shared.chains.generators

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the experiment, in order."""
        return self._plan[0]

    def run(self) -> StepCounts:
        """Runs what is not finished yet; returns what this job did. Raises JobStopped where `stop` was set."""
        runs, counts = self.inputs.runs, self.executor.counts
        build_indexes(self.workbench, runs, stop=self.stop, on_batch=self.on_batch, counts=counts, spread=self.spread)
        batches = list(self.inputs.batches())
        for phase in self.phases:
            concerned = [batch for batch in batches if phase.is_last or phase.name in self._stages_of(batch)]
            done = self.writer.done(phase.name)
            for batch in concerned:
                if batch.number in done:
                    continue
                if self.stop.is_set():
                    raise JobStopped
                self._batch(batch, phase)
                done.add(batch.number)
                self.on_batch(phase.title, len(done), len(concerned), self.executor.counts)
        return self.executor.counts

    @cached_property
    def _plan(self) -> tuple[tuple[Phase, ...], Mapping[tuple[str, str], frozenset[str]]]:
        """The phases, and by dataset and language the names of the stages that some run has."""
        chains_by_names: dict[tuple[str, ...], Sequence[BoundStage]] = {}
        names: dict[tuple[str, str], frozenset[str]] = {}
        for dataset, language in self.inputs.counts:
            # The questions change no stage's name, so they need not be read.
            chains = [chain.stages for chain in self.chains(self.inputs.runs_over(dataset), language)]
            names[dataset, language] = frozenset(stage.name for chain in chains for stage in chain)
            chains_by_names.update({tuple(stage.name for stage in chain): chain for chain in chains})
        return derive_phases(chains_by_names.values()), names

    def _stages_of(self, batch: Batch) -> frozenset[str]:
        return self._plan[1][batch.dataset, batch.language]

    def _batch(self, batch: Batch, phase: Phase) -> None:
        questions = self.inputs.questions_of(batch)
        chains = self._chains_of(batch)
        answered = self.writer.answered(batch.dataset, questions) if phase.is_last else set()
        cells = _cells(questions, chains, answered)
        self._advance(cells, phase)
        results = self.results(batch, chains, cells) if phase.is_last else []
        self.writer.write(phase.name, batch.number, batch.dataset, results)

    def _advance(self, cells: Sequence[Cell], phase: Phase) -> None:
        """Takes cells through a phase. What an earlier phase did is read again from the cache, and counted once."""
        numbers = self.executor.counts.from_cache
        earlier = {name.name for name in takewhile(lambda item: item != phase, self.phases)}
        before = {name: numbers[name] for name in earlier}
        advance(self.executor, cells, phase.stages)
        numbers.update({name: before[name] - numbers[name] for name in earlier})

    def _chains_of(self, batch: Batch) -> list[RunChain]:
        key = (batch.dataset, batch.language)
        if self._latest[0] != key:
            questions = partial(self.inputs.questions_in, dataset=batch.dataset, language=batch.language)
            runs = self.inputs.runs_over(batch.dataset)
            needed = any(run.perturbation in NEEDING_ANSWERS for run in runs)
            answers = self.inputs.gold_answers(batch.dataset) if needed else {}
            for name in {run.recipe.corpus for run in runs}:
                # All of the language at once: each look-up reads through the corpus.
                if pages := [gold for item in questions(name) for gold in item.gold if page_key(gold)]:
                    self.shared.chains.corpus(name).golds.prepare(pages)
            self._latest = (key, self.chains(runs, batch.language, questions, answers))
        return self._latest[1]

    def chains(
        self,
        runs: Sequence[Run],
        language: str,
        questions: Callable[[str], Sequence[Question]] = no_questions,
        answers: Mapping[str, Sequence[str]] | None = None,
    ) -> list[RunChain]:
        """The chains of some runs (see `ChainBuilder.build`), as far as `fields` needs them."""
        return [chain.up_to(self.fields) for chain in self.shared.chains.build(runs, language, questions, answers)]

    def results(self, batch: Batch, chains: Sequence[RunChain], cells: Sequence[Cell]) -> list[CellResult]:
        """What came of a batch's cells, scored."""
        stored = self.inputs.questions_of(batch)
        corpora = {chain.run.number: chain.run.recipe.corpus for chain in chains}
        by_corpus = {name: self.inputs.questions_of(batch, name) for name in corpora.values()}
        questions = [by_corpus[corpora[cell.run]][cell.question] for cell in cells]
        scopes = {chain.run.number: chain.scope for chain in chains}
        depths = {chain.run.number: chain.run.recipe.candidates for chain in chains}
        answered = [(cell, question) for cell, question in zip(cells, questions, strict=True) if not cell.error]

        def units(cell: Cell, question: Question, ranking: Ranking | None) -> tuple[str, ...]:
            golds = self.shared.chains.corpus(corpora[cell.run]).golds
            return golds.units(question.gold, ranking) if ranking else ()

        depth = candidate_depth(self.inputs.requested_metrics)

        def candidates(cell: Cell) -> list[Evidence]:
            rows = [hit.row for hit in (cell.state.ranking or ())[:depth]]
            passages = self.shared.chains.corpus(corpora[cell.run]).table.passages(rows)
            return [Evidence(passage=passage, rank=rank) for rank, passage in enumerate(passages, start=1)]

        scorables = [
            Scorable(
                question,
                cell.state.answer,
                units(cell, question, cell.state.ranking),
                scopes[cell.run],
                judge_context(cell.state, candidates(cell)) if self.shared.judge else JudgeContext(),
                None if cell.state.reranked is None else units(cell, question, cell.state.reranked),
                depths[cell.run],
                format_failure(cell.state.sections),
            )
            for cell, question in answered
        ]
        languages = self._gold_languages(by_corpus)
        measured = score(self.inputs.requested_metrics, scorables, languages, self.shared.measures)
        scores = {
            id(cell): {**value, **format_scores(cell.state, value)}
            for (cell, _), value in zip(answered, measured, strict=True)
        }
        return [
            _result(cell, stored[cell.question], question.gold, scores.get(id(cell)))
            for cell, question in zip(cells, questions, strict=True)
        ]

    def _gold_languages(self, questions: Mapping[str, Sequence[Question]]) -> GoldLanguages:
        """The languages of each gold; `questions` are those over each corpus."""
        languages: dict[str, str | frozenset[str]] = {}
        for name, each in questions.items():
            if gold := {item for question in each for item in question.gold}:
                languages.update(self.shared.chains.corpus(name).golds.languages(gold))
        return languages


def _cells(questions: Sequence[Question], chains: Sequence[RunChain], answered: set[tuple[int, str]]) -> list[Cell]:
    """The cells that have no answer yet. Those that ask the same of the same languages begin as one state."""
    first_states: dict[tuple[int, tuple[str, ...]], State] = {}
    cells: list[Cell] = []
    for number, question in enumerate(questions):
        try:
            text, problem = checked_question(question.text), ""
        except WorkbenchError as error:
            text, problem = question.text, str(error)
        for chain in chains:
            if (chain.run.number, question.id) in answered:
                continue
            state = first_states.setdefault((number, chain.scope), State(text, question.language, chain.scope))
            cells.append(Cell(chain.run.number, number, chain.stages, state, error=chain.error or problem))
    return cells


def _result(cell: Cell, question: Question, gold: tuple[str, ...], scores: Mapping[str, Score] | None) -> CellResult:
    state = cell.state
    traces = (state.expansion, state.compression, state.generation)
    usage = total_usage(trace.usage for trace in traces if trace is not None)
    score_of = {hit.id: hit.score for hit in state.final_ranking}
    return CellResult(
        run=cell.run,
        question=question,
        text="" if cell.error else state.answer,
        answer_language="" if cell.error else state.answer_language,
        passages=tuple(
            (item.passage.id, item.passage.language, round(score_of.get(item.passage.id, 0.0), 6))
            for item in state.evidence
        ),
        seconds=cell.seconds,
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
        error=cell.error,
        scores=scores,
        mapped_gold=gold if gold != question.gold and not cell.error else None,
    )
