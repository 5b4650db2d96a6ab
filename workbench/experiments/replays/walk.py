"""A chain followed a step at a time, with the key of each step: equal keys are equal work on equal input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import Step
from workbench.experiments.replays.retrace import CachedOnly
from workbench.pipeline import BoundStage, Cache, Executor, OnStep, State, StepKeys, ignore_progress


@dataclass(frozen=True, slots=True)
class WalkedStep:
    """One step: its `key` is "" for a step that was skipped. `stored`: its output can be read from the cache."""

    key: str
    step: Step
    stored: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """A state with the steps that led to it; where `failure` gives a reason, the state before the step that failed."""

    state: State
    steps: tuple[WalkedStep, ...] = ()
    failure: str = ""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its steps."""
        return frozenset(item.key for item in self.steps if item.key)


def walk(
    executor: Executor, stages: Sequence[BoundStage], walks: Sequence[Walk], on_step: OnStep = ignore_progress
) -> list[Walk]:
    """Every walk after these stages, a stage at a time over all of them; one that has failed stays as it is.

    The executor isolates failures. Raises JobStopped where it is stopped.
    """
    after, keys = list(walks), StepKeys()
    for number, stage in enumerate(stages, start=1):
        on_step(stage.name, number, len(stages))
        going = [place for place, item in enumerate(after) if not item.failure]
        states = [after[place].state for place in going]
        numbers = [keys.key(stage, state) for state in states]
        outcomes = executor.step(stage, states, keys)
        for place, key, outcome in zip(going, numbers, outcomes, strict=True):
            if outcome.failure:
                after[place] = replace(after[place], failure=outcome.failure)
                continue
            facts = dict(stage.stage.facts(outcome.state))
            step = Step(stage.name, stage.identity, outcome.elapsed, outcome.cached, facts)
            walked = WalkedStep(key, step, stage.stage.cacheable)
            after[place] = Walk(outcome.state, (*after[place].steps, walked))
    return after


def read_only(cache: Cache, stages: Sequence[BoundStage], state: State) -> Walk:
    """The walk as far as the cache has it. What can be cached is never computed, so nothing is sent."""
    guarded = [
        BoundStage(CachedOnly(item.stage), item.name, item.identity) if item.stage.cacheable else item
        for item in stages
    ]
    (reading,) = walk(Executor(cache, on_error="isolate"), guarded, [Walk(state)])
    return reading


def walk_unused_search(
    executor: Executor,
    search: Sequence[BoundStage],
    later: Sequence[BoundStage],
    walks: Sequence[Walk],
    stored_keys: frozenset[str],
) -> list[Walk]:
    """Walks through a search whose documents are not used, since others are read in their place.

    What a `later` stage reads besides the documents is run (the question's translation). Of the rest, steps of the
    stored answer are read from the cache, so that their rankings are available; all others are skipped.
    """
    after = list(walks)
    for stage, is_needed in zip(search, _needed(search, later), strict=True):
        if is_needed:
            after = walk(executor, [stage], after)
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


def _read_or_skipped(cache: Cache, stage: BoundStage, before: Walk, stored_keys: frozenset[str]) -> Walk:
    if before.failure:
        return before
    reading = read_only(cache, [stage], before.state)
    if not reading.failure and reading.keys <= stored_keys:
        return Walk(reading.state, (*before.steps, *reading.steps))
    skipped = WalkedStep("", Step(stage.name, stage.identity, 0.0, cached=False), stored=False)
    return replace(before, steps=(*before.steps, skipped))
