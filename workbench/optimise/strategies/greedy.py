"""Greedy search node by node, after Kim et al. (2024), section 3.1; and the same with the nodes of models first.

At each node its variants are compared while every other node stays as it is: those before it as decided, those after it
at their first variant. A node that has no metrics is judged by those of the next node that has some, whose module is
fixed meanwhile (section 3.1.3): a node of m variants before one of n costs m + n trials, not m x n. One of them is in
both, so m + n - 1 recipes are measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.optimise.measurement import Evaluator
from workbench.optimise.space.search_space import SearchSpace, SpaceNode
from workbench.optimise.strategies.measuring import BudgetSpent, Meter
from workbench.optimise.strategies.node_choice import decide
from workbench.optimise.strategies.search_outcome import Budget, Decision, OnStep, SearchOutcome
from workbench.pipeline import Recipe, effective, model_fields


def greedy(space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
    """Decides node by node in the order of the pipeline."""
    return _search(space, range(len(space.nodes)), Meter(evaluator, budget, on_step, space.goal))


def models_first(space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
    """Decides about the nodes that set models first (generator, encoder, reranker, …), then in the pipeline's order."""
    return _search(space, models_first_order(space), Meter(evaluator, budget, on_step, space.goal))


def models_first_order(space: SearchSpace) -> tuple[int, ...]:
    """The numbers of the nodes, those first that choose between models, in the order of `model_fields`."""

    def rank(number: int) -> int:
        chooses = [index for index, name in enumerate(model_fields()) if _values(space.nodes[number], name) > 1]
        return min(chooses, default=len(model_fields()))

    return tuple(sorted(range(len(space.nodes)), key=rank))


def _values(node: SpaceNode, field: str) -> int:
    """How many values of a field the node's modules name."""
    return len({repr(value) for module in node.modules for value in module.values.get(field, ())})


def _search(space: SearchSpace, order: Sequence[int], meter: Meter) -> SearchOutcome:
    numbers = [0] * len(space.nodes)
    decisions: list[Decision] = []
    try:
        for place in order:
            if decision := _decision(space, place, numbers, meter):
                decisions.append(decision)
        best = space.recipe_of(numbers)
        if best is not None:
            best = meter.measure([best], (space.goal,))[0].recipe
    except BudgetSpent as limit:
        best = space.recipe_of(numbers) if meter.trials else None
        return meter.outcome(meter.first(best) if best else meter.best(), decisions, str(limit))
    return meter.outcome(best or meter.best(), decisions)


def _decision(space: SearchSpace, place: int, numbers: list[int], meter: Meter) -> Decision | None:
    """Decides about the node at `place` and sets its number; None where no variant of it makes a recipe.

    A variant that changes only fields without an effect beside the other nodes' choices is not tried.
    """
    node = space.nodes[place]
    distinct: dict[tuple[object, ...], tuple[int, Recipe]] = {}
    for number in range(len(space.variants[place])):
        recipe = space.recipe_of(_with(numbers, place, number))
        if recipe is not None:
            distinct.setdefault(effective(recipe), (number, recipe))
    allowed = list(distinct.values())
    if not allowed:
        return None
    metrics = space.judges_of(place)
    trials = meter.measure([recipe for _, recipe in allowed], metrics, node=node.node)
    judge = next((other for other in space.nodes[place:] if other.metrics), None)
    variants = [space.variants[place][number] for number, _ in allowed]
    decision = decide(node, judge, metrics, variants, trials)
    numbers[place] = allowed[decision.taken][0]
    return decision


def _with(numbers: Sequence[int], place: int, number: int) -> list[int]:
    changed = list(numbers)
    changed[place] = number
    return changed
