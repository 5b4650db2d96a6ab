"""Steps of many cells at once, each distinct one run once: the heart of an experiment.

A thread is one cell on its way through its chain. All threads that wait for one stage are taken together; those whose
step has the same key share one run of it. A batch that fails is run again one by one, so that cells fail one by one.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

from workbench.errors import WorkbenchError, shorten
from workbench.pipeline.executor import Cache
from workbench.pipeline.stage import Stage
from workbench.pipeline.stages import Generate
from workbench.pipeline.state import State
from workbench.pipeline.step_keys import StepKeys, is_cacheable, merge, pack, unpack
from workbench.records import Generation
from workbench.storage.batched import batched

ORDER = (
    "translate question",
    "retrieve",
    "rerank",
    "perturb",
    "translate passages",
    "compose",
    "generate",
    "parse sections",
    "translate answer",
    "detect language",
    "judge",
)
"""Stages in the order in which every chain has those that it has; judging is in none, and comes after all."""
QUICK = frozenset({"compose"})
"""Stages that are done again sooner than they are read from a database, and whose outputs are large."""
STEPS_AT_ONCE = 64
"""Steps that a stage is given at once, and that are stored in one transaction."""
FAILURES_KEPT = 50_000


class StoppedError(Exception):
    """Somebody asked the job to stop; what was finished is stored."""


@dataclass(frozen=True, slots=True)
class BoundStage:
    """A stage of a chain with its identity, which costs more to ask for than to keep."""

    stage: Stage
    name: str
    identity: str


@dataclass(slots=True)
class Cell:
    """One cell on its way: `run` and `question` number it, `at` counts the stages that are behind it."""

    run: int
    question: int
    links: Sequence[BoundStage]
    state: State
    at: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def waits_for(self) -> str:
        """The name of the next stage, "" where the thread has ended."""
        return self.links[self.at].name if not self.error and self.at < len(self.links) else ""


@dataclass
class StepCounts:
    """Steps by stage: those that were run, those that were found in the cache, those that failed."""

    run: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def bind(stages: Iterable[Stage]) -> tuple[BoundStage, ...]:
    """The stages of a chain, ready to be walked."""
    return tuple(BoundStage(stage, stage.name, stage.identity) for stage in stages)


@dataclass
class Sharing:
    """Walks threads through their stages. `failures` remembers by key what failed, so that a later phase of the same
    job does not try it again; `on_key` sees each distinct step of a batch.
    """

    cache: Cache
    stop: Event = field(default_factory=Event)
    tally: StepCounts = field(default_factory=StepCounts)
    failures: dict[str, str] = field(default_factory=dict)
    on_key: Callable[[str, str], None] | None = None

    def walk(self, threads: Sequence[Cell], last: str) -> None:
        """Takes every thread up to and through the stage called `last`. Raises StoppedError."""
        keys = StepKeys()
        for name in ORDER[: ORDER.index(last) + 1]:
            waiting: dict[str, list[Cell]] = {}
            for thread in threads:
                if thread.waits_for == name:
                    waiting.setdefault(thread.links[thread.at].identity, []).append(thread)
            for together in waiting.values():
                self._step(together, keys)

    def made(self, stage: Stage, states: Sequence[State]) -> list[State | str]:
        """What one stage makes of states, in order, or why it failed; equal steps run once. Raises StoppedError."""
        names = StepKeys()
        keys = [names.key(stage, state) for state in states]
        asked = dict(zip(keys, states, strict=True))
        if self.on_key:
            for key in asked:
                self.on_key(stage.name, key)
        outputs = self._outputs(stage, stage.name, asked)
        return [output if isinstance(output := outputs[key], str) else output[0] for key in keys]

    def _step(self, threads: Sequence[Cell], keys: StepKeys) -> None:
        stage, name = threads[0].links[threads[0].at].stage, threads[0].waits_for
        # Threads that came the same way hold the very same state: its key is made, and its output merged, once.
        states = {id(thread.state): thread.state for thread in threads}
        named = {place: keys.key(stage, state) for place, state in states.items()}
        asked = {key: states[place] for place, key in named.items()}
        if self.on_key:
            for key in asked:
                self.on_key(name, key)
        outputs = self._outputs(stage, name, asked)
        after: dict[int, tuple[State, float]] = {}
        for place, key in named.items():
            if not isinstance(output := outputs[key], str):
                made, seconds = output
                after[place] = (merge(stage, states[place], made), seconds)
        for thread in threads:
            place = id(thread.state)
            if place in after:
                thread.state, seconds = after[place]
                thread.seconds += seconds
                thread.at += 1
            else:
                failed = outputs[named[place]]
                thread.error = failed if isinstance(failed, str) else ""

    def _outputs(self, stage: Stage, name: str, asked: dict[str, State]) -> dict[str, tuple[State, float] | str]:
        """By key: the finished state and its seconds, or why it failed."""
        outputs: dict[str, tuple[State, float] | str] = {}
        known = {} if name in QUICK else self.cache.get(list(asked))
        for key, stored in known.items():
            added, seconds = unpack(stage, stored)
            outputs[key] = (replace(asked[key], **added), seconds)
        self.tally.found[name] += len(known)
        missing: list[tuple[str, State]] = []
        for key, state in asked.items():
            if key in self.failures:
                outputs[key] = self.failures[key]
            elif key not in known:
                missing.append((key, state))
        for some in batched(missing, STEPS_AT_ONCE):
            outputs.update(self._run(stage, name, dict(some)))
        return outputs

    def _run(self, stage: Stage, name: str, asked: dict[str, State]) -> dict[str, tuple[State, float] | str]:
        if self.stop.is_set():
            raise StoppedError
        began = time.perf_counter()
        made = attempt(stage, list(asked.values()), self.stop)
        each = (time.perf_counter() - began) / len(made)
        outputs: dict[str, tuple[State, float] | str] = {}
        keep: dict[str, bytes] = {}
        for key, given in zip(asked, made, strict=True):
            if isinstance(given, WorkbenchError):
                outputs[key] = str(given) or type(given).__name__
                continue
            seconds = _seconds(stage, given, each)
            outputs[key] = (given, seconds)
            self.tally.run[name] += 1
            self.tally.seconds[name] += each
            if name not in QUICK and is_cacheable(given):
                keep[key] = pack(stage, given, seconds)
        self.cache.put(name, keep)
        if self.stop.is_set():
            # What failed because it was stopped has not failed.
            raise StoppedError
        for key, output in outputs.items():
            if isinstance(output, str):
                self.tally.failed[name] += 1
                if len(self.failures) < FAILURES_KEPT:
                    self.failures[key] = output
        return outputs


def attempt(stage: Stage, states: Sequence[State], stop: Event) -> list[State | WorkbenchError]:
    """One finished state or failure a state, in order."""
    if isinstance(stage, Generate) and (each := getattr(stage.generator, "attempt", None)):
        made: list[Generation | WorkbenchError] = each([state.prompt for state in states if state.prompt], stop)
        return [
            given if isinstance(given, WorkbenchError) else replace(state, generation=given, answer=given.text)
            for state, given in zip(states, made, strict=True)
        ]
    try:
        return list(stage.run(states))
    except Exception as error:
        if len(states) == 1:
            return [_reason(error)]
    found: list[State | WorkbenchError] = []
    for state in states:
        if stop.is_set():
            raise StoppedError
        try:
            found += stage.run([state])
        except Exception as error:
            found.append(_reason(error))
    return found


def _reason(error: Exception) -> WorkbenchError:
    """Why a cell failed. What a library raises fails its cell as well, not the other hundred thousand."""
    return (
        error if isinstance(error, WorkbenchError) else WorkbenchError(f"{type(error).__name__}: {shorten(error, 200)}")
    )


def _seconds(stage: Stage, state: State, share: float) -> float:
    """A call's own time where the generator tells it: calls that run side by side each take longer than their share."""
    usage = state.generation.usage if isinstance(stage, Generate) and state.generation else None
    return usage.seconds if usage and usage.seconds else share
