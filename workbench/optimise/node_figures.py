"""What the variants of a node came to, each metric with its interval: the figures of a plot per node.

Of a strategy that decides node by node, they are the recipes that it compared there. Of any other, a variant's figure
is the mean, question by question, of all measured recipes that have the variant.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.core import canonical
from workbench.optimise.recipe_trial import FloatArray
from workbench.optimise.search_figures import MeanFigure, SearchFigures, mean_figure
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_nodes import SpaceNode
from workbench.pipeline import Recipe, field_title, flat, words


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
    by_node = {str(item["node"]): item for item in decisions}
    return tuple(
        _decided(figures, place, by_node[node.node]) if node.node in by_node else _averaged(figures, place, best)
        for place, node in enumerate(figures.space.nodes)
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
