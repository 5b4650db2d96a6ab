"""Measures are values: what a metric is called, where it comes from, its range, and how it is computed.

A measure prints as people say it; it is asked for by `name` (metrics/catalogue.py lists all). Scorers are batch-first
and keep the order of their input, so one that asks a model may do so in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from workbench.languages.language import Language


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


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to be measured.

    `answers` are the gold answer and its aliases, `language` is the user's language, in which the answer should be.
    `question`, `passages` (best first) and `instructions` are needed by judges alone. `id` is the question's, which its
    translations share; "" where it has none.
    """

    prediction: str
    answers: tuple[str, ...]
    language: Language
    question: str = ""
    passages: tuple[str, ...] = ()
    instructions: str = ""
    id: str = ""


Scorer = Callable[[Sequence[Case]], list[Score]]
"""One score a case, in order."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric. `low` and `high` bound its values; `source` is who defined it; `higher_is_better` is how to read it.

    >>> from workbench.metrics.catalogue import measure
    >>> print(measure("rouge_l"))
    ROUGE-L
    """

    name: str
    title: str
    source: str
    scorer: Scorer = field(repr=False)
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True

    def __str__(self) -> str:
        return self.title

    def score(self, cases: Sequence[Case]) -> list[Score]:
        """One score a case, in order; unscored ones carry their reason."""
        return self.scorer(cases)


def each(score: Callable[[Case], Score]) -> Scorer:
    """The scorer that takes cases one by one."""

    def scorer(cases: Sequence[Case]) -> list[Score]:
        return [score(case) for case in cases]

    return scorer
