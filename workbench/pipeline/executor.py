"""The engine: runs a chain over a batch, with timing, the trace and the step cache around every stage.

Recipes that share a step share its result (see `steps`). What a stage raises is never cached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from workbench.pipeline.stage import Chain, Stage
from workbench.pipeline.state import State
from workbench.pipeline.step_keys import StepKeys, is_cacheable, merge, pack, unpack
from workbench.records import Step

OnStep = Callable[[str, int, int], None]
"""Called before each stage with its name, its number from 1, and how many there are."""


class Cache(Protocol):
    """Bytes by key; see storage.cache."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]: ...

    def put(self, stage: str, outputs: dict[str, bytes]) -> None: ...


class NoCache:
    """Remembers nothing."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {}

    def put(self, stage: str, outputs: dict[str, bytes]) -> None:
        return None


@dataclass(frozen=True, slots=True)
class TracedState:
    """A finished state and its steps in order."""

    state: State
    steps: tuple[Step, ...]


def ignore_progress(_name: str, _number: int, _count: int) -> None:
    """An OnStep that nobody watches."""


def run(chain: Chain, states: Sequence[State], cache: Cache, on_step: OnStep = ignore_progress) -> list[TracedState]:
    """Runs every state through the chain, a stage at a time over the whole batch.

    Equal steps within the batch run once. Raises what a stage raises.
    """
    current = list(states)
    steps: list[list[Step]] = [[] for _ in current]
    names = StepKeys()
    for number, stage in enumerate(chain.stages, start=1):
        on_step(stage.name, number, len(chain.stages))
        current, made = _run_stage(stage, current, cache, names)
        for collected, step in zip(steps, made, strict=True):
            collected.append(step)
    return [TracedState(state, tuple(collected)) for state, collected in zip(current, steps, strict=True)]


def _run_stage(stage: Stage, states: Sequence[State], cache: Cache, names: StepKeys) -> tuple[list[State], list[Step]]:
    began = time.perf_counter()
    keys = [names.key(stage, state) for state in states]
    known = cache.get(list(dict.fromkeys(keys)))
    missing = {key: state for key, state in zip(keys, states, strict=True) if key not in known}
    looked = time.perf_counter()
    fresh: dict[str, State] = {}
    if missing:
        fresh = dict(zip(missing, stage.run(list(missing.values())), strict=True))
        each = (time.perf_counter() - looked) / len(fresh)
        cache.put(stage.name, {key: pack(stage, state, each) for key, state in fresh.items() if is_cacheable(state)})
    ended = time.perf_counter()
    lookup = (looked - began) / max(len(states), 1)
    work = (ended - looked) / max(len(fresh), 1)
    done: list[State] = []
    steps: list[Step] = []
    for key, state in zip(keys, states, strict=True):
        cached = key not in fresh
        done.append(replace(state, **unpack(stage, known[key])[0]) if cached else merge(stage, state, fresh[key]))
        steps.append(
            Step(
                name=stage.name,
                component=stage.identity,
                seconds=lookup if cached else lookup + work,
                cached=cached,
                facts=dict(stage.facts(done[-1])),
            )
        )
    return done, steps
