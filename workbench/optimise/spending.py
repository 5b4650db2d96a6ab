"""The most that a search may spend, and an exact count of its steps before it spends anything.

Shared steps count once, and what was in the cache is free. The guard is asked before steps are run and lets through
only as many as the cap covers, so a search ends before it exceeds one. What a call will take is not known in advance:
the most that one has taken so far is assumed, and a few calls go first to find out.

Steps are counted as far as that is possible without a call that costs. What is built in or searches an index is run,
and stays in the cache for the search. From the first stage on that asks a model, an output is a name for the step that
would make it: two steps are the same where they read the same names. So each stage's count is exact as long as
different inputs give different outputs; a stage behind one that was not run may turn out to have fewer steps, never
more.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from workbench.core import JobStopped, Usage
from workbench.experiments import STAGE as JUDGING, Batch, Cell, CellResult, RunChain, Runner
from workbench.models import BuiltinTranslator, PriceTable
from workbench.optimise.question_split import HOLDOUT
from workbench.optimise.strategies.strategy_catalogue import DEFAULT_STRATEGY, strategy_facts
from workbench.pipeline import PASS, BoundStage, Executor, ExtractiveReader, State, StepKeys, StepOutcome

CALLING = frozenset({"generate", "expand query", "compress", JUDGING})
"""The stages that ask a generator; a step of theirs counts as one call, whether it needs one prompt or several."""
FIRST_CALLS = 4
"""Calls that go first while it is not known what one takes."""

ModelOf = Callable[[BoundStage], str]
"""The name in the price table of the model that a stage calls, "" where it has none."""


class CapReached(JobStopped):
    """The next steps would exceed the cap; the message is a sentence."""


class Cap(BaseModel):
    """The most that a search may spend over all its processes, None for no limit.

    `calls` counts steps of CALLING; `money` is in the currency of the price table; `seconds` are those of work.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    money: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class SearchOptions(BaseModel):
    """How a space is searched: the strategy, the most recipes that it may measure, and the cap.

    `holdout` is the share of the groups of questions that the strategy does not see.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: str = DEFAULT_STRATEGY
    trials: int | None = Field(default=None, ge=1)
    holdout: float = Field(default=HOLDOUT, ge=0, lt=1, allow_inf_nan=False)
    cap: Cap = Cap()

    @field_validator("strategy")
    @classmethod
    def _known_strategy(cls, name: str) -> str:
        return strategy_facts(name).name


@dataclass(frozen=True, slots=True)
class Spent:
    """What a search has spent: steps run by stage, and the tokens, seconds and money that they took.

    `unpriced` counts calls that used tokens of a model without a price.
    """

    steps: Mapping[str, int] = field(default_factory=dict)
    tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0
    unpriced: int = 0

    @property
    def calls(self) -> int:
        """The steps that asked a generator."""
        return sum(number for name, number in self.steps.items() if name in CALLING)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "steps": dict(self.steps), "calls": self.calls}


def spent_from_json(values: Mapping[str, Any]) -> Spent:
    """What `Spent.to_json` gave."""
    return Spent(**{name: values[name] for name in Spent.__dataclass_fields__ if name in values})


@dataclass(slots=True)
class CallTotals:
    """What the calls of one generator in one stage took."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


class SpendingGuard:
    """Implements `executor.StepGuard`. `before` is what earlier processes of the search have spent."""

    def __init__(self, cap: Cap, prices: PriceTable, model_of: ModelOf, before: Spent | None = None) -> None:
        self._cap, self._prices, self._model_of = cap, prices, model_of
        self._before = before or Spent()
        self._steps = Counter(self._before.steps)
        self._tokens, self._money, self._unpriced = self._before.tokens, self._before.money, self._before.unpriced
        self._most: dict[str, list[float]] = {}
        self.by_generator: dict[str, CallTotals] = {}
        """What calls took, by the identity of the stage, in this process."""
        self._began = time.monotonic()

    @property
    def spent(self) -> Spent:
        """What was spent up to now, over all processes."""
        seconds = self._before.seconds + time.monotonic() - self._began
        return Spent(dict(self._steps), self._tokens, seconds, self._money, self._unpriced)

    def allow(self, stage: BoundStage, states: Sequence[State]) -> int:
        """How many steps the cap covers, at least 1. Raises CapReached where it covers none."""
        number, spent = len(states), self.spent
        most = self._most.get(stage.identity)
        tokens, money, seconds = most or (0.0, 0.0, 0.0)
        calls = stage.name in CALLING
        limited = (self._cap.tokens is not None or self._cap.money is not None) and calls
        if most is None and (limited or self._cap.seconds is not None):
            number = min(number, FIRST_CALLS)
        for now, each, limit, words in (
            (spent.calls, 1.0 if calls else 0.0, self._cap.calls, "calls of a generator"),
            (spent.tokens, tokens, self._cap.tokens, "tokens"),
            (spent.seconds, seconds, self._cap.seconds, "seconds"),
            (spent.money, money, self._cap.money, self._prices.currency),
        ):
            if limit is None:
                continue
            room = limit - now
            covered = number if not each and room > 0 else int(room // each) if each else 0
            if covered < 1:
                raise CapReached(
                    f"The search stopped before it would exceed its limit of {limit:,g} {words}: {now:,.6g} spent. "
                    "What was measured is kept."
                )
            number = min(number, covered)
        return number

    def ran(self, stage: BoundStage, states: Sequence[State], seconds: float) -> None:
        """Counts steps that were run."""
        self._steps[stage.name] += len(states)
        most = self._most.setdefault(stage.identity, [0.0, 0.0, 0.0])
        most[2] = max(most[2], seconds / max(len(states), 1))
        if stage.name not in CALLING:
            return
        totals = self.by_generator.setdefault(stage.identity, CallTotals())
        totals.calls += len(states)
        for state in states:
            usage = usage_in(stage, state)
            if usage is None:
                continue
            tokens = usage.prompt_tokens + usage.completion_tokens
            priced = self._prices.priced(self._model_of(stage), usage)
            money = priced.cost if priced is not None else 0.0
            self._unpriced += priced is None and tokens > 0
            self._tokens += tokens
            self._money += money
            totals.tokens += tokens
            totals.money += money
            most[0], most[1] = max(most[0], tokens), max(most[1], money)


def usage_in(stage: BoundStage, state: State) -> Usage | None:
    """What a step of a stage used, None where nothing was counted."""
    for name in stage.stage.adds:
        usage = getattr(getattr(state, name), "usage", None)
        if isinstance(usage, Usage):
            return usage
    return None


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
