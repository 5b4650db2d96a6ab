"""Counts the steps of a search exactly, as far as that is possible without a call that costs.

What is built in or searches an index is run, and stays in the cache for the search. From the first stage on that asks a
model, an output is a name for the step that would make it: two steps are the same where they read the same names. So
each stage's count is exact as long as different inputs give different outputs; a stage behind one that was not run may
turn out to have fewer steps, never more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.experiments import Batch, Cell, CellResult, RunChain, Runner
from workbench.models import BuiltinTranslator
from workbench.optimise.spending.cap import CALLING
from workbench.pipeline import PASS, BoundStage, Executor, ExtractiveReader, State, StepKeys, StepOutcome

MARK = "\x00step "
"""Begins the name of an output that was not computed; no text of a question or a passage has it."""


@dataclass(slots=True)
class CountedSteps:
    """The distinct steps of each stage, as keys.

    `inexact`: stages with steps whose input was not computed; `unkept`: stages whose outputs are not cached, because
    they take no time; `generators`: the steps that ask a generator, by the identity of the stage.
    """

    keys: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    inexact: set[str] = field(default_factory=set)
    unkept: set[str] = field(default_factory=set)
    generators: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def exact(self) -> frozenset[str]:
        """The stages that are counted exactly."""
        return frozenset(self.keys) - self.inexact


@dataclass
class CountingExecutor(Executor):
    """Runs what costs nothing, and names the outputs of all else."""

    steps: CountedSteps = field(default_factory=CountedSteps)

    def step(self, stage: BoundStage, states: Sequence[State], keys: StepKeys | None = None) -> list[StepOutcome]:
        """As `Executor.step`, for the states whose step can be run; a name as each output for the others."""
        keys = keys or StepKeys()
        unknown = [any(_is_name(getattr(state, name)) for name in stage.stage.reads) for state in states]
        run = [not item and runs_free(stage) for item in unknown]
        computed = iter(super().step(stage, [state for state, real in zip(states, run, strict=True) if real], keys))
        outcomes: list[StepOutcome] = []
        for state, real, is_unknown in zip(states, run, unknown, strict=True):
            key = keys.key(stage, state)
            self.steps.keys[stage.name].add(key)
            if not stage.stage.cacheable:
                self.steps.unkept.add(stage.name)
            if real:
                outcomes.append(next(computed))
                continue
            if stage.name in CALLING:
                self.steps.generators[stage.identity].add(key)
            if is_unknown:
                self.steps.inexact.add(stage.name)
            names: dict[str, Any] = {name: f"{MARK}{key} {name}" for name in stage.stage.adds}
            outcomes.append(StepOutcome(replace(state, **names), 0.0, 0.0, False))
        return outcomes


@dataclass
class CountingRunner(Runner):
    """A runner over a `CountingExecutor`: its answers are names, so nothing is scored."""

    def results(self, batch: Batch, chains: Sequence[RunChain], cells: Sequence[Cell]) -> list[CellResult]:
        """Nothing."""
        return []


def runs_free(stage: BoundStage) -> bool:
    """Whether a stage neither asks a model nor sends anything: what is built in, and searching an index."""
    if stage.name in CALLING:
        return False
    parts = stage.stage
    translator, reranker = getattr(parts, "translator", None), getattr(parts, "reranker", None)
    if translator is not None and not isinstance(translator, BuiltinTranslator):
        return False
    return reranker is None or reranker.identity == PASS


def learns(stage: BoundStage) -> bool:
    """Whether what a stage learns stays in the workspace: the words of a pair of languages, of the built-in parts."""
    parts = stage.stage
    translator, generator = getattr(parts, "translator", None), getattr(parts, "generator", None)
    return isinstance(translator, BuiltinTranslator) or isinstance(generator, ExtractiveReader)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.startswith(MARK)
