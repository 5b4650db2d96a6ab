"""What a search measured, read from the database as tables, and the figures of a plot per node.

A table has a row per recipe and a column per question. The figures of a node are what its variants came to, each metric
with its interval. Of a strategy that decides node by node, they are the recipes that it compared there. Of any other, a
variant's figure is the mean, question by question, of all measured recipes that have the variant.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from workbench.app import Workbench
from workbench.core import UsageError, canonical
from workbench.experiments import ExperimentInputs
from workbench.metrics import influences, mean_interval, scale_of
from workbench.optimise.measurement import FloatArray, KnownFigures, Part, QuestionSet, RecipeTrial, StoredTrials
from workbench.optimise.question_split import QuestionSplit, parts_of
from workbench.optimise.recipe_evaluator import material_fingerprint, material_of, search_questions
from workbench.optimise.search_store import SearchRow, SearchStore
from workbench.optimise.space.search_space import SearchSpace, SpaceNode
from workbench.pipeline import Recipe, field_title, flat, words

PARTS: tuple[Part, ...] = ("answer", "reranked", "ranking")
"""The parts of the pipeline, the most complete first."""
QUESTIONS_CHANGED = (
    "The questions, a corpus or the language identifier changed since this search began, so its figures no longer "
    "belong to the questions. Its best recipe stays; start a new search for more."
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
    for measurement in StoredTrials(store.engine, row.id).load():
        known.add(measurement)
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
    timed = (index for index, trial in enumerate(trials) if not np.isnan(trial.seconds).all())
    return reduce(_filled, trials), next(timed, len(PARTS))


def _filled(trial: RecipeTrial, other: RecipeTrial) -> RecipeTrial:
    """A trial with its gaps filled from another one; times of a recipe are those of one part, and are not mixed."""
    scores = {name: np.where(np.isnan(values), other.scores[name], values) for name, values in trial.scores.items()}
    has_times = bool((~np.isnan(trial.seconds)).any())
    seconds, tokens = (trial.seconds, trial.tokens) if has_times else (other.seconds, other.tokens)
    return RecipeTrial(trial.recipe, scores, seconds, tokens, max(trial.errors, other.errors))


def _mean(values: FloatArray) -> float:
    return float("nan") if np.isnan(values).all() else float(np.nanmean(values))


@dataclass(frozen=True, slots=True)
class VariantMark:
    """A variant of a node by one metric on the searched questions. `label` is its module with what it varies.

    `recipes` have it; `is_taken`: the strategy, or the best recipe, has it; `excluded`: why it was not eligible.
    """

    label: str
    choices: str
    metric: str
    figure: MeanFigure
    recipes: int
    is_taken: bool
    excluded: str = ""


@dataclass(frozen=True, slots=True)
class NodeFigures:
    """A node: `name`, `title` for people, its `marks`, and the `reason` for what was decided, "" where nothing was."""

    name: str
    title: str
    marks: tuple[VariantMark, ...]
    reason: str = ""


def node_figures(
    figures: SearchFigures, best: Recipe | None, decisions: Sequence[Mapping[str, Any]]
) -> tuple[NodeFigures, ...]:
    """The figures of each node, in the order of the pipeline; `decisions` as a search stores them."""
    by_node = {str(decision["node"]): decision for decision in decisions}
    return tuple(
        _decided(figures, index, by_node[node.node]) if node.node in by_node else _averaged(figures, index, best)
        for index, node in enumerate(figures.space.nodes)
    )


def choice_words(choices: Mapping[str, Any]) -> str:
    """Choices in words, fields by their titles.

    >>> choice_words({"retriever": "rrf", "rrf_k": 10})
    'Retriever: rrf, Constant of RRF: 10'
    """
    return ", ".join(f"{field_title(name)}: {words(value)}" for name, value in choices.items())


def variant_labels(node: SpaceNode) -> tuple[str, ...]:
    """A short label for each variant of a node: its module, where there are several, and the values that it varies."""
    labels = []
    for name, choices in node.variants():
        module = next(item for item in node.modules if item.name == name)
        varied = {field: value for field, value in choices.items() if len(module.values[field]) > 1}
        parts = [name] if len(node.modules) > 1 or not varied else []
        labels.append(", ".join([*parts, *([choice_words(varied)] if varied else [])]))
    return tuple(labels)


def variant_numbers(space: SearchSpace, recipe: Recipe) -> tuple[int | None, ...]:
    """The number of the variant that a recipe has at each node, the one with most choices; None where it has none."""
    values = {name: canonical(value) for name, value in {**recipe.model_dump(mode="json"), **flat(recipe)}.items()}
    numbers = []
    for variants in space.variants:
        fitting = [
            number
            for number, (_, choices) in enumerate(variants)
            if all(values.get(name) == canonical(value) for name, value in choices.items())
        ]
        numbers.append(max(fitting, key=lambda number: len(variants[number][1]), default=None))
    return tuple(numbers)


def _decided(figures: SearchFigures, place: int, decision: Mapping[str, Any]) -> NodeFigures:
    node = figures.space.nodes[place]
    rows = {recipe.fingerprint: number for number, recipe in enumerate(figures.recipes)}
    variants = figures.space.variants[place]
    labels = {canonical(item): label for (_, item), label in zip(variants, variant_labels(node), strict=True)}
    marks = []
    for number, item in enumerate(decision["variants"]):
        recipe = rows.get(Recipe.model_validate(item["recipe"]).fingerprint)
        for metric in item["scores"]:
            if recipe is None or metric not in figures.scores:
                continue
            marks.append(
                VariantMark(
                    labels.get(canonical(item["choices"]), item["module"]),
                    choice_words(item["choices"]),
                    metric,
                    figures.mean(metric, recipe, figures.parts.search),
                    1,
                    number == decision["taken"],
                    item["excluded"] or "",
                )
            )
    return NodeFigures(node.node, node.type.title, tuple(marks), decision["reason"])


def _averaged(figures: SearchFigures, place: int, best: Recipe | None) -> NodeFigures:
    space = figures.space
    node, variants = space.nodes[place], space.variants[place]
    owners = [variant_numbers(space, recipe)[place] for recipe in figures.recipes]
    best_variant = None if best is None else variant_numbers(space, best)[place]
    labels = variant_labels(node)
    groups = [figures.questions.groups[row] for row in figures.parts.search]
    marks = []
    for number, (_, choices) in enumerate(variants):
        rows = [row for row, owner in enumerate(owners) if owner == number]
        for metric in dict.fromkeys((*space.judges_of(place), space.goal)) if rows else ():
            table = figures.scores[metric][np.ix_(rows, figures.parts.search)]
            count = int(np.count_nonzero((~np.isnan(table)).any(axis=1)))
            figure = mean_figure(_column_means(table), groups, metric)
            marks.append(
                VariantMark(labels[number], choice_words(choices), metric, figure, count, number == best_variant)
            )
    return NodeFigures(node.node, node.type.title, tuple(marks))


def _column_means(table: FloatArray) -> FloatArray:
    """The mean of each column over what it has, NaN where it has nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value is NaN, as it should be
        return np.asarray(np.nanmean(table, axis=0), dtype=np.float64)
