"""Measures are values: what a metric is called, where it comes from, its range, and how it is computed.

A measure prints as its title; its `name` is what people type and what results are stored under (metrics/catalogue.py
lists all). Scorers take batches and keep the order of their input, so one that calls a model may do so in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from workbench.languages import Language


@dataclass(frozen=True, slots=True)
class Score:
    """`value` in the metric's own range, or None; `reason`: in a sentence why there is none, or why it is set.

    A value that is set is that of a format failure; others have the reason "".
    """

    value: float | None
    reason: str = ""

    @property
    def scored(self) -> bool:
        """Whether there is a value."""
        return self.value is not None


NO_GOLD = Score(None, "No gold answer is left after normalisation.")
"""The score of every metric against gold answers where there is nothing to compare with."""
UNANSWERABLE = Score(None, "No gold answer: the question is unanswerable.")
"""The score of every metric but that of hallucination where the corpus has no answer."""


def best_score(values: Iterable[float]) -> Score:
    """The highest of `values`, one per gold answer; `NO_GOLD` where there is none."""
    highest = max(values, default=None)
    return NO_GOLD if highest is None else Score(highest)


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to be measured.

    `answers` are the gold answer and its aliases, `language` is the user's language, in which the answer should be.
    Only judges need `question`, `passages` (best first) and `instructions`. `id` is the question's, which its
    translations share; "" where it has none. `unanswerable` and `false_premise` are the question's properties of those
    names. `format_failure` is why the prediction states no answer, since it lacks the form that was asked for; "" where
    it states one.
    """

    prediction: str
    answers: tuple[str, ...]
    language: Language
    question: str = ""
    passages: tuple[str, ...] = ()
    instructions: str = ""
    id: str = ""
    unanswerable: bool = False
    false_premise: bool = False
    format_failure: str = ""


Scorer = Callable[[Sequence[Case]], list[Score]]
"""A function that gives one score per case, in order."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric: `low` and `high` bound its values, `source` is who defined it, `higher_is_better` is how to read it.

    One that is `answerable_only` is unscored where the question is unanswerable, whatever the answer. A format failure
    scores `format_failure`, in the metric's own range, wherever an answer would have a value; None: it is unscored.

    >>> from workbench.metrics.catalogue import MEASURES
    >>> print(MEASURES["rouge_l"])
    Word sequence shared with the gold (ROUGE-L)
    """

    name: str
    title: str
    source: str
    scorer: Scorer = field(repr=False)
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True
    answerable_only: bool = True
    format_failure: float | None = 0.0

    def __str__(self) -> str:
        """The title, as people call the metric."""
        return self.title

    def score(self, cases: Sequence[Case]) -> list[Score]:
        """One score per case, in order; an unscored one and a format failure have their reason."""
        measured = [case for case in cases if not (self.answerable_only and case.unanswerable)]
        remaining = iter(map(self._with_failure, measured, self.scorer(measured)))
        return [UNANSWERABLE if self.answerable_only and case.unanswerable else next(remaining) for case in cases]

    def _with_failure(self, case: Case, score: Score) -> Score:
        """The score of a case, or that of a format failure; one without a gold stays unscored for that reason."""
        if not case.format_failure or (score.value is None and self.format_failure is not None):
            return score
        return Score(self.format_failure, case.format_failure)


def per_case(score: Callable[[Case], Score]) -> Scorer:
    """The scorer that applies `score` to cases one by one."""

    def scorer(cases: Sequence[Case]) -> list[Score]:
        return [score(case) for case in cases]

    return scorer
