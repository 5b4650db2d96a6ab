"""What every strategy measures by: trials put together, counted against the budget, and reported one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from workbench.core import UsageError
from workbench.optimise.measurement import Evaluator, FloatArray, RecipeTrial
from workbench.optimise.selection.paired_scores import COVERAGE
from workbench.optimise.space.search_space import direction
from workbench.optimise.strategies.search_outcome import Budget, Decision, OnStep, SearchOutcome, SearchStep, Spending
from workbench.pipeline import Recipe, effective

BATCH = 16
"""Recipes that are handed to the evaluator at once: many share steps, few are lost when a search is stopped."""


class BudgetSpent(Exception):
    """A limit of the budget ends the search; the message is a sentence."""


@dataclass
class Meter:
    """An evaluator with its budget. Trials are kept by recipe: what was measured is neither measured nor counted again.

    Recipes that differ only in fields without an effect are one: the first of them that was asked for. `goal` is the
    metric that the best recipe is best at.
    """

    evaluator: Evaluator
    budget: Budget
    on_step: OnStep
    goal: str
    spending: Spending = field(default_factory=Spending)
    trials: dict[str, RecipeTrial] = field(default_factory=dict)
    _measured: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    _rows: dict[str, set[int]] = field(default_factory=dict)
    _first: dict[tuple[object, ...], Recipe] = field(default_factory=dict)

    def first(self, recipe: Recipe) -> Recipe:
        """The first recipe asked for that must answer as this one does."""
        return self._first.setdefault(effective(recipe), recipe)

    def measure(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None, node: str = ""
    ) -> list[RecipeTrial]:
        """The trials of the `first` of these recipes, in order, with all that was measured. Raises BudgetSpent.

        Recipes that the budget still covers are measured before it raises.
        """
        recipes = [self.first(recipe) for recipe in recipes]
        places = list(range(len(self.evaluator.questions)) if rows is None else rows)
        distinct = {recipe.fingerprint: recipe for recipe in recipes}
        missing = [name for name in distinct if not self._has(name, metrics, places)]
        unforeseen = (self.budget.seconds, self.budget.tokens, self.budget.calls)
        size = BATCH if all(limit is None for limit in unforeseen) else 1
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            covered = self._covered(batch, places)
            items = [distinct[name] for name in batch[:covered]]
            for trial in self.evaluator.evaluate(items, metrics, rows) if items else ():
                self._count(trial, metrics, places, node)
            if covered < len(batch):
                raise BudgetSpent(self._limit())
        return [self.trials[recipe.fingerprint] for recipe in recipes]

    def value(self, trial: RecipeTrial) -> float:
        """The mean of the goal over the questions scored, turned so that higher is better; -inf without any."""
        mean = mean_of(trial.scores.get(self.goal))
        return -inf if np.isnan(mean) else direction(self.goal) * mean

    def best(self, among: Sequence[RecipeTrial] | None = None) -> Recipe:
        """The best recipe by the goal, the first measured of equals. Raises UsageError where nothing was measured.

        Recipes with a score for less than COVERAGE of the questions that the most measured one has are left out: a mean
        of the few questions that did not fail is no comparison.
        """
        trials = list(self.trials.values() if among is None else among)
        if not trials:
            raise UsageError(
                "The budget ends before the first recipe is measured: allow at least one trial and as many answers "
                "as there are questions."
            )
        counts = [scored_count(trial.scores.get(self.goal)) for trial in trials]
        ready = [trial for trial, count in zip(trials, counts, strict=True) if count >= COVERAGE * max(counts)]
        return max(ready, key=self.value).recipe

    def outcome(self, best: Recipe, decisions: Sequence[Decision] = (), stopped_early: str = "") -> SearchOutcome:
        """The outcome of all that was measured."""
        return SearchOutcome(tuple(self.trials.values()), best, tuple(decisions), stopped_early, self.spending)

    def _has(self, name: str, metrics: Sequence[str], places: Sequence[int]) -> bool:
        return all(self._measured.get((name, metric), set()).issuperset(places) for metric in metrics)

    def _covered(self, batch: Sequence[str], places: Sequence[int]) -> int:
        """How many recipes of a batch the budget covers, on these questions."""
        limit, spent = self.budget, self.spending
        for now, most in ((spent.seconds, limit.seconds), (spent.tokens, limit.tokens), (spent.calls, limit.calls)):
            if most is not None and now >= most:
                return 0
        trials, answers = spent.trials, spent.answers
        for number, name in enumerate(batch):
            trials += name not in self.trials
            answers += len(set(places) - self._rows.get(name, set()))
            if (limit.trials is not None and trials > limit.trials) or (
                limit.answers is not None and answers > limit.answers
            ):
                return number
        return len(batch)

    def _limit(self) -> str:
        """The limit that ended the search, in a sentence."""
        limit, spent = self.budget, self.spending
        for now, most, words in (
            (spent.seconds, limit.seconds, "seconds"),
            (spent.tokens, limit.tokens, "tokens"),
            (spent.calls, limit.calls, "calls of a language model"),
        ):
            if most is not None and now >= most:
                return f"The search stopped: {now:,.0f} {words} are spent, {most:,.0f} are allowed."
        if limit.trials is not None and spent.trials >= limit.trials:
            return f"The search stopped: {spent.trials:,} recipes are measured, {limit.trials:,} are allowed."
        return (
            f"The search stopped: {spent.answers:,} answers are measured, {limit.answers or 0:,} are allowed, and the "
            "next recipe needs more than are left."
        )

    def _count(self, trial: RecipeTrial, metrics: Sequence[str], places: Sequence[int], node: str) -> None:
        """Takes in a trial as the evaluator returned it."""
        name = trial.recipe.fingerprint
        trial = _exactly(trial, metrics, places)
        before = self.trials.get(name)
        merged = trial if before is None else _merged(before, trial)
        self.trials[name] = merged
        for metric in metrics:
            self._measured.setdefault((name, metric), set()).update(places)
        rows = self._rows.setdefault(name, set())
        new = len(set(places) - rows)
        rows.update(places)
        self.spending = replace(
            self.spending,
            trials=len(self.trials),
            answers=self.spending.answers + new,
            calls=self.spending.calls + _calls(merged) - _calls(before),
            seconds=self.spending.seconds + _sum(merged.seconds) - (_sum(before.seconds) if before else 0.0),
            tokens=self.spending.tokens + _sum(merged.tokens) - (_sum(before.tokens) if before else 0.0),
        )
        self.on_step(SearchStep(merged, self.spending, node))


def scored_count(scores: FloatArray | None) -> int:
    """On how many questions there is a score."""
    return 0 if scores is None else int(np.count_nonzero(~np.isnan(scores)))


def mean_of(scores: FloatArray | None) -> float:
    """The mean of the values that are not NaN; NaN where there is none."""
    if scores is None or np.isnan(scores).all():
        return float("nan")
    return float(np.nanmean(scores))


def _exactly(trial: RecipeTrial, metrics: Sequence[str], places: Sequence[int]) -> RecipeTrial:
    """A trial without what an evaluator knows besides: a resumed search must not see more than the first one did."""
    rows = np.zeros(trial.seconds.shape, dtype=bool)
    rows[list(places)] = True
    scores = {metric: np.where(rows, trial.scores[metric], np.nan) for metric in metrics if metric in trial.scores}
    return replace(
        trial,
        scores=scores,
        seconds=np.where(rows, trial.seconds, np.nan),
        tokens=np.where(rows, trial.tokens, np.nan),
    )


def _merged(before: RecipeTrial, after: RecipeTrial) -> RecipeTrial:
    """Two measurements of one recipe as one: the later values, the earlier ones where there are none."""
    scores: Mapping[str, FloatArray] = {
        metric: _later(before.scores.get(metric), after.scores.get(metric))
        for metric in dict.fromkeys((*before.scores, *after.scores))
    }
    return RecipeTrial(
        after.recipe,
        scores,
        np.fmax(before.seconds, after.seconds),  # an answer's time includes that of its ranking
        np.fmax(before.tokens, after.tokens),
        max(before.errors, after.errors),
    )


def _later(before: FloatArray | None, after: FloatArray | None) -> FloatArray:
    if before is None or after is None:
        return before if after is None else after  # type: ignore[return-value]  # one of them has the metric
    return np.where(np.isnan(after), before, after)


def _calls(trial: RecipeTrial | None) -> int:
    """Answers that a language model was called for."""
    return 0 if trial is None else int(np.count_nonzero(np.nan_to_num(trial.tokens) > 0))


def _sum(values: FloatArray) -> float:
    return float(np.nansum(values))
