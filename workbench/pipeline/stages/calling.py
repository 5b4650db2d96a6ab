"""What stages that call models state of it; of language models besides the generator, failures and tokens too."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Protocol, runtime_checkable

from workbench.core import Usage, WorkbenchError
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State


@runtime_checkable
class CallingStage(Protocol):
    """A stage whose states fail one by one, and which counts the tokens of its calls."""

    def run_each(self, states: Sequence[State], stop: Event | None = None) -> list[State | WorkbenchError]:
        """One finished state or failure per state, in order; the stop event ends the work early."""

    def usage(self, state: State) -> Usage | None:
        """The tokens that this stage took for a finished state, None where none were counted."""


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
