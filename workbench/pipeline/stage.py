"""The state that grows from a question to an answer, and the stages that pass it on, without storage or screens.

Contract. A stage has a `name`, an `identity` (the component's, plus the stage's own parameters), the fields that it
`reads` and those that it `adds`. `run` takes a sequence of states and returns as many, in order, each changed in the
added fields only; what it raises ends the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from workbench.core import (
    Compression,
    Contextualisation,
    Evidence,
    Expansion,
    Generation,
    JobStopped,
    Message,
    Prompt,
    Query,
    Ranking,
    Sections,
    Translation,
    Usage,
    WorkbenchError,
    check_stop,
    shorten,
)
from workbench.data import Corpus
from workbench.pipeline.recipe import Recipe


@dataclass(frozen=True, slots=True)
class State:
    """One question on its way. `scope` holds the languages searched. A field is None until a stage has added it.

    `conversation` is what was said before the question, () for one that is asked by itself; `contextualisation` is
    then the question as rewritten, which takes its place.
    `expansion` is what is searched with in place of the query, `compression` what is read in place of the evidence;
    None where the recipe has neither. `ranking` is the retriever's, `reranked` the reranker's of the same
    candidates, None where there is no reranker. `prompt_note` is a sentence on what the prompt could not do (a language
    without a translation), "" otherwise. After composing, `prompt` is None where nothing was retrieved, or nothing that
    bears on the question: then no generator is called.
    """

    question: str
    language: str
    scope: tuple[str, ...] = ()
    conversation: tuple[Message, ...] = ()
    contextualisation: Contextualisation | None = None
    question_translation: Translation | None = None
    expansion: Expansion | None = None
    query: Query | None = None
    ranking: Ranking | None = None
    reranked: Ranking | None = None
    evidence: tuple[Evidence, ...] = ()
    compression: Compression | None = None
    prompt: Prompt | None = None
    prompt_note: str = ""
    generation: Generation | None = None
    sections: Sections | None = None
    answer: str = ""
    answer_language: str = ""
    answer_translation: Translation | None = None

    @property
    def final_ranking(self) -> Ranking:
        """The reranked ranking where there is a reranker, else the retriever's; () where nothing was retrieved."""
        return (self.ranking if self.reranked is None else self.reranked) or ()


Facts = tuple[tuple[str, str], ...]
"""Pairs of a word and a value, shown to people in this order."""


class Stage(Protocol):
    """One step of a chain."""

    @property
    def name(self) -> str:
        """The name of its steps in traces, counts and the cache; stages that do the same kind of work share one."""

    @property
    def identity(self) -> str:
        """Everything but the state that affects the output; part of the step's key."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the state's fields that affect the output."""

    @property
    def adds(self) -> tuple[str, ...]:
        """Names of the state's fields that the stage sets."""

    @property
    def cacheable(self) -> bool:
        """Whether outputs are cached: False where running the stage takes less time than reading from a database."""

    def run(self, states: Sequence[State]) -> list[State]:
        """One finished state per state, in order. What it raises ends the batch."""

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One finished state or failure per state, in order: one that fails leaves the others alone.

        Raises JobStopped where the work shall stop.
        """

    def usage(self, state: State) -> Usage | None:
        """The tokens that this stage took for a finished state, None where none were counted."""

    def facts(self, state: State) -> Facts:
        """What is worth showing of a finished state."""


class BatchStage(ABC):
    """What most stages share: they run a batch as one, and count no tokens."""

    @abstractmethod
    def run(self, states: Sequence[State]) -> list[State]:
        """See `Stage`."""

    def run_each(self, states: Sequence[State]) -> list[State | WorkbenchError]:
        """One finished state or failure per state. A batch that fails is run again one by one."""
        try:
            finished = self.run(states)
        except JobStopped:
            raise
        except Exception as error:
            if len(states) == 1:
                return [failure_of(error)]
        else:
            # A stage leaves out what it could not translate, so what it returns after a stop may lack a part.
            check_stop()
            return list(finished)
        results: list[State | WorkbenchError] = []
        for state in states:
            check_stop()
            results += self.run_each([state])
        return results

    def usage(self, state: State) -> Usage | None:
        """None."""
        return None


class StateStage(BatchStage):
    """A stage that looks at one state at a time."""

    @abstractmethod
    def one(self, state: State) -> State:
        """The finished state."""

    def run(self, states: Sequence[State]) -> list[State]:
        """See `Stage`."""
        return [self.one(state) for state in states]


def failure_of(error: Exception) -> WorkbenchError:
    """Why a state failed. What a library raises fails its state as well, not the other hundred thousand."""
    return (
        error if isinstance(error, WorkbenchError) else WorkbenchError(f"{type(error).__name__}: {shorten(error, 200)}")
    )


@dataclass(frozen=True, slots=True)
class ChainOrigin:
    """The recipe and the corpus whose chain has a stage: another process can make it anew of these."""

    recipe: Recipe
    corpus: Corpus


@dataclass(frozen=True, slots=True)
class BoundStage:
    """A stage with its name and identity, which cost more to compute than to keep.

    `origin` is None for a stage that is of no recipe's chain.
    """

    stage: Stage
    name: str
    identity: str
    corpus: str = ""
    origin: ChainOrigin | None = field(default=None, compare=False)


def bind(
    stages: Iterable[Stage], corpus: str = "", origin: ChainOrigin | None = None, of_recipe: Sequence[Stage] = ()
) -> tuple[BoundStage, ...]:
    """The stages, ready to be run many times; `corpus` is the name of the one that they search, "" for none.

    Those among `of_recipe`, the stages of a recipe's chain, are bound with their `origin`.
    """
    members = {id(stage) for stage in of_recipe}
    return tuple(
        BoundStage(stage, stage.name, stage.identity, corpus, origin if id(stage) in members else None)
        for stage in stages
    )


@dataclass(frozen=True)
class Chain:
    """Stages, one after another; `corpus` is the name of the one that they search, "" for none."""

    stages: tuple[Stage, ...]
    name: str = "chain"
    corpus: str = ""

    @property
    def identity(self) -> str:
        """The identity of every stage, in order."""
        return " → ".join(f"{stage.name}: {stage.identity}" for stage in self.stages)


@runtime_checkable
class ModelStage(Protocol):
    """A stage that calls models: `models` are the fields of a recipe that name them, () where it calls none."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of fields of `recipes.Recipe`."""


def first_failure(results: Sequence[State | WorkbenchError]) -> list[State]:
    """The finished states. Raises the first failure, if there is one."""
    states: list[State] = []
    for result in results:
        if isinstance(result, WorkbenchError):
            raise result
        states.append(result)
    return states


def usage_facts(usage: Usage | None) -> Facts:
    """The tokens of a step, () where none were counted."""
    if usage is None:
        return ()
    about = "about " if usage.estimated else ""
    return (("tokens", f"{about}{usage.prompt_tokens:,} read, {usage.completion_tokens:,} written"),)
