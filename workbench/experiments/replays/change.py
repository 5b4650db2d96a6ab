"""How a stored answer came about, and what may be changed of it, checked before anything is run.

Results hold an answer's text and the ids of its passages; everything between is in the cache of steps. To retrace an
answer, the run's chain is followed once more over the one question. Nothing is sent and no language model is called:
where a step that would do so is no longer cached, the trace ends before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from workbench.app import Workbench
from workbench.core import Evidence, Prompt, Step, UsageError, shorten
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import StoredRun
from workbench.pipeline import (
    BoundStage,
    Executor,
    InThisProcess,
    Recipe,
    State,
    StepOutcome,
    build_chain,
    flat,
    make_recipe,
    mode,
    nested,
    words,
)
from workbench.workspace import PASSAGES_LIMIT

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


class CachedOnly:
    """Implements `StageRunner`: what can be cached is read from the cache or fails, and is never computed."""

    def run(self, stage: BoundStage, states: Sequence[State]) -> Sequence[StepOutcome]:
        """What the stage makes of each state, or that its output is no longer cached."""
        if not stage.stage.cacheable:
            return InThisProcess().run(stage, states)
        return [StepOutcome(state, failure=CUT_SHORT) for state in states]


def retrace(workbench: Workbench, instance: Instance) -> Retrace:
    """The way of a stored answer. Raises UsageError where its corpus is gone, and what a component's making raises."""
    recipe = recipe_of(instance)
    if recipe is None:
        return Retrace(_stored(workbench, instance), note=OTHER_VERSION if instance.run.recipe else IMPORTED)
    if instance.run.perturbation != UNPERTURBED:
        return Retrace(_stored(workbench, instance), note=PERTURBED)
    corpus = workbench.corpus_as_of(recipe.corpus, instance.run.corpus_version)
    chain = build_chain(recipe, workbench.registry.components(recipe, corpus))
    sends = recipe.language_models or workbench.registry.hosts(recipe)
    scope = recipe.searched(instance.language, corpus.languages)
    executor = Executor(workbench.cache, on_error="isolate", runner=CachedOnly() if sends else InThisProcess())
    (traced,) = executor.run(chain, [State(instance.text.strip(), instance.language, scope)])
    state = traced.state
    changed = bool(state.evidence) and [entry.passage.id for entry in state.evidence] != _ids(instance)
    note = traced.failure or (CHANGED if changed else "")
    evidence = state.evidence or _stored(workbench, instance)
    return Retrace(evidence, state.prompt, traced.steps, note)


def recipe_of(instance: Instance) -> Recipe | None:
    """The recipe of an answer, None for an imported one and for one that this version does not know."""
    return recipe_in(instance.run)


def recipe_in(run: StoredRun) -> Recipe | None:
    """The recipe of a run, None for an imported one and for one that this version does not know."""
    try:
        return make_recipe(json.loads(run.recipe)) if run.recipe else None
    except (UsageError, ValueError):
        return None


def _stored(workbench: Workbench, instance: Instance) -> tuple[Evidence, ...]:
    """The passages that are stored with an answer, as its version of the corpus has them, or the present one."""
    if not instance.passages:
        return ()
    corpus = workbench.corpus_as_of(instance.run.corpus, instance.run.corpus_version)
    passages = corpus.passages_named(_ids(instance))
    return tuple(
        Evidence(passages[name], rank, {"score": score})
        for rank, (name, _, score) in enumerate(instance.passages, start=1)
        if name in passages
    )


def _ids(instance: Instance) -> list[str]:
    return [name for name, _, _ in instance.passages]


DOCUMENT_LIMIT = 20_000
"""Characters of a document that a person may type; a passage has about 600."""
NOTHING_TO_REPEAT = "Without its recipe nothing of it can be run again."


@dataclass(frozen=True)
class Change:
    """What differs from the stored answer; whatever is left out stays as it was.

    `fields` are fields of the recipe by name, those of its parts with a dot. A new mode brings its paper's scope where
    the answer had that of its own mode and `fields` name no scope. `evidence` are the documents in the order in which
    they are read, in place of those that were retrieved: ranks are counted anew, and translations are left to the mode.
    `question` is the text that is asked, in the same language.
    """

    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    evidence: tuple[Evidence, ...] | None = None
    question: str | None = None


def changed_recipe(instance: Instance, change: Change) -> Recipe:
    """The recipe of an answer with a change. Raises UsageError where it is not known or a field is not allowed."""
    recipe = recipe_of(instance)
    if recipe is None:
        raise UsageError(f"{OTHER_VERSION if instance.run.recipe else IMPORTED} {NOTHING_TO_REPEAT}")
    fields = {name: _plain(name, value) for name, value in change.fields.items()}
    if "mode" in fields and not fields.get("scope") and recipe.scope == mode(recipe.mode).scope:
        fields["scope"] = ""  # the default of the new mode
    if "generator" in fields:
        # One thing changes: who expanded the question, and who summed up the documents, stays.
        stays = {"expander": recipe.expanding_model, "compressor_model": recipe.compressing_model}
        fields = {**{name: model for name, model in stays.items() if model}, **fields}
    return make_recipe(nested(fields, recipe.model_dump()))


def recipe_changes(instance: Instance, change: Change) -> tuple[tuple[str, str, str], ...]:
    """The recipe's fields that a change reaches, each with its value before and after. Raises as `changed_recipe`."""
    before, after = flat(changed_recipe(instance, Change())), flat(changed_recipe(instance, change))
    return tuple((name, words(before[name]), words(after[name])) for name in before if before[name] != after[name])


def documents_in_order(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Documents as a search would hand them over: ranked from 1, without translations.

    Raises UsageError for too many of them, for one without text and for one that is too long.
    """
    if len(evidence) > PASSAGES_LIMIT:
        raise UsageError(f"There are {len(evidence):,} documents; at most {PASSAGES_LIMIT:,} are allowed. Remove some.")
    for number, item in enumerate(evidence, start=1):
        length = len(item.passage.text)
        if not item.passage.text.strip():
            raise UsageError(f"Document {number} has no text. Type its text, or remove the document.")
        if length > DOCUMENT_LIMIT:
            raise UsageError(
                f"Document {number} has {length:,} characters; at most {DOCUMENT_LIMIT:,} are allowed. Shorten it."
            )
    return tuple(
        replace(item, rank=rank, translation=None, title_translation=None)
        for rank, item in enumerate(evidence, start=1)
    )


@dataclass(frozen=True, slots=True)
class Reach:
    """What a replay may call: the hosts that receive texts, () for none, and the language models, "" for none."""

    hosts: tuple[str, ...]
    model: str


def reach(workbench: Workbench, instance: Instance, change: Change) -> Reach:
    """What a replay may call, to be agreed to before it is run. Raises UsageError as a replay does."""
    recipe = changed_recipe(instance, change)
    return Reach(workbench.registry.check(recipe), ", ".join(recipe.language_models))


def _plain(name: str, value: object) -> object:
    """A value of plain kinds. Raises UsageError for any other, which no recipe can hold."""
    try:
        plain: object = json.loads(json.dumps(value))
    except (TypeError, ValueError):
        raise UsageError(
            f"The recipe's {shorten(name)} cannot be {shorten(repr(value))}: type text or a number."
        ) from None
    return plain
