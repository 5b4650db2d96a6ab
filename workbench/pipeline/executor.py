"""The executor: runs stages over a batch of states, with the step cache, counts and timing around each.

A step's key is the fingerprint of the stage's identity and of the fields that it reads, by content: equal steps run
once, and recipes that share a step share its result. A failure is never cached: it is raised, or it fails its state
alone and is remembered for as long as the executor lives.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from json.encoder import encode_basestring, encode_basestring_ascii
from math import isfinite
from threading import Event
from types import NoneType
from typing import Any, Literal, NamedTuple, NotRequired, Protocol, get_type_hints

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from workbench.core import Step, WorkbenchError, check_stop, fingerprint, stopping_with
from workbench.pipeline.stage import BoundStage, Chain, Stage, State, bind

SECONDS, DIGESTS = "seconds", "digests"


class StepKeys:
    """Computes the keys of steps. It keeps every value that it has digested, so one serves a batch and is dropped."""

    def __init__(self) -> None:
        self._digests: dict[int, tuple[object, str]] = {}

    def key(self, stage: BoundStage, state: State) -> str:
        """The step's key, 16 hexadecimal digits: the same for equal work on equal input."""
        inputs = [f"{name} {self.digest(getattr(state, name))}" for name in stage.stage.reads]
        return fingerprint("step", [stage.name, stage.identity, *inputs])

    def remember(self, value: object, digest: str) -> None:
        """Takes what `digest` returned for an equal value, which need not be computed then."""
        self._digests[id(value)] = (value, digest)

    def digest(self, value: object) -> str:
        """Short text that is the same for equal values. Raises TypeError for one of a type that no state has."""
        # An answer has hundreds of texts and scores; making a JSON encoder for each took half of it from the cache.
        if type(value) is str:
            return encode_basestring(value)
        if type(value) is int or (type(value) is float and isfinite(value)):
            return repr(value)
        if value is None or isinstance(value, str | int | float):
            return json.dumps(value, ensure_ascii=False)
        entry = self._digests.get(id(value))
        if entry is None:
            digest = hashlib.sha256(self._spelling(value).encode("utf-8", "surrogatepass")).hexdigest()
            # The value is kept with its digest: while it lives, no other can have its id.
            entry = self._digests[id(value)] = (value, digest)
        return entry[1]

    def _spelling(self, value: object) -> str:
        if isinstance(value, Mapping):
            inside = [f"{encode_basestring_ascii(name)}:{self.digest(value[name])}" for name in sorted(value)]
        elif isinstance(value, tuple | list):
            inside = [self.digest(item) for item in value]
        elif is_dataclass(value) and not isinstance(value, type):
            inside = [self.digest(getattr(value, name)) for name in _names(type(value))]
        else:
            raise TypeError(f"A stage reads a {type(value).__name__}, which has no fingerprint.")
        return f"{type(value).__name__}({','.join(inside)})"


def added_fields(stage: Stage, state: State) -> dict[str, Any]:
    """The fields that the stage set of a finished state, by name."""
    return {name: getattr(state, name) for name in stage.adds}


def pack(stage: Stage, state: State, seconds: float, keys: StepKeys) -> bytes:
    """The fields that the stage set, as JSON, with the seconds that it took, and their digests for further keys."""
    added = added_fields(stage, state)
    digests = {name: keys.digest(value) for name, value in added.items() if not isinstance(value, str | NoneType)}
    return _shape(tuple(stage.adds)).dump_json({**added, SECONDS: seconds, DIGESTS: digests})


def unpack(stage: Stage, output: bytes, keys: StepKeys) -> tuple[dict[str, Any], float]:
    """The fields that `pack` was given, by name, and the seconds; `keys` remember the digests."""
    added = _shape(tuple(stage.adds)).validate_json(output)
    for name, digest in added.pop(DIGESTS, {}).items():
        keys.remember(added[name], digest)
    return added, added.pop(SECONDS, 0.0)


def is_complete(state: State) -> bool:
    """Whether a stage's output may be cached: an answer that a person stopped may not."""
    return state.generation is None or state.generation.finish != "stopped"


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


@cache
def _shape(adds: tuple[str, ...]) -> TypeAdapter[Any]:
    hints = get_type_hints(State)
    added: Any = TypedDict  # called with fields that only running code knows, which a type checker cannot follow
    kept = {SECONDS: NotRequired[float], DIGESTS: NotRequired[dict[str, str]]}
    return TypeAdapter(added("Added", {**{name: hints[name] for name in adds}, **kept}))


STEPS_AT_ONCE = 64
"""Steps that a stage is given at once, and that are stored in one transaction."""
FAILURES_LIMIT = 50_000
"""Failures that an executor remembers."""

OnError = Literal["raise", "isolate"]
OnStep = Callable[[str, int, int], None]
"""Called before each stage with its name, its number from 1, and the number of stages."""


class Cache(Protocol):
    """Bytes by key; see `workspace.cache`."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The outputs that are cached, by key."""

    def put(self, stage: str, outputs: dict[str, bytes], corpus: str = "") -> None:
        """Stores the outputs of a stage by key; `corpus` is the name of the one that was searched."""

    def drop(self, keys: Sequence[str]) -> None:
        """Drops the outputs of these keys."""


class NoCache:
    """Implements `Cache` and remembers nothing."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Nothing, for any key."""
        return {}

    def put(self, stage: str, outputs: dict[str, bytes], corpus: str = "") -> None:
        """Drops the outputs."""

    def drop(self, keys: Sequence[str]) -> None:
        """Does nothing: there are no outputs."""


class StepGuard(Protocol):
    """Watches the steps that are run, and may end the work before more are: a cap on what it may cost."""

    def allow(self, stage: BoundStage, states: Sequence[State]) -> int:
        """How many of some steps may be run now, at least 1. What it raises ends the work before they are run."""

    def ran(self, stage: BoundStage, states: Sequence[State], seconds: float) -> None:
        """Steps were run: their finished states, and the seconds of all of them."""


@dataclass
class StepCounts:
    """Distinct steps by stage: those run, with their seconds, those read from the cache, and those that failed."""

    ran: Counter[str] = field(default_factory=Counter)
    from_cache: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))


class StepOutcome(NamedTuple):
    """A state after one step, or, where `failure` gives a reason, the state before it.

    `seconds` are those of the run that made the output, whenever that was; `elapsed` is this step's share of the batch
    on the clock. `key` is the step's.
    """

    state: State
    seconds: float = 0.0
    elapsed: float = 0.0
    cached: bool = False
    failure: str = ""
    key: str = ""

    @classmethod
    def of(cls, stage: Stage, before: State, result: State | WorkbenchError, share: float) -> StepOutcome:
        """The outcome of a step that was run; `share` is its part of the seconds of a batch.

        A call's own seconds count where the stage reports them: calls that are made in parallel take longer.
        """
        if isinstance(result, WorkbenchError):
            return cls(before, failure=str(result) or type(result).__name__)
        usage = stage.usage(result)
        return cls(result, usage.seconds if usage and usage.seconds else share)


class StageRunner(Protocol):
    """Runs stages so that each state fails by itself; in which process is its own affair."""

    def run(self, stage: BoundStage, states: Sequence[State]) -> Sequence[StepOutcome]:
        """What the stage makes of each state, in order; where the work shall stop, it ends as soon as it can.

        Raises JobStopped, and WorkbenchError where it can run nothing at all.
        """


class InThisProcess:
    """Implements `StageRunner` where it is called."""

    def run(self, stage: BoundStage, states: Sequence[State]) -> Sequence[StepOutcome]:
        """What the stage makes of each state, in order. Raises JobStopped."""
        began = time.perf_counter()
        results = stage.stage.run_each(states)
        share = (time.perf_counter() - began) / max(len(states), 1)
        return [StepOutcome.of(stage.stage, *pair, share) for pair in zip(states, results, strict=True)]


@dataclass(frozen=True, slots=True)
class TracedState:
    """A finished state and its steps in order; one that failed has the `failure` and the steps before it."""

    state: State
    steps: tuple[Step, ...] = ()
    failure: str = ""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its steps."""
        return frozenset(step.key for step in self.steps if step.key)


def ignore_progress(_name: str, _number: int, _count: int) -> None:
    """An OnStep that does nothing."""


@dataclass
class Executor:
    """Runs stages. `on_error`: "raise" passes on what a stage raises; "isolate" makes each state fail by itself.

    `on_key` is called with the stage's name and the key of each distinct step of a batch. Once `stop` is set, calls of
    language models end, no more steps begin and JobStopped is raised. `guard` is consulted before steps are run.
    `on_states` is called after each stage of a batch with its name and the states. `runner` runs the stages of states
    whose failures are isolated.
    """

    cache: Cache = field(default_factory=NoCache)
    on_error: OnError = "raise"
    stop: Event = field(default_factory=Event)
    on_key: Callable[[str, str], None] | None = None
    guard: StepGuard | None = None
    on_states: Callable[[str, Sequence[State]], None] | None = None
    counts: StepCounts = field(default_factory=StepCounts)
    runner: StageRunner = field(default_factory=InThisProcess)
    _failures: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def run(self, chain: Chain, states: Sequence[State], on_step: OnStep = ignore_progress) -> list[TracedState]:
        """Every state after the chain, which is run a stage at a time over the complete batch.

        Raises what a stage raises, unless failures are isolated; JobStopped.
        """
        return self.advance(bind(chain.stages, chain.corpus), [TracedState(state) for state in states], on_step)

    def advance(
        self, stages: Sequence[BoundStage], before: Sequence[TracedState], on_step: OnStep = ignore_progress
    ) -> list[TracedState]:
        """States after further stages; one that has failed stays as it is. Raises as `run` does."""
        traced, keys = list(before), StepKeys()
        for number, stage in enumerate(stages, start=1):
            on_step(stage.name, number, len(stages))
            unfailed = [index for index, row in enumerate(traced) if not row.failure]
            outcomes = self.step(stage, [traced[index].state for index in unfailed], keys)
            for index, outcome in zip(unfailed, outcomes, strict=True):
                traced[index] = _after(traced[index], stage, outcome)
            if self.on_states:
                self.on_states(stage.name, [row.state for row in traced])
        return traced

    def step(self, stage: BoundStage, states: Sequence[State], keys: StepKeys | None = None) -> list[StepOutcome]:
        """What one stage makes of each state, in order. `keys` may serve all stages of a batch.

        Raises what the stage raises, unless failures are isolated; JobStopped.
        """
        began = time.perf_counter()
        keys = keys or StepKeys()
        # Cells that came the same way hold the very same state: its key is computed, and its output merged, once.
        distinct = {id(state): state for state in states}
        key_of = {state_id: keys.key(stage, state) for state_id, state in distinct.items()}
        inputs = {key: distinct[state_id] for state_id, key in key_of.items()}
        if self.on_key:
            for key in inputs:
                self.on_key(stage.name, key)
        by_key = self._remembered(stage, inputs, keys)
        missing = [(key, state) for key, state in inputs.items() if key not in by_key]
        looked_up = time.perf_counter()
        start = 0
        while start < len(missing):
            some = missing[start : start + STEPS_AT_ONCE]
            number = self.guard.allow(stage, [state for _, state in some]) if self.guard else len(some)
            by_key.update(self._run(stage, dict(some[:number]), keys))
            start += number
        lookup = (looked_up - began) / max(len(states), 1)
        work = (time.perf_counter() - looked_up) / max(len(missing), 1)
        outcomes: dict[int, StepOutcome] = {}
        for state_id, state in distinct.items():
            outcome = by_key[key_of[state_id]]
            elapsed = lookup if outcome.cached else lookup + work
            after = outcome.state
            if inputs[key_of[state_id]] is not state:  # an equal one was run
                after = state if outcome.failure else replace(state, **added_fields(stage.stage, after))
            outcomes[state_id] = outcome._replace(state=after, elapsed=elapsed, key=key_of[state_id])
        return [outcomes[id(state)] for state in states]

    def _remembered(self, stage: BoundStage, inputs: dict[str, State], keys: StepKeys) -> dict[str, StepOutcome]:
        """What failed before and what is cached, by key."""
        by_key = {
            key: StepOutcome(state, failure=self._failures[key])
            for key, state in inputs.items()
            if key in self._failures
        }
        stored = self.cache.get([key for key in inputs if key not in by_key]) if stage.stage.cacheable else {}
        damaged: list[str] = []
        for key, output in stored.items():
            try:
                added, seconds = unpack(stage.stage, output, keys)
                by_key[key] = StepOutcome(replace(inputs[key], **added), seconds, cached=True)
            except ValueError:  # not JSON, or not of this shape
                damaged.append(key)
        self.cache.drop(damaged)
        self.counts.from_cache[stage.name] += len(stored) - len(damaged)
        return by_key

    def _run(self, stage: BoundStage, inputs: dict[str, State], keys: StepKeys) -> dict[str, StepOutcome]:
        with stopping_with(self.stop):
            check_stop()
            began = time.perf_counter()
            by_key = dict(zip(inputs, self._ran(stage, list(inputs.values())), strict=True))
            elapsed = time.perf_counter() - began
            finished = {key: item for key, item in by_key.items() if not item.failure}
            if self.guard:
                self.guard.ran(stage, [item.state for item in finished.values()], elapsed)
            for _ in finished:
                self.counts.ran[stage.name] += 1
                # On the clock, as forecasts are made of it: stages that run elsewhere run side by side.
                self.counts.seconds[stage.name] += elapsed / len(inputs)
            if stage.stage.cacheable and not isinstance(self.cache, NoCache):
                complete = {key: item for key, item in finished.items() if is_complete(item.state)}
                packed = {key: pack(stage.stage, item.state, item.seconds, keys) for key, item in complete.items()}
                self.cache.put(stage.name, packed, stage.corpus)
            # What failed because it was stopped has not failed.
            check_stop()
            for key, item in by_key.items():
                if item.failure:
                    self.counts.failed[stage.name] += 1
                    if len(self._failures) < FAILURES_LIMIT:
                        self._failures[key] = item.failure
            return by_key

    def _ran(self, stage: BoundStage, states: Sequence[State]) -> Sequence[StepOutcome]:
        """What a stage makes of states. Raises what it raises, unless failures are isolated; JobStopped."""
        if self.on_error == "isolate":
            return self.runner.run(stage, states)
        began = time.perf_counter()
        try:
            results = stage.stage.run(states)
        except WorkbenchError:
            check_stop()
            raise
        # A stage leaves out what it could not translate, so what it returns after a stop may lack a part.
        check_stop()
        share = (time.perf_counter() - began) / len(states)
        return [StepOutcome.of(stage.stage, *pair, share) for pair in zip(states, results, strict=True)]


def _after(before: TracedState, stage: BoundStage, outcome: StepOutcome) -> TracedState:
    if outcome.failure:
        return replace(before, failure=outcome.failure)
    facts = dict(stage.stage.facts(outcome.state))
    step = Step(stage.name, stage.identity, outcome.elapsed, outcome.cached, facts, outcome.key)
    return TracedState(outcome.state, (*before.steps, step))
