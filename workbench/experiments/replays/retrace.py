"""How one stored answer came about: its evidence as the generator read it, its prompt and its steps, from the cache.

Results hold an answer's text and the ids of its passages; everything between is in the cache of steps. Here the run's
chain is followed once more over the one question. Nothing is sent and no language model is called: where a step that
would do so is no longer cached, the trace ends before it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.app import Workbench
from workbench.core import Evidence, MissingError, Prompt, Step, Usage, UsageError
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import StoredRun
from workbench.pipeline import BatchStage, Executor, Facts, Recipe, Stage, State, build_chain, languages_in, make_recipe

UNPERTURBED = "none"
IMPORTED = "This answer was imported: its prompt and its steps are not known."
PERTURBED = "The documents of this run were perturbed on purpose: they are shown as they were given, without the steps."
OTHER_VERSION = "This answer is of another version of the workbench, which cannot follow its steps."
CUT_SHORT = "A step of this answer is no longer in the cache, so that only what came before it is shown."
CHANGED = "The corpus has changed since: these are not the documents that the answer was written from."


@dataclass(frozen=True, slots=True)
class Retrace:
    """What is known of an answer's way: `note` states in a sentence what is missing and why, "" where nothing is."""

    evidence: tuple[Evidence, ...] = ()
    prompt: Prompt | None = None
    steps: tuple[Step, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class CachedOnly(BatchStage):
    """A stage whose outputs are read from the cache and never computed; it fails where one is not cached."""

    stage: Stage

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.stage.name

    @property
    def identity(self) -> str:
        """The stage's identity, so that its steps' keys are the same."""
        return self.stage.identity

    @property
    def reads(self) -> tuple[str, ...]:
        """What the stage reads."""
        return self.stage.reads

    @property
    def adds(self) -> tuple[str, ...]:
        """What the stage adds."""
        return self.stage.adds

    @property
    def cacheable(self) -> bool:
        """Whether the stage's outputs are cached."""
        return self.stage.cacheable

    def run(self, states: Sequence[State]) -> list[State]:
        """Raises MissingError: there is no cached output."""
        raise MissingError(CUT_SHORT)

    def usage(self, state: State) -> Usage | None:
        """The stage's tokens."""
        return self.stage.usage(state)

    def facts(self, state: State) -> Facts:
        """The stage's facts."""
        return self.stage.facts(state)


def retrace(workbench: Workbench, item: Instance) -> Retrace:
    """The way of a stored answer. Raises UsageError where its corpus is gone, and what a component's making raises."""
    recipe = recipe_of(item)
    if recipe is None:
        return Retrace(_stored(workbench, item), note=OTHER_VERSION if item.run.recipe else IMPORTED)
    if item.run.perturbation != UNPERTURBED:
        return Retrace(_stored(workbench, item), note=PERTURBED)
    corpus = workbench.corpus_as_of(recipe.corpus, item.run.corpus_version)
    chain = build_chain(recipe, workbench.registry.components(recipe, corpus))
    if recipe.language_models or workbench.registry.hosts(recipe):
        stages = tuple(CachedOnly(stage) if stage.cacheable else stage for stage in chain.stages)
        chain = replace(chain, stages=stages)
    scope = () if recipe.mode == "baseline" else languages_in(recipe.scope, item.language, corpus.languages)
    executor = Executor(workbench.cache, on_error="isolate")
    (traced,) = executor.run(chain, [State(item.text.strip(), item.language, scope)])
    state = traced.state
    changed = bool(state.evidence) and [entry.passage.id for entry in state.evidence] != _ids(item)
    note = traced.failure or (CHANGED if changed else "")
    evidence = state.evidence or _stored(workbench, item)
    return Retrace(evidence, state.prompt, traced.steps, note)


def recipe_of(item: Instance) -> Recipe | None:
    """The recipe of an answer, None for an imported one and for one that this version does not know."""
    return recipe_in(item.run)


def recipe_in(run: StoredRun) -> Recipe | None:
    """The recipe of a run, None for an imported one and for one that this version does not know."""
    try:
        return make_recipe(json.loads(run.recipe)) if run.recipe else None
    except (UsageError, ValueError):
        return None


def _stored(workbench: Workbench, item: Instance) -> tuple[Evidence, ...]:
    """The passages that are stored with an answer, as its version of the corpus has them, or the present one."""
    if not item.passages:
        return ()
    corpus = workbench.corpus_as_of(item.run.corpus, item.run.corpus_version)
    rows = corpus.lexical.rows_of({name for name, _, _ in item.passages})
    passages = {passage.id: passage for passage in corpus.table.passages(list(rows.values()))}
    return tuple(
        Evidence(passages[name], rank, {"score": score})
        for rank, (name, _, score) in enumerate(item.passages, start=1)
        if name in passages
    )


def _ids(item: Instance) -> list[str]:
    return [name for name, _, _ in item.passages]
