"""Many cells on their way at once: those that wait for one stage are run together, so that equal steps run once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.pipeline import BoundStage, Executor, State, StepKeys


@dataclass(slots=True)
class Cell:
    """One cell on its way: `run` and `question` number it, `at` counts the stages that are behind it.

    `seconds` add up those of its steps when they were run; `error` is why it failed, "" where it has not.
    """

    run: int
    question: int
    stages: Sequence[BoundStage]
    state: State
    at: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def waits_for(self) -> str:
        """The name of the next stage, "" where the cell has ended."""
        return self.stages[self.at].name if not self.error and self.at < len(self.stages) else ""


def advance(executor: Executor, cells: Sequence[Cell], stages: Sequence[str]) -> None:
    """Takes every cell through those of its stages that are named, in this order. Raises JobStopped."""
    keys = StepKeys()
    for name in stages:
        waiting: dict[str, list[Cell]] = {}
        for cell in cells:
            if cell.waits_for == name:
                waiting.setdefault(cell.stages[cell.at].identity, []).append(cell)
        for together in waiting.values():
            first = together[0]
            outcomes = executor.step(first.stages[first.at], [cell.state for cell in together], keys)
            for cell, outcome in zip(together, outcomes, strict=True):
                cell.state, cell.error = outcome.state, outcome.failure
                cell.seconds += outcome.seconds
                cell.at += not outcome.failure
