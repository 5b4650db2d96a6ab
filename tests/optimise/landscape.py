"""A planted landscape: recipes scored from a table of what each choice is worth, so that the best one is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from workbench.core.stopping import JobStopped
from workbench.optimise.measurement import FloatArray, QuestionSet, RecipeTrial
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.strategies.search_outcome import SearchStep
from workbench.pipeline.recipe import Recipe

WORTH: Mapping[str, Mapping[Any, float]] = {
    "retriever": {"lexical": 0.00, "rrf": 0.06, "dbsf": 0.10},
    "fusion_weight": {0.3: 0.00, 0.5: 0.03, 0.7: 0.05},
    "balance": {"none": 0.02, "equal": 0.00},
    "k": {3: 0.00, 5: 0.04, 10: 0.01},
    "mode": {"monorag": 0.00, "multirag": 0.05, "crossrag": 0.08},
    "generator": {"extractive": 0.00, "gpt-4o": 0.12, "gpt-3.5-turbo": 0.07},
}
"""What each value of a field adds to a score of 0.3."""
SPACE: Mapping[str, Any] = {
    "name": "Planted",
    "seed": 7,
    "objective": "char3_recall",
    "recipe": {"corpus": "sample", "encoder": "builtin"},
    "nodes": [
        {"node": "mode", "modules": [{"name": name, "values": {"mode": name}} for name in WORTH["mode"]]},
        {
            "node": "retrieval",
            "metrics": ["mrr"],
            "modules": [
                {"name": "BM25", "values": {"retriever": "lexical"}},
                {"name": "RRF", "values": {"retriever": "rrf"}},
                {"name": "DBSF", "values": {"retriever": "dbsf", "fusion_weight": [0.3, 0.5, 0.7]}},
            ],
        },
        {"node": "language-balance", "modules": [{"name": "balance", "values": {"balance": ["equal", "none"]}}]},
        {"node": "reranker", "modules": [{"name": "k", "values": {"k": [3, 5, 10]}}]},
        {
            "node": "generator",
            "metrics": ["char3_recall"],
            "modules": [{"name": name, "values": {"generator": name}} for name in WORTH["generator"]],
        },
    ],
}
"""Five nodes of 3, 5, 2, 3 and 3 variants: 270 recipes."""


def planted_space(**choices: Any) -> SearchSpace:
    """The planted space with some keys changed."""
    return SearchSpace.model_validate({**SPACE, **choices})


def planted_questions(count: int = 24) -> QuestionSet:
    """Questions in two languages, each twice: once per language."""
    return QuestionSet(
        tuple(f"q{number}" for number in range(count)),
        tuple("fi" if number % 2 else "en" for number in range(count)),
        tuple(f"g{number // 2}" for number in range(count)),
        ("sample",) * count,
    )


def true_worth(recipe: Recipe) -> float:
    """What the table gives a recipe."""
    return 0.3 + sum(values.get(getattr(recipe, name), 0.0) for name, values in WORTH.items())


@dataclass
class PlantedEvaluator:
    """Scores from the table, with noise of `noise` that a question gives every recipe in part and in part alone.

    It does nothing twice, as the product's: `calls` counts recipes times questions that were really measured. With
    `stop_after` it stops as a person would, after that number.
    """

    questions: QuestionSet = field(default_factory=planted_questions)
    noise: float = 0.02
    stop_after: int | None = None
    calls: int = 0
    requests: list[tuple[tuple[str, ...], tuple[str, ...], int]] = field(default_factory=list)
    _measured: dict[tuple[str, str], NDArray[np.bool_]] = field(default_factory=dict)

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        """One trial per recipe."""
        places = range(len(self.questions)) if rows is None else rows
        self.requests.append((tuple(recipe.fingerprint for recipe in recipes), tuple(metrics), len(places)))
        return [self._trial(recipe, metrics, places) for recipe in recipes]

    def _trial(self, recipe: Recipe, metrics: Sequence[str], places: Sequence[int]) -> RecipeTrial:
        size = len(self.questions)
        rows = np.zeros(size, dtype=bool)
        rows[list(places)] = True
        scores = {metric: np.where(rows, self._scores(recipe, metric, rows), np.nan) for metric in metrics}
        tokens = 0.0 if recipe.generator == "extractive" else 100.0 * recipe.k
        return RecipeTrial(recipe, scores, np.where(rows, 0.1 * recipe.k, np.nan), np.where(rows, tokens, np.nan))

    def _scores(self, recipe: Recipe, metric: str, rows: NDArray[np.bool_]) -> FloatArray:
        """All scores of a recipe; those of `rows` are measured, if they were not before."""
        measured = self._measured.setdefault((recipe.fingerprint, metric), np.zeros(rows.shape, dtype=bool))
        new = int(np.count_nonzero(rows & ~measured))
        if new and self.stop_after is not None and self.calls + new > self.stop_after:
            raise JobStopped
        self.calls += new
        measured |= rows
        both = _noise("questions", rows.size) + _noise(f"{recipe.fingerprint}/{metric}", rows.size)
        return np.asarray(true_worth(recipe) + self.noise * both, dtype=np.float64)


def _noise(word: str, size: int) -> FloatArray:
    """Numbers in [-1, 1[ that depend on a word alone."""
    return np.random.default_rng(crc32(word.encode())).uniform(-1, 1, size)


def unwatched(step: SearchStep) -> None:
    """A search that nobody watches."""
