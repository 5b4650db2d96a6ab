"""What a search measured, read from the database as tables: a row per recipe, a column per question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.experiments import ExperimentInputs
from workbench.metrics import influences, mean_interval, scale_of
from workbench.optimise.evaluation.measurement import KnownFigures, Part
from workbench.optimise.evaluation.recipe_evaluator import search_questions
from workbench.optimise.evaluation.search_material import material_fingerprint, material_of
from workbench.optimise.evaluation.stored_trials import StoredTrials
from workbench.optimise.question_split import parts_of
from workbench.optimise.recipe_trial import FloatArray, QuestionSet, RecipeTrial
from workbench.optimise.search_store import SearchRow, SearchStore
from workbench.optimise.selection.split import QuestionSplit
from workbench.optimise.space.search_space import SearchSpace
from workbench.pipeline import Recipe

PARTS: tuple[Part, ...] = ("answer", "reranked", "ranking")
"""The parts of the pipeline, the most complete first."""
QUESTIONS_CHANGED = (
    "The questions, a corpus or the language identifier changed since this search began, so its figures cannot be put "
    "beside the questions any more. Its best recipe stays; start a new search for more."
)


@dataclass(frozen=True, slots=True)
class MeanFigure:
    """A mean over `n` questions with its 95 % interval over groups; None where there is none."""

    mean: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class SearchFigures:
    """All that was measured of `recipes`: `scores` by metric of shape (recipes, questions), NaN where unscored.

    `seconds` and `tokens` are means of an answer, shape (recipes,), NaN where unknown; `errors` counts failed answers.
    """

    space: SearchSpace
    questions: QuestionSet
    parts: QuestionSplit
    recipes: tuple[Recipe, ...]
    scores: Mapping[str, FloatArray]
    seconds: FloatArray
    tokens: FloatArray
    errors: tuple[int, ...]

    def mean(self, metric: str, recipe: int, rows: Sequence[int]) -> MeanFigure:
        """The mean of a recipe on some rows of the questions."""
        return mean_figure(
            self.scores[metric][recipe, list(rows)], [self.questions.groups[row] for row in rows], metric
        )


def mean_figure(scores: FloatArray, groups: Sequence[str], metric: str) -> MeanFigure:
    """The mean of a metric's scores, shape (questions,), over those that are scored, with its interval over groups."""
    scored: list[int] = np.flatnonzero(~np.isnan(scores)).tolist()
    if not scored:
        return MeanFigure(None, None, None, 0)
    numbers: dict[str, int] = {}
    places = np.array([numbers.setdefault(groups[place], len(numbers)) for place in scored])
    sums = np.bincount(places, weights=scores[scored]).astype(np.float64)
    scale = scale_of(metric)
    interval = mean_interval(influences(sums, np.bincount(places).astype(np.float64)), low=scale.low, high=scale.high)
    mean = float(scores[scored].mean())
    return MeanFigure(mean, interval.low if interval else None, interval.high if interval else None, len(scored))


def figures_of(workbench: Workbench, store: SearchStore, row: SearchRow) -> SearchFigures:
    """The figures of a stored search. Raises UsageError where its questions or corpora are not what they were."""
    space = row.space
    inputs = ExperimentInputs(workbench, material_of(space))
    if material_fingerprint(inputs, space) != row.material:
        raise UsageError(QUESTIONS_CHANGED)
    _, questions = search_questions(inputs)
    known = KnownFigures(len(questions))
    for piece in StoredTrials(store.engine, row.id).load():
        known.add(piece)
    recipes = tuple(store.recipes(row.id))
    merged = [_merged(known, recipe, space.metrics, len(questions)) for recipe in recipes]
    trials = [trial for trial, _ in merged]
    # What an answer costs does not compare with what a ranking alone costs.
    most = min((place for _, place in merged), default=0)
    compares = np.array([place == most for _, place in merged], dtype=bool)
    parts = parts_of(questions, row.options.holdout, space.seed)
    searched = list(parts.search)
    return SearchFigures(
        space,
        questions,
        parts,
        recipes,
        {
            name: np.array([trial.scores[name] for trial in trials]).reshape(len(trials), len(questions))
            for name in space.metrics
        },
        np.where(compares, [_mean(trial.seconds[searched]) for trial in trials], np.nan),
        np.where(compares, [_mean(trial.tokens[searched]) for trial in trials], np.nan),
        tuple(trial.errors for trial in trials),
    )


def _merged(known: KnownFigures, recipe: Recipe, metrics: Sequence[str], size: int) -> tuple[RecipeTrial, int]:
    """A recipe's figures from all parts of the pipeline, those of the most complete one first.

    With them the place in PARTS of the part whose times they have; that after the last where nothing was timed.
    """
    trials = [known.trial(recipe, part, metrics, range(size)) for part in PARTS]
    timed = (place for place, trial in enumerate(trials) if not np.isnan(trial.seconds).all())
    return reduce(_filled, trials), next(timed, len(PARTS))


def _filled(trial: RecipeTrial, other: RecipeTrial) -> RecipeTrial:
    """A trial with its gaps filled from another one; times of a recipe are those of one part, and are not mixed."""
    scores = {name: np.where(np.isnan(values), other.scores[name], values) for name, values in trial.scores.items()}
    has_times = bool((~np.isnan(trial.seconds)).any())
    seconds, tokens = (trial.seconds, trial.tokens) if has_times else (other.seconds, other.tokens)
    return RecipeTrial(trial.recipe, scores, seconds, tokens, max(trial.errors, other.errors))


def _mean(values: FloatArray) -> float:
    return float("nan") if np.isnan(values).all() else float(np.nanmean(values))
