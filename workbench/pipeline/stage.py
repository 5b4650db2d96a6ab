"""The stages: what each reads of a state, what it adds, and nothing of storage or screens.

Contract. A stage has a `name`, an `identity` (the component's, plus the stage's own parameters), the fields it
`reads` and those it `adds`. `run` takes a sequence of states and returns as many, in order, each changed in the added
fields only. What it raises ends the batch. `facts` tells, in pairs of words, what is worth showing of a finished state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.pipeline.state import State

Facts = tuple[tuple[str, str], ...]


class Stage(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    @property
    def adds(self) -> tuple[str, ...]: ...

    def run(self, states: Sequence[State]) -> list[State]: ...

    def facts(self, state: State) -> Facts: ...


@dataclass(frozen=True)
class Chain:
    """Stages one after another; itself a stage."""

    stages: tuple[Stage, ...]
    name: str = "chain"

    @property
    def identity(self) -> str:
        return " → ".join(f"{stage.name}: {stage.identity}" for stage in self.stages)

    @property
    def reads(self) -> tuple[str, ...]:
        added: set[str] = set()
        needed: list[str] = []
        for stage in self.stages:
            needed.extend(field for field in stage.reads if field not in added and field not in needed)
            added.update(stage.adds)
        return tuple(needed)

    @property
    def adds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(field for stage in self.stages for field in stage.adds))

    def run(self, states: Sequence[State]) -> list[State]:
        current = list(states)
        for stage in self.stages:
            current = stage.run(current)
        return current

    def facts(self, state: State) -> Facts:
        return tuple(fact for stage in self.stages for fact in stage.facts(state))
