"""One measured value, or the reason why there is none: "unscored" is a value, never a 0 or a 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """`value` in the metric's own range, or None with the `reason` in a sentence ("" where there is a value)."""

    value: float | None
    reason: str = ""

    @property
    def scored(self) -> bool:
        """Whether there is a value."""
        return self.value is not None


NO_GOLD = Score(None, "No gold answer is left after normalisation.")
"""What every metric against gold answers gives when there is nothing to compare with."""


def best(values: Iterable[float]) -> Score:
    """The best of one value a gold answer; unscored where there is none."""
    highest = max(values, default=None)
    return NO_GOLD if highest is None else Score(highest)
