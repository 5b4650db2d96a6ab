"""The trials that no other one beats at quality, tokens and time together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.optimise.recipe_trial import FloatArray, RecipeTrial
from workbench.optimise.space.space_metrics import direction
from workbench.optimise.strategies.measuring import mean_of


def pareto_front(trials: Sequence[RecipeTrial], goal: str) -> tuple[int, ...]:
    """The numbers of the trials on the front, best by `goal` first, then fewer tokens.

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
