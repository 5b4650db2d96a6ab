"""A race: recipes are measured on the same questions, a few groups at a time, and those that cannot win any more stop.

Which those are is a paired test's to say (`selection.paired_scores`): it may look after each block without losing its
error rate. Questions come in an order drawn by the space's seed, the translations of a question together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Protocol

import numpy as np

from workbench.metrics import scale_of
from workbench.optimise.measurement import Evaluator, FloatArray, QuestionSet, RecipeTrial
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.strategies.measuring import BudgetSpent, Meter, mean_of
from workbench.optimise.strategies.recipe_sampling import random_recipes
from workbench.optimise.strategies.search_outcome import Budget, OnStep, SearchOutcome
from workbench.pipeline import Recipe

LOOKS = 12
"""How often the race looks at who can still win."""
ENTRANTS = 2_000
"""Most recipes of a race where the budget names no number."""


class RaceRule(Protocol):
    """A test of who may still win."""

    def survivors(self, scores: FloatArray, groups: Sequence[str]) -> tuple[int, ...]:
        """The rows that may still be the best; `scores` in [0, 1], higher is better, shape (recipes, questions so far).

        NaN where a recipe was not measured, as after it was stopped.
        """


@dataclass(frozen=True, slots=True)
class Race:
    """The strategy, with the test that it stops recipes by."""

    rule: RaceRule

    def __call__(self, space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep) -> SearchOutcome:
        """Races all recipes, or as many as the budget has trials, drawn by the space's seed."""
        meter = Meter(evaluator, budget, on_step, space.goal)
        entrants = budget.trials if budget.trials is not None else ENTRANTS
        recipes = list(islice(random_recipes(space), entrants))
        blocks = question_blocks(evaluator.questions, space.seed)
        alive = list(range(len(recipes)))
        measured: list[int] = []
        try:
            for block in blocks:
                meter.measure([recipes[number] for number in alive], (space.goal,), block)
                measured += block
                alive = self._survivors(meter, recipes, alive, evaluator.questions, measured)
                if len(alive) == 1:
                    break
        except BudgetSpent as limit:
            return meter.outcome(_leader(meter, recipes, alive, measured), stopped_early=str(limit))
        return meter.outcome(_leader(meter, recipes, alive, measured))

    def _survivors(
        self, meter: Meter, recipes: Sequence[Recipe], alive: Sequence[int], questions: QuestionSet, rows: Sequence[int]
    ) -> list[int]:
        trials = [meter.trials[recipe.fingerprint] for recipe in recipes]
        scores = np.stack([goodness(trial, meter.goal)[list(rows)] for trial in trials])
        may_win = set(self.rule.survivors(scores, [questions.groups[row] for row in rows]))
        return [number for number in alive if number in may_win] or list(alive)


def question_blocks(questions: QuestionSet, seed: int) -> list[list[int]]:
    """The rows of the questions in at most LOOKS blocks of whole groups, in an order drawn by `seed`."""
    rows: dict[str, list[int]] = {}
    for row, group in enumerate(questions.groups):
        rows.setdefault(group, []).append(row)
    groups = list(rows)
    Random(seed).shuffle(groups)  # noqa: S311  # an order, not a secret
    parts = np.array_split(np.arange(len(groups)), min(LOOKS, len(groups)))
    return [[row for number in part for row in rows[groups[number]]] for part in parts]


def goodness(trial: RecipeTrial, metric: str) -> FloatArray:
    """The scores of a metric from 0, the worst, to 1, the best; NaN where there is none."""
    scale = scale_of(metric)
    scores = trial.scores.get(metric)
    if scores is None:
        return np.full(trial.seconds.shape, np.nan)
    share = (scores - scale.low) / (scale.high - scale.low)
    return np.asarray(share if scale.higher_is_better else 1 - share, dtype=np.float64)


def _leader(meter: Meter, recipes: Sequence[Recipe], alive: Sequence[int], rows: Sequence[int]) -> Recipe:
    """The best of those still running, on the questions that all of them were measured on; the first of equals."""
    if not rows:
        return meter.best()
    trials = [meter.trials[recipes[number].fingerprint] for number in alive]
    means = [np.nan_to_num(mean_of(goodness(trial, meter.goal)[list(rows)]), nan=-1.0) for trial in trials]
    return recipes[alive[int(np.argmax(means))]]
