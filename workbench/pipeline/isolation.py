"""Running a stage so that each state fails by itself, here or elsewhere, and the seconds that each took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event
from typing import NamedTuple, Protocol

from workbench.core import Generation, IsolatingGenerator, WorkbenchError, shorten
from workbench.pipeline.stage import BoundStage, Stage
from workbench.pipeline.stages.answering import Generate, with_generation
from workbench.pipeline.stages.calling import CallingStage
from workbench.pipeline.state import State
from workbench.workspace import JobStopped


class RanState(NamedTuple):
    """What a stage made of a state, or why it failed, and the state's share of the seconds that it took."""

    result: State | WorkbenchError
    seconds: float


class StageRunner(Protocol):
    """Runs stages so that each state fails by itself; in which process is its own affair."""

    def run(self, stage: BoundStage, states: Sequence[State], stop: Event) -> Sequence[RanState]:
        """What the stage makes of each state, in order; once `stop` is set, it ends as soon as it can.

        Raises JobStopped, and WorkbenchError where it can run nothing at all.
        """


class InThisProcess:
    """Implements `StageRunner` where it is called."""

    def run(self, stage: BoundStage, states: Sequence[State], stop: Event) -> Sequence[RanState]:
        """What the stage makes of each state, in order. Raises JobStopped."""
        began = time.perf_counter()
        results = run_isolated(stage.stage, states, stop)
        seconds = (time.perf_counter() - began) / max(len(states), 1)
        return [RanState(result, seconds) for result in results]


def run_isolated(stage: Stage, states: Sequence[State], stop: Event) -> list[State | WorkbenchError]:
    """One finished state or failure per state, in order. A batch that fails is run again one by one.

    Raises JobStopped where `stop` is set between two states.
    """
    if isinstance(stage, Generate) and isinstance(stage.generator, IsolatingGenerator):
        prompts = [state.prompt for state in states if state.prompt]
        generations = iter(stage.generator.attempt(prompts, stop) if prompts else ())
        results: list[State | WorkbenchError] = []
        for state in states:
            item = next(generations) if state.prompt else Generation("")
            results.append(item if isinstance(item, WorkbenchError) else with_generation(state, item))
        return results
    if isinstance(stage, CallingStage):
        return stage.run_each(states, stop)
    try:
        return list(stage.run(states))
    except Exception as error:
        if len(states) == 1:
            return [_failure(error)]
    one_by_one: list[State | WorkbenchError] = []
    for state in states:
        if stop.is_set():
            raise JobStopped
        try:
            one_by_one += stage.run([state])
        except Exception as error:
            one_by_one.append(_failure(error))
    return one_by_one


def seconds_of(stage: Stage, state: State, share: float) -> float:
    """A call's seconds where the generator reports them, its share of the batch otherwise.

    Calls that are made in parallel take longer than their share.
    """
    usage = stage.usage(state) if isinstance(stage, CallingStage) else None
    if isinstance(stage, Generate) and state.generation:
        usage = state.generation.usage
    return usage.seconds if usage and usage.seconds else share


def _failure(error: Exception) -> WorkbenchError:
    """Why a state failed. What a library raises fails its state as well, not the other hundred thousand."""
    return (
        error if isinstance(error, WorkbenchError) else WorkbenchError(f"{type(error).__name__}: {shorten(error, 200)}")
    )
