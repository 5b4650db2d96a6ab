"""The scale of a metric by its name: the values it can take and which end is good.

It is known for every name that results are stored under, judged ones included, without the model that judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from workbench.metrics.catalogue import MEASURES
from workbench.metrics.judged.judge import HIGHEST, LOWEST
from workbench.metrics.judged.judge_texts import ASPECTS

SEMSCORE = "semscore"
"""The cosine of two vectors; not in the catalogue, since it needs an encoder."""
Number = TypeVar("Number", float, npt.NDArray[np.float64])

RATED = frozenset(("g_eval", *(f"g_eval_{name}" for name in ASPECTS)))
"""Judged metrics that are marks from 1 to 5; other judged ones, and measures of rankings, are shares."""

FAILURES = frozenset({"format_failure"})
"""Shares of answers that went wrong, which experiments record by themselves."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The bounds of a metric's values, and which end is good.

    >>> str(Scale(1, 5)), str(Scale(higher_is_better=False))
    ('1 to 5', '0 to 1, lower is better')
    """

    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True

    @property
    def is_share(self) -> bool:
        """Whether 100 times a value is a percentage."""
        return (self.low, self.high) == (0.0, 1.0)

    def __str__(self) -> str:
        """The bounds in words, and whether lower is better."""
        return f"{self.low:g} to {self.high:g}" + ("" if self.higher_is_better else ", lower is better")

    def goodness(self, value: Number) -> Number:
        """Where values lie between the worst (0) and the best (1) possible value.

        >>> Scale(1, 5).goodness(4.0), Scale(higher_is_better=False).goodness(0.25)
        (0.75, 0.75)
        """
        part = (value - self.low) / (self.high - self.low)
        return part if self.higher_is_better else 1 - part


def scale_of(name: str) -> Scale:
    """The scale of the metric that results call `name`, with or without an @ and the judge or identifier.

    >>> print(scale_of("g_eval@openai-like:llama3:8b@ollama"))
    1 to 5
    """
    metric = name.partition("@")[0]
    if metric in FAILURES:
        return Scale(higher_is_better=False)
    if metric in RATED:
        return Scale(LOWEST, HIGHEST)
    if metric == SEMSCORE:
        return Scale(low=-1.0)
    known = MEASURES.get(metric)
    return Scale(known.low, known.high, known.higher_is_better) if known else Scale()
