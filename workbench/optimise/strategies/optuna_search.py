"""Search by Optuna's samplers: TPE for the best recipe, NSGA-II for the front of quality against tokens and time.

Optuna only proposes (ask) and is given what came of it (tell): trials are measured by the search's own evaluator, kept
by it, and proposed to a study in memory, so that a search which is resumed proposes the same recipes again. A proposal
is a module at each node and, within it, a value of each of its fields, so that what was learnt of a value serves
everywhere. Bergstra et al. (2011), TPE; Deb et al. (2002), NSGA-II; Akiba et al. (2019), Optuna.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np
import optuna

from workbench.optimise.measurement import Evaluator, FloatArray, RecipeTrial
from workbench.optimise.space.search_space import SearchSpace, SpaceNode, direction
from workbench.optimise.strategies.measuring import BudgetSpent, Meter, mean_of
from workbench.optimise.strategies.recipe_sampling import DEFAULT_TRIALS
from workbench.optimise.strategies.search_outcome import Budget, OnStep, SearchOutcome
from workbench.pipeline import Recipe


def pareto_front(trials: Sequence[RecipeTrial], goal: str) -> tuple[int, ...]:
    """The numbers of the trials that no other one beats at quality, tokens and time, best by `goal`, then fewer tokens.

    A trial is beaten by one that is at least as good in the mean of `goal`, of tokens and of seconds, and better in one
    of them. Trials without a score are never on the front; tokens and seconds that were not measured count as 0.
    """
    table = figures_of(trials, goal)
    scored = [number for number in range(len(trials)) if not np.isnan(table[number, 0])]
    front = [number for number in scored if not any(_beats(table[other], table[number]) for other in scored)]
    return tuple(sorted(front, key=lambda number: (-table[number, 0], -table[number, 1], number)))


def figures_of(trials: Sequence[RecipeTrial], goal: str) -> FloatArray:
    """Quality, minus tokens, minus seconds of each trial, means over questions, all better higher: (trials, 3)."""
    rows = [
        (
            direction(goal) * mean_of(trial.scores.get(goal)),
            -np.nan_to_num(mean_of(trial.tokens)),
            -np.nan_to_num(mean_of(trial.seconds)),
        )
        for trial in trials
    ]
    return np.array(rows, dtype=np.float64).reshape(len(trials), 3)


def _beats(one: FloatArray, other: FloatArray) -> bool:
    return bool((one >= other).all() and (one > other).any())


PROPOSALS_PER_TRIAL = 20
"""A search ends after this many proposals per trial: most of them are then recipes that are known."""
POPULATION = 20
"""Recipes of a generation of NSGA-II."""
Result = TypeVar("Result")
Direction = Literal["minimize", "maximize"]
Objectives = Callable[[Meter, RecipeTrial], list[float]]


def tpe(space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
    """The tree-structured Parzen estimator, by the space's seed; DEFAULT_TRIALS where the budget names no number."""
    sampler = _quietly(lambda: optuna.samplers.TPESampler(seed=space.seed, multivariate=True, group=True))
    return _search(space, Meter(evaluator, budget, on_step, space.goal), sampler, ("maximize",), _quality)


def multi_objective(space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
    """NSGA-II over the goal, the tokens and the seconds of an answer; the best recipe is the best by the goal.

    What else is worth having is on the front of `pareto_front`.
    """
    sampler = optuna.samplers.NSGAIISampler(seed=space.seed, population_size=POPULATION)
    directions: tuple[Direction, ...] = ("maximize", "minimize", "minimize")
    return _search(space, Meter(evaluator, budget, on_step, space.goal), sampler, directions, _three)


def _search(
    space: SearchSpace,
    meter: Meter,
    sampler: optuna.samplers.BaseSampler,
    directions: Sequence[Direction],
    objectives: Objectives,
) -> SearchOutcome:
    study = _quietly(lambda: optuna.create_study(directions=list(directions), sampler=sampler))
    wanted = meter.budget.trials if meter.budget.trials is not None else DEFAULT_TRIALS
    wanted = min(wanted, space.size)
    try:
        for _ in range(wanted * PROPOSALS_PER_TRIAL):
            if meter.spending.trials >= wanted:
                break
            proposal = _quietly(study.ask)
            recipe = _quietly(lambda: proposed_recipe(proposal, space))  # noqa: B023  # called at once
            if recipe is None:
                _quietly(lambda: study.tell(proposal, state=optuna.trial.TrialState.FAIL))  # noqa: B023
                continue
            (trial,) = meter.measure([recipe], space.metrics)
            values = objectives(meter, trial)
            _quietly(lambda: study.tell(proposal, values))  # noqa: B023
    except BudgetSpent as limit:
        return meter.outcome(meter.best(), stopped_early=str(limit))
    return meter.outcome(meter.best())


def proposed_recipe(proposal: optuna.trial.BaseTrial, space: SearchSpace) -> Recipe | None:
    """The recipe that a trial of Optuna stands for; None where a recipe refuses the combination."""
    return space.recipe_of([_variant(proposal, node, index, space) for index, node in enumerate(space.nodes)])


def _variant(proposal: optuna.trial.BaseTrial, node: SpaceNode, place: int, space: SearchSpace) -> int:
    """The number of the variant of a node that is proposed."""
    module = node.modules[0]
    if len(node.modules) > 1:
        number = proposal.suggest_categorical(node.node, range(len(node.modules)))
        module = node.modules[number]
    choices = {}
    for name, items in module.values.items():
        item = 0
        if len(items) > 1:
            item = proposal.suggest_categorical(f"{node.node}/{module.name}/{name}", range(len(items)))
        choices[name] = items[item]
    return next(number for number, (_, other) in enumerate(space.variants[place]) if other == choices)


def _quality(meter: Meter, trial: RecipeTrial) -> list[float]:
    value = meter.value(trial)
    return [value if np.isfinite(value) else -1e9]


def _three(meter: Meter, trial: RecipeTrial) -> list[float]:
    return [*_quality(meter, trial), float(np.nansum(trial.tokens)), float(np.nansum(trial.seconds))]


def _quietly(action: Callable[[], Result]) -> Result:
    """What `action` gives, without Optuna's lines of progress and its warnings of what is experimental."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return action()
