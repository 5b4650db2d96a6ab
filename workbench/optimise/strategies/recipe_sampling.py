"""Strategies that measure complete recipes on every question: all of them, or some at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

from workbench.optimise.measurement import Evaluator
from workbench.optimise.space.search_space import COUNTED, SearchSpace
from workbench.optimise.strategies.measuring import BATCH, BudgetSpent, Meter
from workbench.optimise.strategies.search_outcome import Budget, OnStep, SearchOutcome
from workbench.pipeline import Recipe, effective

DEFAULT_TRIALS = 50
"""Recipes that a strategy which could go on for ever measures where the budget does not say."""
MISSES = 200
"""Draws in a row that are known or refused, after which a large space counts as exhausted."""


def exhaustive(space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
    """Measures every recipe of the space: cheap where recipes share their steps, and the true optimum."""
    return _measured(space.recipes(), space, Meter(evaluator, budget, on_step, space.goal))


def at_random(space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
    """Measures distinct recipes drawn by the space's seed, DEFAULT_TRIALS where the budget names no number."""
    meter = Meter(evaluator, budget, on_step, space.goal)
    count = budget.trials if budget.trials is not None else DEFAULT_TRIALS
    return _measured(islice(random_recipes(space), count), space, meter)


def random_recipes(space: SearchSpace) -> Iterator[Recipe]:
    """Distinct recipes of the space in an order drawn by its seed; of a small space, all of them."""
    random = Random(space.seed)  # noqa: S311  # an order, not a secret
    if space.combinations <= COUNTED:
        recipes = list(space.recipes())
        random.shuffle(recipes)
        yield from recipes
        return
    seen: set[tuple[object, ...]] = set()
    misses = 0
    while misses < MISSES:
        recipe = space.recipe_of([random.randrange(len(variants)) for variants in space.variants])
        misses += 1
        if recipe is not None and (key := effective(recipe)) not in seen:
            seen.add(key)
            misses = 0
            yield recipe


def _measured(recipes: Iterable[Recipe], space: SearchSpace, meter: Meter) -> SearchOutcome:
    rest = iter(recipes)
    try:
        while batch := list(islice(rest, BATCH)):
            meter.measure(batch, space.metrics)
    except BudgetSpent as limit:
        return meter.outcome(meter.best(), stopped_early=str(limit))
    return meter.outcome(meter.best())
