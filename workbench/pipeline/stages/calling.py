"""What stages that call models share: which ones they name, their first failure, and their tokens as a fact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from workbench.core import Usage, WorkbenchError
from workbench.pipeline.stage import Facts
from workbench.pipeline.state import State


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
