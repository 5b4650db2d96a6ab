"""What a search will take: its steps from those that recipes share, its time, tokens and money by a pilot.

Where it is known which recipes a strategy measures, their steps are counted (see `counting`); of the others it is known
how many they measure at most, and the count is a bound. Nor is it known before who is a finalist, to be measured on the
held-out questions: what that takes is a bound, and is given by itself. A pilot (`pilot_pace`) and the count leave their
steps in the cache, so the search does not repeat them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from workbench.app import Workbench
from workbench.experiments import missing_indexes
from workbench.models import load_prices
from workbench.optimise.evaluation.recipe_evaluator import RecipeEvaluator
from workbench.optimise.evaluation.search_material import fixed_fields, material_of
from workbench.optimise.question_split import parts_of
from workbench.optimise.selection.sample_size import PilotSpread
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.spending.cap import CALLING, CallTotals, Cap, SearchOptions
from workbench.optimise.spending.counting import CountedSteps
from workbench.optimise.spending.pilot_pace import (
    PILOT_QUESTIONS,
    LoggingGuard,
    OnShare,
    SearchPace,
    count_steps,
    measured_pace,
    stored_seconds,
    unwatched,
)
from workbench.optimise.strategies.measuring import BATCH
from workbench.optimise.strategies.recipe_sampling import DEFAULT_TRIALS, random_recipes
from workbench.pipeline import Recipe

RECIPES_COUNTED = 1_000
"""Most recipes whose steps are counted for a strategy that measures only some of them, nobody knows which."""
FORESEEN = frozenset({"exhaustive", "random"})
"""The strategies whose recipes are known before they measure any."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What measuring the finalists on the held-out `questions` takes at most: if every recipe were one.

    `seconds`, `tokens` and `money` are None where those of a Forecast are.
    """

    questions: int
    calls: int
    seconds: float | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a search takes at most or, where `exact`, takes: `recipes` measured on `questions` each.

    That is without the held-out questions, which `confirmation` is about.

    `steps` are distinct steps by stage, of which `remaining` are not in the cache; `calls` of the remaining ones ask a
    generator, and `exact_calls` says whether that number is exact. `seconds`, `tokens` and `money` (in `currency`) are
    None without a pilot. `unpriced`: generators without a price. `unindexed`: corpora and encoders whose index will be
    built first, which is not counted. `unmet`: stages that the pilot did not come to. `failed`: its failed answers.
    `groups`: of the questions; `spread`: how much the pilot's recipes differ by the objective, None where unknown.
    """

    recipes: int
    questions: int
    exact: bool
    steps: Mapping[str, int]
    remaining: Mapping[str, int]
    calls: int
    exact_calls: bool
    seconds: float | None = None
    tokens: int | None = None
    money: float | None = None
    currency: str = ""
    unpriced: tuple[str, ...] = ()
    unindexed: tuple[tuple[str, str], ...] = ()
    unmet: tuple[str, ...] = ()
    failed: int = 0
    each: Mapping[str, float] = field(default_factory=dict)
    groups: int = 0
    spread: PilotSpread | None = None
    confirmation: Confirmation | None = None

    def to_json(self) -> dict[str, Any]:
        """The forecast as plain values."""
        return asdict(self)


def forecast(
    workbench: Workbench,
    space: SearchSpace,
    options: SearchOptions,
    pilot: int = PILOT_QUESTIONS,
    on_share: OnShare = unwatched,
) -> Forecast:
    """Counts a search's steps and, by a pilot of that many questions per language, estimates the rest; 0 for none.

    Raises UsageError for a search without questions, or over a dataset or language that does not exist.
    """
    prices = load_prices(workbench.settings.home)
    guard = LoggingGuard(Cap(), prices, lambda stage: evaluator.model_behind(stage.identity))
    evaluator = RecipeEvaluator(workbench, material_of(space), fixed_fields(space), guard=guard)
    recipes, bound = _recipes(space, options)
    parts = parts_of(evaluator.questions, options.holdout, space.seed)
    is_complete = len(recipes) >= min(bound, space.size)
    exact = options.strategy in FORESEEN and is_complete
    counted = count_steps(evaluator, recipes, space.metrics, parts.search, on_share)
    later = count_steps(evaluator, recipes, space.metrics, parts.holdout, on_share) if parts.holdout else None
    pace = (
        measured_pace(evaluator, guard, recipes, space.metrics, parts.search, counted, pilot, on_share)
        if pilot
        else None
    )
    part = _Part(workbench, counted, bound * len(parts.search), is_complete)
    rest = None if later is None else _Part(workbench, later, bound * len(parts.holdout), is_complete)
    result = Forecast(
        recipes=bound,
        questions=len(parts.search),
        exact=exact,
        steps=part.steps,
        remaining=part.remaining,
        calls=part.calls,
        exact_calls=exact and not CALLING & counted.inexact,
        unindexed=missing_indexes(workbench, [run for run, _ in evaluator.runs_of(recipes, parts.search)]),
        groups=len({evaluator.questions.groups[row] for row in parts.search}),
        confirmation=None if rest is None else Confirmation(len(parts.holdout), rest.calls),
    )
    if pace is None:
        return result
    each = {**stored_seconds(workbench, counted, part.names), **pace.each}
    unpriced = [
        evaluator.model_behind(identity)
        for identity, totals in guard.by_generator.items()
        if totals.tokens and not totals.money
    ]
    tokens, money = part.used(guard.by_generator)
    confirmation = result.confirmation
    if rest is not None and confirmation is not None:
        more_tokens, more_money = rest.used(guard.by_generator)
        confirmation = replace(
            confirmation,
            seconds=rest.seconds(pace, each),
            tokens=round(more_tokens),
            money=None if unpriced else more_money,
        )
    return replace(
        result,
        seconds=pace.startup + pace.learning + pace.per_chain * bound * _places(evaluator) + part.seconds(pace, each),
        tokens=round(tokens),
        money=None if unpriced else money,
        currency=prices.currency,
        unpriced=tuple(dict.fromkeys(unpriced)),
        unmet=tuple(name for name, number in part.remaining.items() if number and name not in each),
        failed=pace.failed,
        each=each,
        spread=pace.spread,
        confirmation=confirmation,
    )


class _Part:
    """What measuring recipes on one part of the questions takes: `cells` answers at most.

    `is_complete`: `counted` is about all recipes that a strategy may measure, so its counts are no estimate.
    """

    def __init__(self, workbench: Workbench, counted: CountedSteps, cells: int, is_complete: bool) -> None:
        self.cells = cells
        self.names = [name for name in counted.keys if name not in counted.unkept]
        left = {name: counted.keys[name] - workbench.cache.known(list(counted.keys[name])) for name in self.names}
        self.steps = {name: min(len(counted.keys[name]), cells) if is_complete else cells for name in self.names}
        self.remaining = {name: min(len(keys), cells) if is_complete else cells for name, keys in left.items()}
        self.calls = sum(number for name, number in self.remaining.items() if name in CALLING)
        missing: set[str] = set().union(*left.values())
        self._left = {identity: len(keys & missing) for identity, keys in counted.generators.items()}

    def seconds(self, pace: SearchPace, each: Mapping[str, float]) -> float:
        """The seconds of its steps by stage, and of reading and storing its answers."""
        steps = (each.get(name, 0.0) * pace.shares.get(name, 1.0) * count for name, count in self.remaining.items())
        return pace.per_cell * self.cells + sum(steps)

    def used(self, totals: Mapping[str, CallTotals]) -> tuple[float, float]:
        """The tokens and the money of its calls, by what a pilot's took."""
        share = self.calls / max(1, sum(self._left.values()))
        used = [(item, self._left.get(identity, 0)) for identity, item in totals.items() if item.calls]
        return (
            share * sum(item.tokens / item.calls * number for item, number in used),
            share * sum(item.money / item.calls * number for item, number in used),
        )


def most_recipes(space: SearchSpace, options: SearchOptions) -> int:
    """How many recipes a strategy measures at most."""
    everything = space.size
    if options.strategy in ("greedy", "models-first"):
        # Each node's variants once, and the best of all in the end (m + n, not m × n).
        everything = min(everything, sum(len(variants) for variants in space.variants) + 1)
    elif options.strategy in ("random", "tpe", "multi-objective"):
        everything = min(everything, options.trials or DEFAULT_TRIALS)
    return everything if options.trials is None else min(everything, options.trials)


def _recipes(space: SearchSpace, options: SearchOptions) -> tuple[list[Recipe], int]:
    """The recipes that a strategy chooses among, some of them where they are many; and how many it measures at most."""
    bound = most_recipes(space, options)
    if options.strategy in ("random", "race"):
        return list(islice(random_recipes(space), bound)), bound
    if options.strategy == "exhaustive":
        return list(islice(space.recipes(), bound)), bound
    return list(islice(space.recipes(), RECIPES_COUNTED if space.size <= RECIPES_COUNTED else BATCH)), bound


def _places(evaluator: RecipeEvaluator) -> int:
    """How many pairs of a dataset and a language are asked."""
    return len(set(zip(evaluator.questions.datasets, evaluator.questions.languages, strict=True)))
