"""What a search came to, from what it stored: the best recipe on both halves of the questions, and how sure that is.

Command line and screen show this one report. Whatever cannot be said, for lack of questions, recipes or held-out
figures, is None. Everything is computed when it is first looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.metrics import scale_of
from workbench.optimise.measurement import FloatArray, RecipeTrial
from workbench.optimise.question_split import compared_rows
from workbench.optimise.search_figures import (
    MeanFigure,
    NodeFigures,
    SearchFigures,
    choice_words,
    figures_of,
    node_figures,
    variant_labels,
    variant_numbers,
)
from workbench.optimise.search_store import SearchRow, SearchStore
from workbench.optimise.selection.chance import (
    GAINS,
    TYPICAL_SPREADS,
    LuckGauge,
    Shrinkage,
    groups_needed,
    luck_gauge,
    pilot_spread,
    shrinkage,
)
from workbench.optimise.selection.greedy_path import GreedyPath, PathStep
from workbench.optimise.selection.importance import Importance, Specialisation, importances, specialisation
from workbench.optimise.selection.paired_scores import RecipeConfidenceSet, TooFewQuestions, recipe_confidence_set
from workbench.optimise.space.search_space import direction
from workbench.optimise.strategies.optuna_search import pareto_front
from workbench.pipeline import Recipe, flat

IMPORTANCE_DRAWS = 200
"""Resamples for the intervals of importances, of which there are as many sets as languages."""
SPREAD_OF = 50
"""Recipes whose differences say how much scores vary from question to question."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ReportedRecipe:
    """A recipe of the search. `choices`: what it takes at each node, in words.

    `searched` and `holdout` are by the objective; `seconds` and `tokens` those of an answer, None where unknown. A
    recipe that `is_compared` has enough questions; it `may_be_best` where it is not told apart from the best. The one
    that `is_recommended` is the winner or else, where some are told apart, the cheapest of those that may be best.
    """

    recipe: Recipe
    choices: str
    searched: MeanFigure
    holdout: MeanFigure
    seconds: float | None
    tokens: float | None
    errors: int
    is_compared: bool
    may_be_best: bool
    is_cheapest: bool
    is_best: bool
    is_recommended: bool
    on_front: bool


class SearchReport:
    """The report of a search's figures; `best` is the recipe that it came to, `decisions` as they are stored."""

    def __init__(self, figures: SearchFigures, best: Recipe | None, decisions: Sequence[Mapping[str, Any]]) -> None:
        self.figures, self._decisions = figures, decisions
        self.goal = figures.space.goal
        self._sign = direction(self.goal)
        self._goodness = self._sign * figures.scores[self.goal]
        self._numbers = {recipe.fingerprint: number for number, recipe in enumerate(figures.recipes)}
        self.compared = compared_rows(self._searched(self._goodness))
        self.best_row = self._numbers.get(best.fingerprint) if best else None
        if self.best_row is None and len(self.compared):
            means = np.nanmean(self._searched(self._goodness)[self.compared], axis=1)
            self.best_row = int(self.compared[int(np.argmax(means))])

    @property
    def best(self) -> ReportedRecipe | None:
        """The best recipe; None as long as nothing was scored."""
        return next((item for item in self.recipes if item.is_best), None)

    @property
    def recommended(self) -> ReportedRecipe | None:
        """The recipe to take; None where nothing was scored or no recipe is told apart from any other."""
        return next((item for item in self.recipes if item.is_recommended), None)

    @property
    def recommended_row(self) -> int | None:
        """The row of the winner, or else of the cheapest that may be best where others are told apart from it."""
        result = self.confidence
        if len(self.compared) > 1 and (result is None or len(result.members) == len(self.compared)):
            return None
        if result is not None and result.winner is not None:
            return int(self.compared[result.winner])
        return self.best_row if self.cheapest_row is None else self.cheapest_row

    @cached_property
    def gain_to_show(self) -> float:
        """The largest of the usual differences that needs more questions than there were."""
        gains = [float(gain * self._width) for gain in reversed(GAINS[:-1])]
        enough = len(set(self.search_groups))
        return next((gain for gain in gains if self._needed(gain) > enough), gains[-1])

    @property
    def groups_needed(self) -> int:
        """The distinct questions that would tell two of the compared recipes apart by `gain_to_show`."""
        return self._needed(self.gain_to_show)

    def _needed(self, gain: float) -> int:
        return groups_needed(self._spread or TYPICAL_SPREADS[1] * self._width, gain, max(2, len(self.compared)))

    @cached_property
    def _spread(self) -> float | None:
        """How much the differences of two compared recipes vary; None below two recipes or three groups."""
        table = self._searched(self._goodness)[self.compared[:SPREAD_OF]]
        try:
            return pilot_spread(table, self.search_groups).value
        except UsageError:
            return None

    @cached_property
    def recipes(self) -> tuple[ReportedRecipe, ...]:
        """Every recipe that was measured, the best one first, then by its mean on the searched questions."""
        members = set(self.may_be_best)
        compared, front = set(self.compared.tolist()), set(self.front)
        cheapest = self.cheapest_row
        figures = self.figures
        rows = [
            ReportedRecipe(
                recipe,
                self.choices_of(recipe),
                figures.mean(self.goal, number, figures.parts.search),
                figures.mean(self.goal, number, figures.parts.holdout),
                _known(figures.seconds[number]),
                _known(figures.tokens[number]),
                figures.errors[number],
                number in compared,
                number in members,
                number == cheapest,
                number == self.best_row,
                number == self.recommended_row,
                number in front,
            )
            for number, recipe in enumerate(figures.recipes)
        ]
        rows.sort(key=lambda row: (not row.is_best, -self._sign * row.searched.mean if row.searched.n else np.inf))  # type: ignore[operator]  # a figure with n has a mean
        return tuple(rows)

    @cached_property
    def confidence(self) -> RecipeConfidenceSet | None:
        """The set not told apart from the best, over the rows `compared`; the cheapest is by tokens, then seconds."""
        if len(self.compared) < 2:
            return None
        table = self._searched(self._goodness)[self.compared]
        tokens, seconds = self.figures.tokens[self.compared], self.figures.seconds[self.compared]
        costs = tokens if np.nan_to_num(tokens).any() else seconds
        return _unless_too_few(lambda: recipe_confidence_set(table, self.search_groups, costs.tolist()))

    @property
    def leader_row(self) -> int | None:
        """The row of the compared recipe with the best mean of the goal, None where none are compared."""
        return None if self.confidence is None else int(self.compared[self.confidence.leader])

    @property
    def is_best_by_goal(self) -> bool:
        """Whether the recipe that the search took is the best by the goal, as far as recipes are compared.

        A greedy search judges nodes by other metrics, so it may take another one.
        """
        return self.leader_row in (None, self.best_row)

    @cached_property
    def may_be_best(self) -> tuple[int, ...]:
        """The rows of the recipes that are not told apart from the best; the best alone where nothing is compared."""
        if self.confidence is None:
            return () if self.best_row is None else (self.best_row,)
        members = {int(self.compared[member]): None for member in self.confidence.members}
        return tuple(members)

    @property
    def cheapest_row(self) -> int | None:
        """The row of the cheapest recipe of that set, None where costs are unknown or nothing is compared."""
        cheapest = self.confidence.cheapest if self.confidence else None
        return None if cheapest is None else int(self.compared[cheapest])

    @cached_property
    def luck(self) -> LuckGauge | None:
        """What the search gained beside what luck gains, by the search's own rule, among recipes that do not differ."""
        if len(self.compared) < 2:
            return None
        table = self._searched(self._goodness)[self.compared]
        return _unless_too_few(lambda: luck_gauge(table, self.search_groups, path=self.path))

    @cached_property
    def path(self) -> GreedyPath | None:
        """The decisions that led to the recipe taken; None for a search without any, which takes the best of all."""
        figures, steps = self.figures, list[PathStep]()
        if self.best_row is None or self.best_row not in self.compared:
            return None
        rules = {node.node: node.selection for node in figures.space.nodes}
        for item in self._decisions:
            rows = [self._numbers.get(Recipe.model_validate(each["recipe"]).fingerprint) for each in item["variants"]]
            taken, metrics = rows[item["taken"]], tuple(item["variants"][item["taken"]]["scores"])
            if taken is None or not metrics or not figures.scores.keys() >= set(metrics):
                return None
            eligible = [row for row, each in zip(rows, item["variants"], strict=True) if not each["excluded"]]
            base = steps[-1].taken if steps else rows[0]
            known = tuple(row for row in (*eligible, taken) if row is not None)
            rule = rules[item.get("judged_by") or item["node"]]
            steps.append(PathStep(known, taken if base is None else base, taken, metrics, rule))
        names = {name for step in steps for name in step.metrics}
        scores = {name: direction(name) * self._searched(figures.scores[name]) for name in names}
        compared = tuple(self.compared.tolist())
        return GreedyPath(self.best_row, compared, tuple(steps), scores) if steps else None

    @cached_property
    def shrinkage(self) -> Shrinkage | None:
        """The recommended recipe, of none the best one, on both halves, its sign turned where lower is better."""
        row = self.best_row if self.recommended_row is None else self.recommended_row
        if row is None or not self.figures.parts.holdout:
            return None
        scale = scale_of(self.goal)
        low, high = sorted((self._sign * scale.low, self._sign * scale.high))
        return _unless_too_few(
            lambda: shrinkage(
                self._searched(self._goodness),
                self.search_groups,
                self._goodness[:, list(self.figures.parts.holdout)],
                [self.figures.questions.groups[place] for place in self.figures.parts.holdout],
                recipe=row,
                low=low,
                high=high,
            )
        )

    @cached_property
    def languages(self) -> Specialisation | None:
        """The best recipe by language, and whether one for each pays; recipes are numbers of `figures.recipes`."""
        questions, parts = self.figures.questions, self.figures.parts
        if len(set(questions.languages)) < 2 or not parts.holdout or not len(self.compared):
            return None
        table = np.full(self._goodness.shape, np.nan)
        table[self.compared] = self._goodness[self.compared]
        return _unless_too_few(
            lambda: specialisation(
                table, questions.groups, questions.languages, parts.search, parts.holdout, width=self._width
            )
        )

    @cached_property
    def importances(self) -> tuple[Importance, ...]:
        """The importance of each node, over all searched questions and then by language; () where nothing varies."""
        if len(self.compared) < 2:
            return ()
        titles = [node.type.title for node in self.figures.space.nodes]
        choices = [dict(zip(titles, self._labels[row], strict=True)) for row in self.compared]
        questions, rows = self.figures.questions, self.figures.parts.search
        result = _unless_too_few(
            lambda: importances(
                choices,
                self._searched(self._goodness)[self.compared],
                self.search_groups,
                [questions.languages[row] for row in rows],
                width=self._width,
                draws=IMPORTANCE_DRAWS,
            )
        )
        return tuple(result or ())

    @cached_property
    def nodes(self) -> tuple[NodeFigures, ...]:
        """The figures of each node's variants."""
        best = None if self.best_row is None else self.figures.recipes[self.best_row]
        return node_figures(self.figures, best, self._decisions)

    @cached_property
    def front(self) -> tuple[int, ...]:
        """The rows of the compared recipes that no other beats at quality, tokens and time together."""
        rows = list(self.figures.parts.search)
        trials = [
            RecipeTrial(
                self.figures.recipes[row],
                {self.goal: self.figures.scores[self.goal][row, rows]},
                np.array([self.figures.seconds[row]]),
                np.array([self.figures.tokens[row]]),
            )
            for row in self.compared
        ]
        # Beside recipes whose answers were timed, one whose rankings alone were measured has no cost that compares.
        timed = [index for index, trial in enumerate(trials) if not np.isnan(trial.seconds).all()]
        places = timed or range(len(trials))
        front = pareto_front([trials[place] for place in places], self.goal)
        return tuple(int(self.compared[places[number]]) for number in front)

    @property
    def search_groups(self) -> list[str]:
        """The groups of the searched questions."""
        return [self.figures.questions.groups[row] for row in self.figures.parts.search]

    def choices_of(self, recipe: Recipe) -> str:
        """What a recipe takes at each node at which the search has a choice, in words."""
        number = self._numbers.get(recipe.fingerprint)
        labels = self._node_labels(recipe) if number is None else self._labels[number]
        choices = [
            label or choice_words({name: flat(recipe).get(name) for name in sorted(node.fields)})
            for node, label in zip(self.figures.space.nodes, labels, strict=True)
            if sum(module.size for module in node.modules) > 1
        ]
        return " · ".join(choices) or "the only recipe"

    def figure_in(self, language: str, recipe: int) -> tuple[MeanFigure, MeanFigure]:
        """A recipe's means in a language: on the searched questions, and on the held-out ones."""
        codes = self.figures.questions.languages
        sides = (self.figures.parts.search, self.figures.parts.holdout)
        searched, holdout = ([row for row in side if codes[row] == language] for side in sides)
        return self.figures.mean(self.goal, recipe, searched), self.figures.mean(self.goal, recipe, holdout)

    @cached_property
    def _labels(self) -> tuple[tuple[str, ...], ...]:
        """For each recipe the label of its variant at each node, "" where it has none of them."""
        return tuple(self._node_labels(recipe) for recipe in self.figures.recipes)

    def _node_labels(self, recipe: Recipe) -> tuple[str, ...]:
        numbers = variant_numbers(self.figures.space, recipe)
        return tuple(
            "" if number is None else labels[number]
            for number, labels in zip(numbers, self._variant_labels, strict=True)
        )

    @cached_property
    def _variant_labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple(variant_labels(node) for node in self.figures.space.nodes)

    @property
    def _width(self) -> float:
        scale = scale_of(self.goal)
        return scale.high - scale.low

    def _searched(self, table: FloatArray) -> FloatArray:
        return table[:, list(self.figures.parts.search)]


def report_of(workbench: Workbench, store: SearchStore, row: SearchRow) -> SearchReport:
    """The report of a stored search, finished or not. Raises UsageError where its questions changed."""
    best = row.outcome.get("best")
    figures = figures_of(workbench, store, row)
    return SearchReport(figures, Recipe.model_validate(best) if best else None, row.outcome.get("decisions", ()))


def _unless_too_few(action: Callable[[], Result]) -> Result | None:
    """What a statistic gives, None where there are too few questions, recipes or scores for it."""
    try:
        return action()
    except TooFewQuestions:
        return None


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
