"""How long a step of each stage takes, from the batches of a pilot; what is learnt once is told from it.

A batch of steps that takes several times as long as most of its stage's do has learnt or loaded something that later
ones use: words of a pair of languages, an index, a model. Such time is not the pace. How much of it is still to come is
extrapolated: after n questions of a language, the next one brings something new in proportion to n to the power of
-3/2, which is how the built-in parts learn pairs of languages on the sample.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.models import PriceTable
from workbench.optimise.spending.cap import Cap, ModelOf, SpendingGuard
from workbench.optimise.spending.counting import learns
from workbench.pipeline import BoundStage, State

UNUSUAL = 3.0
"""Times the usual pace from which a batch of steps has done something besides."""


@dataclass(frozen=True, slots=True)
class StepBatch:
    """Steps of a stage that were run together: their number, and the seconds of all of them.

    `learns`: what they did besides stays in the workspace; else it is done again by each process.
    """

    stage: str
    steps: int
    seconds: float
    learns: bool = False


@dataclass(slots=True)
class BatchLog:
    """The batches of a pilot, in order, block of questions by block."""

    blocks: list[list[StepBatch]] = field(default_factory=lambda: [[]])

    def next_block(self) -> None:
        """Begins a block."""
        self.blocks.append([])


class LoggingGuard(SpendingGuard):
    """A spending guard that logs each batch of steps."""

    def __init__(self, cap: Cap, prices: PriceTable, model_of: ModelOf) -> None:
        super().__init__(cap, prices, model_of)
        self.batches = BatchLog()

    def ran(self, stage: BoundStage, states: Sequence[State], seconds: float) -> None:
        """Counts steps that were run, and logs them."""
        super().ran(stage, states, seconds)
        if states:
            self.batches.blocks[-1].append(StepBatch(stage.name, len(states), seconds, learns(stage)))


def usual_seconds(batches: Sequence[StepBatch]) -> dict[str, float]:
    """Seconds of a step by stage: the mean over its batches, without those that are UNUSUAL times slower than most.

    >>> usual_seconds([StepBatch("read", 4, 2.0), StepBatch("read", 4, 2.4), StepBatch("read", 1, 9.0)])
    {'read': 0.55}
    """
    by_stage: dict[str, list[StepBatch]] = defaultdict(list)
    for batch in batches:
        by_stage[batch.stage].append(batch)
    usual = {}
    for stage, some in by_stage.items():
        limit = UNUSUAL * _middle(some)
        kept = [item for item in some if item.seconds <= limit * item.steps]
        usual[stage] = sum(item.seconds for item in kept) / sum(item.steps for item in kept)
    return usual


def besides(batches: Sequence[StepBatch], usual: dict[str, float]) -> float:
    """The seconds that unusual batches took beyond the pace of their stage."""
    extra = (item.seconds - usual.get(item.stage, 0.0) * item.steps for item in batches)
    return sum(
        more
        for item, more in zip(batches, extra, strict=True)
        if more > (UNUSUAL - 1) * usual.get(item.stage, 0.0) * item.steps
    )


def still_to_learn(seconds: float, before: int, after: int, questions: int) -> float:
    """What is left to learn, in seconds, until a language's `questions` are seen.

    `seconds` were spent on learning between the question number `before` and `after` of each language.

    >>> round(still_to_learn(8.0, 1, 4, 16), 6), still_to_learn(8.0, 1, 4, 4)
    (4.0, 0.0)
    """
    if questions <= after or after <= before:
        return 0.0
    left, seen = after**-0.5 - questions**-0.5, max(1, before) ** -0.5 - after**-0.5
    return float(seconds * left / seen)


def _middle(batches: Sequence[StepBatch]) -> float:
    """The median of the seconds of a step over batches, each counted as often as it has steps."""
    ranked = sorted(batches, key=lambda item: item.seconds / item.steps)
    half, seen = sum(item.steps for item in ranked) / 2, 0
    for item in ranked:
        seen += item.steps
        if seen >= half:
            return item.seconds / item.steps
    return 0.0
