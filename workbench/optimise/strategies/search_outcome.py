"""What a strategy is given and gives back: a budget, steps as they happen, and the outcome with its decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from workbench.optimise.measurement import Evaluator, RecipeTrial
from workbench.optimise.space.search_space import SearchSpace
from workbench.pipeline import Recipe


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a search may spend, None for no limit.

    `trials` counts recipes, `answers` questions times recipes, whether a language model answers or rankings alone are
    measured; `calls` answers that a language model was called for. `seconds` and `tokens` are sums over trials as if
    no step were shared, which a repeated search counts just as the first did.
    """

    trials: int | None = None
    answers: int | None = None
    calls: int | None = None
    seconds: float | None = None
    tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """What a search has spent, in the units of Budget."""

    trials: int = 0
    answers: int = 0
    calls: int = 0
    seconds: float = 0.0
    tokens: float = 0.0


@dataclass(frozen=True, slots=True)
class VariantFigures:
    """A variant of a node as it was judged. `module` is its module's name, `choices` what it sets.

    `scores` are means over questions by metric, NaN where nothing was scored; `seconds` and `tokens` are means of an
    answer. `value` is what the selection compares, higher is better, NaN where the variant is not eligible: `excluded`
    then says why.
    """

    module: str
    choices: Mapping[str, object]
    recipe: Recipe
    scores: Mapping[str, float]
    seconds: float
    tokens: float
    value: float
    excluded: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a strategy decided about a node: its variants as judged, the number of the one taken, and why.

    `judged_by` names the node whose metrics were used, which is another where a node has none of its own.
    """

    node: str
    judged_by: str
    variants: tuple[VariantFigures, ...]
    taken: int
    reason: str


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A trial as it was measured, with what has been spent so far. `node` is what it is for, "" for the whole."""

    trial: RecipeTrial
    spending: Spending
    node: str = ""


OnStep = Callable[[SearchStep], None]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search ended with: `trials` in the order measured, the best recipe, and the decisions on the way.

    `stopped_early` is the limit that ended it, in a sentence, "" where it went to its end.
    """

    trials: tuple[RecipeTrial, ...]
    best: Recipe
    decisions: tuple[Decision, ...]
    stopped_early: str
    spending: Spending = Spending()


class Strategy(Protocol):
    """A way of searching. The same space, evaluator and budget give the same outcome."""

    def __call__(self, space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
        """Searches until it is through or the budget is spent. Raises JobStopped when the evaluator does."""
