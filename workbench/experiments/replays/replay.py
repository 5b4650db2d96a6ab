"""Replay: a stored answer with one thing changed. Only what the change reaches is run; the rest is as stored.

The changed chain is followed a step at a time, with the key of each step. A step whose key is that of a step of the
stored answer did equal work on equal input, so its output is kept. Every other step is run, or read from the cache
where the same was run before. Nothing of a replay is stored with the results of experiments; its steps join the cache
as those of Ask do. It is scored by the metrics of the stored answer that need no judge.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Literal

from workbench.app import Workbench, checked_question
from workbench.components import IdentifierInUse, identifier_in_use
from workbench.core import Components, Evidence, Prompt, Question, Step, UsageError, WorkbenchError
from workbench.experiments.chain_builder import component_choices
from workbench.experiments.replays.change import (
    CHANGED,
    UNPERTURBED,
    CachedOnly,
    Change,
    Retrace,
    changed_recipe,
    documents_in_order,
    retrace,
)
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.scoring import (
    DEFAULT_METRICS,
    RERANKED,
    SEMSCORE,
    Scorable,
    answer_measures,
    format_scores,
    metric_without_model,
    score,
    semantic_measures,
    stored_name,
)
from workbench.metrics import FORMAT_FAILURE, Measure, Score, metric_in, ranking, well_formed_name
from workbench.pipeline import (
    EXTRACTIVE,
    BoundStage,
    Cache,
    Executor,
    OnStep,
    Recipe,
    State,
    TracedState,
    bind,
    build_chain,
    format_failure,
    ignore_progress,
)
from workbench.workspace import verb

NEEDS_JUDGE = Score(None, "A replay asks no judge.")
NOT_HERE = Score(None, "Its encoder is not on this machine, and a replay sends no answer away to be measured.")
OTHER_IDENTIFIER = Score(None, "It was measured by another language identifier than the one in use.")
NO_SEARCH = Score(None, "Nothing was searched: the documents were given.")


class ReplayScorer:
    """Scores the replays of one answer against its golds, by its metrics; by the default ones where it has none."""

    def __init__(self, workbench: Workbench, instance: Instance) -> None:
        self._workbench = workbench
        self._item = instance

    def score(self, state: State, recipe: Recipe, *, has_search: bool) -> Mapping[str, Score]:
        """The score of a finished state by each metric. `has_search`: whether the state's ranking is of a search."""
        item = self._item
        question = Question(item.question, item.text, item.language, item.golds, item.gold_passages, item.evidence_in)
        golds = self._workbench.corpus(recipe.corpus).golds
        scorable = Scorable(
            question,
            state.answer,
            golds.units(question.gold, state.ranking or ()),
            state.scope,
            reranked=None if state.reranked is None else golds.units(question.gold, state.reranked),
            depth=recipe.candidates,
            format_failure=format_failure(state.sections),
        )
        measured = [name for name in self._names if self._why_not(name, has_search=has_search) is None]
        (scores,) = score(measured, [scorable], golds.languages(question.gold), self._measures)
        shown = {name: scores.get(name) or self._why_not(name, has_search=has_search) for name in self._names}
        return {**{name: value for name, value in shown.items() if value is not None}, **format_scores(state, scores)}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        derived = {FORMAT_FAILURE, *map(well_formed_name, self._item.scores)}
        names = tuple(name for name in self._item.scores if name not in derived)
        return names or tuple(stored_name(name, self._identifier.mark) for name in DEFAULT_METRICS)

    @cached_property
    def _identifier(self) -> IdentifierInUse:
        return identifier_in_use(self._workbench.settings.home)

    @cached_property
    def _measures(self) -> Mapping[str, Measure]:
        by_encoder = [name.partition("@")[2] for name in self._names if metric_without_model(name) == SEMSCORE]
        home = self._workbench.settings.home
        semantic = [semantic_measures(name, home) for name in by_encoder if self._is_local(name)]
        return {**answer_measures(self._identifier), **{name: item for each in semantic for name, item in each.items()}}

    def _is_local(self, encoder: str) -> bool:
        """Whether an encoder is known and sends nothing away."""
        try:
            return not self._workbench.registry.host(encoder)
        except WorkbenchError:
            return False

    def _why_not(self, name: str, *, has_search: bool) -> Score | None:
        """The score of a metric that is not measured, None where it is."""
        if metric_in(name):
            return NEEDS_JUDGE
        if name in ranking.RANKING_MEASURES or name in RERANKED:
            return None if has_search else NO_SEARCH
        if name in self._measures:
            return None
        return NOT_HERE if metric_without_model(name) == SEMSCORE else OTHER_IDENTIFIER


ReplayStatus = Literal["kept", "run", "run again", "skipped"]
"""Of a step: the stored answer's; run because of the change; not changed, but no longer cached; not needed."""


@dataclass(frozen=True, slots=True)
class ReplayedStep(Step):
    """One step of a replay. A step that was run may still come from the cache: it was run before."""

    status: ReplayStatus = "kept"


def read_only(cache: Cache, stages: Sequence[BoundStage], state: State) -> TracedState:
    """The walk as far as the cache has it. What can be cached is never computed, so nothing is sent."""
    (reading,) = Executor(cache, on_error="isolate", runner=CachedOnly()).advance(stages, [TracedState(state)])
    return reading


def walk_unused_search(
    executor: Executor,
    search: Sequence[BoundStage],
    later: Sequence[BoundStage],
    walks: Sequence[TracedState],
    stored_keys: frozenset[str],
) -> list[TracedState]:
    """Walks through a search whose documents are not used, since others are read in their place.

    What a `later` stage reads besides the documents is run (the question's translation). Of the rest, steps of the
    stored answer are read from the cache, so that their rankings are available; all others are skipped.
    """
    after = list(walks)
    for stage, is_needed in zip(search, _needed(search, later), strict=True):
        if is_needed:
            after = executor.advance([stage], after)
        else:
            after = [_read_or_skipped(executor.cache, stage, item, stored_keys) for item in after]
    return after


def _needed(search: Sequence[BoundStage], later: Sequence[BoundStage]) -> list[bool]:
    read = {name for stage in later for name in stage.stage.reads} - {"evidence"}
    needed: list[bool] = []
    for stage in reversed(search):
        needed.insert(0, bool(read & set(stage.stage.adds)))
        read |= set(stage.stage.reads) if needed[0] else set()
    return needed


def _read_or_skipped(cache: Cache, stage: BoundStage, before: TracedState, stored_keys: frozenset[str]) -> TracedState:
    if before.failure:
        return before
    reading = read_only(cache, [stage], before.state)
    if not reading.failure and reading.keys <= stored_keys:
        return TracedState(reading.state, (*before.steps, *reading.steps))
    skipped = Step(stage.name, stage.identity, 0.0, cached=False)
    return replace(before, steps=(*before.steps, skipped))


PERTURBED_KEPT = "The documents of this run were perturbed on purpose: the replay reads them as they were given."
SEARCH_IS_FIXED = (
    "The documents of this run were perturbed on purpose, so what comes before them cannot be changed. Change the "
    "prompt, the generator or the documents."
)


@dataclass(frozen=True)
class Replay:
    """What came of a change. `answer` is "" and `failure` gives the reason where a step failed.

    `answer_language` is "" where it cannot be detected. `scores` are by the stored answer's metrics; those that a
    replay cannot measure carry the reason. `note` states what else a reader must know, "" for nothing. `recipe` is
    None for a stored answer without one.
    """

    answer: str
    answer_language: str
    evidence: tuple[Evidence, ...]
    prompt: Prompt | None
    steps: tuple[ReplayedStep, ...]
    scores: Mapping[str, Score]
    failure: str = ""
    note: str = ""
    recipe: Recipe | None = None


@dataclass(frozen=True)
class _Plan:
    """A change's chain, split where the documents are handed over, and where it starts.

    `evidence` are the documents to be read, None for those that the search retrieves.
    """

    recipe: Recipe
    search: tuple[BoundStage, ...]
    later: tuple[BoundStage, ...]
    start: State
    evidence: tuple[Evidence, ...] | None
    note: str = ""

    @property
    def stages(self) -> tuple[BoundStage, ...]:
        return (*self.search, *self.later)

    @property
    def together(self) -> tuple[object, ...]:
        """Equal for plans whose stages can be run as one batch."""
        return (*((stage.name, stage.identity) for stage in self.stages), self.evidence is None)


@verb("questions.ask")
def replay(workbench: Workbench, instance: Instance, change: Change, on_step: OnStep = ignore_progress) -> Replay:
    """What comes of one change; `on_step` is called before each step that may take time.

    Raises UsageError for a change that is not allowed, MissingError for a component that is not on this machine; what
    a step raises is the replay's `failure`.
    """
    return replays(workbench, instance, [change], on_step)[0]


@verb("questions.ask")
def replays(
    workbench: Workbench, instance: Instance, changes: Sequence[Change], on_step: OnStep = ignore_progress
) -> list[Replay]:
    """What comes of each change, in order; changes with equal chains are run as one batch.

    Raises as `replay` does, before anything is run.
    """
    planner = _Planner(workbench, instance)
    plans = [planner.plan(change) for change in changes]
    before = planner.stored_walk()
    executor = Executor(workbench.cache, on_error="isolate")
    walks: dict[int, TracedState] = {}
    stored_keys = before.keys if before else frozenset()
    for indexes in _batches(plans):
        batch = [plans[index] for index in indexes]
        walks |= zip(indexes, _run(executor, batch, stored_keys, on_step), strict=True)
    if before is not None and before.failure:
        # What was no longer cached has been run again where a replay needed it, which shows how the rest goes on.
        before = planner.stored_walk()
    scorer = ReplayScorer(workbench, instance)
    stored_keys = before.keys if before else frozenset()
    note = CHANGED if before is not None and _other_documents(before, instance) else ""
    return [_replay(plan, walks[index], stored_keys, scorer, note) for index, plan in enumerate(plans)]


def is_perturbed(instance: Instance) -> bool:
    """Whether the documents of an answer were perturbed on purpose, so that its search cannot be changed."""
    return instance.run.perturbation != UNPERTURBED


def as_replay(instance: Instance, trace: Retrace) -> Replay:
    """A stored answer in the form of a replay, to compare one with; `trace` is that of `retrace`."""
    steps = tuple(_replayed(step, "kept") for step in trace.steps)
    return Replay(
        instance.output, instance.answer_language, trace.evidence, trace.prompt, steps, instance.scored, instance.error,
        trace.note,
    )  # fmt: skip


class _Planner:
    """Makes plans for changes of one answer; recipes that name the same components share them."""

    def __init__(self, workbench: Workbench, instance: Instance) -> None:
        self._workbench = workbench
        self._item = instance
        self._components: dict[str, Components] = {}
        try:
            self._unchanged = self._chain(Change())
            self._stored_stages = self._unchanged.stages
        except WorkbenchError:
            # A language model of it may be gone, or its key: what comes before that one is known all the same.
            recipe = changed_recipe(instance, Change())
            plain = {"generator": EXTRACTIVE, "query_expansion": "none", "compressor": "none"}
            self._unchanged = self._chain(Change(plain))
            unknown = "retrieve" if recipe.expanding_model else "compose" if recipe.compressing_model else ""
            before = takewhile(
                lambda stage: "prompt" not in stage.stage.reads and stage.name != unknown, self._unchanged.stages
            )
            self._stored_stages = tuple(before)

    def plan(self, change: Change) -> _Plan:
        """The plan of a change. Raises UsageError, MissingError."""
        plan = self._chain(change)
        if change.evidence is not None:
            return replace(plan, evidence=documents_in_order(change.evidence))
        if not is_perturbed(self._item) or not plan.search:
            return plan
        if _identities(plan.search) != _identities(self._unchanged.search) or plan.start != self._unchanged.start:
            raise UsageError(SEARCH_IS_FIXED)
        evidence = documents_in_order(retrace(self._workbench, self._item).evidence)
        return replace(plan, evidence=evidence, note=PERTURBED_KEPT)

    def stored_walk(self) -> TracedState | None:
        """The stored answer's walk as far as the cache has it, None where its documents were perturbed."""
        if is_perturbed(self._item):
            return None
        return read_only(self._workbench.cache, self._stored_stages, self._unchanged.start)

    def _chain(self, change: Change) -> _Plan:
        recipe = changed_recipe(self._item, change)
        self._workbench.registry.check(recipe)
        text = self._item.text.strip() if change.question is None else checked_question(change.question)
        corpus = self._workbench.corpus(recipe.corpus)
        searches = recipe.mode != "baseline"
        if not searches and change.evidence is not None:
            raise UsageError(
                "The mode “baseline” reads no documents. Select another mode, or leave the documents as they are."
            )
        scope = recipe.searched(self._item.language, corpus.languages)
        names = component_choices(recipe)
        if names not in self._components:
            self._components[names] = self._workbench.registry.components(recipe, corpus)
        stages = bind(build_chain(recipe, self._components[names]).stages)
        split = next(number for number, stage in enumerate(stages) if "evidence" in stage.stage.reads)
        return _Plan(recipe, stages[:split], stages[split:], State(text, self._item.language, scope), None)


def _identities(stages: Sequence[BoundStage]) -> list[tuple[str, str]]:
    return [(stage.name, stage.identity) for stage in stages]


def _batches(plans: Sequence[_Plan]) -> list[list[int]]:
    """The indexes of plans that can be run together."""
    batches: dict[tuple[object, ...], list[int]] = {}
    for index, plan in enumerate(plans):
        batches.setdefault(plan.together, []).append(index)
    return list(batches.values())


def _run(executor: Executor, plans: Sequence[_Plan], stored_keys: frozenset[str], on_step: OnStep) -> list[TracedState]:
    """The walks of plans that share their stages."""
    first, walks = plans[0], [TracedState(plan.start) for plan in plans]
    if first.evidence is None:
        return executor.advance(first.stages, walks, on_step)
    walks = walk_unused_search(executor, first.search, first.later, walks, stored_keys)
    walks = [
        replace(item, state=replace(item.state, evidence=plan.evidence or ()))
        for plan, item in zip(plans, walks, strict=True)
    ]
    return executor.advance(first.later, walks, on_step)


def _replay(plan: _Plan, item: TracedState, stored_keys: frozenset[str], scorer: ReplayScorer, note: str) -> Replay:
    state = item.state
    cacheable = {stage.name for stage in plan.stages if stage.stage.cacheable}
    has_search = plan.evidence is None or state.ranking is not None
    return Replay(
        "" if item.failure else state.answer,
        "" if item.failure else state.answer_language,
        state.evidence,
        state.prompt,
        tuple(_replayed(step, _status(step, stored_keys, cacheable)) for step in item.steps),
        {} if item.failure else scorer.score(state, plan.recipe, has_search=has_search),
        item.failure,
        " ".join(part for part in (plan.note, note) if part),
        plan.recipe,
    )


def _replayed(step: Step, status: ReplayStatus) -> ReplayedStep:
    return ReplayedStep(step.name, step.component, step.seconds, step.cached, step.facts, step.key, status)


def _status(step: Step, stored_keys: frozenset[str], cacheable: Container[str]) -> ReplayStatus:
    """`cacheable` are the names of the stages whose outputs are cached."""
    if not step.key:
        return "skipped"
    if step.key not in stored_keys:
        return "run"
    return "kept" if step.cached or step.name not in cacheable else "run again"


def _other_documents(before: TracedState, instance: Instance) -> bool:
    """Whether the search retrieves other documents now than those that are stored with the answer."""
    state = before.state
    return bool(state.evidence) and [entry.passage.id for entry in state.evidence] != [
        name for name, _, _ in instance.passages
    ]
