"""An evaluator that looks up what an exhaustive search measured: searches over it take no time and count what they ask.

It can be narrowed to one language, or given another sample of the groups of questions, drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.optimise.exhaustive import Measured
from workbench.optimise.measurement import FloatArray, QuestionSet, RecipeTrial, part_of
from workbench.pipeline.recipe import Recipe


@dataclass
class LookupEvaluator:
    """Implements `Evaluator` over the columns `columns` of the measured questions; a column may occur repeatedly.

    `answered` holds, by recipe, which questions an answer was needed for, `ranked` those where a ranking was enough.
    """

    measured: Measured
    columns: NDArray[np.int64]
    questions: QuestionSet
    answered: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    ranked: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._trials: Mapping[str, RecipeTrial] = {trial.recipe.fingerprint: trial for trial in self.measured.trials}

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        """One trial per recipe, in order, on some rows."""
        inside = np.zeros(len(self.questions), dtype=bool)
        inside[list(range(len(self.questions)) if rows is None else rows)] = True
        needed = self.answered if part_of(metrics) == "answer" else self.ranked
        return [self._trial(recipe, metrics, inside, needed) for recipe in recipes]

    @property
    def calls(self) -> int:
        """Recipes times questions that an answer was generated for."""
        return sum(int(rows.sum()) for rows in self.answered.values())

    @property
    def rankings(self) -> int:
        """Recipes times questions of which the ranking alone was looked at."""
        empty = np.zeros(len(self.questions), dtype=bool)
        return sum(int((rows & ~self.answered.get(name, empty)).sum()) for name, rows in self.ranked.items())

    def table(self, metric: str) -> FloatArray:
        """All scores of a metric, shape (recipes, questions), recipes in the order measured."""
        return np.stack([trial.scores[metric][self.columns] for trial in self.measured.trials])

    def _trial(
        self,
        recipe: Recipe,
        metrics: Sequence[str],
        inside: NDArray[np.bool_],
        needed: dict[str, NDArray[np.bool_]],
    ) -> RecipeTrial:
        stored = self._trials[recipe.fingerprint]
        needed[recipe.fingerprint] = needed.get(recipe.fingerprint, np.zeros_like(inside)) | inside

        def values(column: FloatArray) -> FloatArray:
            return np.where(inside, column[self.columns], np.nan)

        scores = {metric: values(stored.scores[metric]) for metric in metrics}
        return replace(stored, scores=scores, seconds=values(stored.seconds), tokens=values(stored.tokens))


def over(measured: Measured, language: str = "", rng: np.random.Generator | None = None) -> LookupEvaluator:
    """An evaluator of the questions in a language ("" for all), their groups drawn anew by `rng` where there is one."""
    questions = measured.questions
    rows = np.arange(len(questions)) if not language else np.array(questions.rows(frozenset({language})))
    by_group: dict[str, list[int]] = {}
    for row in rows.tolist():
        by_group.setdefault(questions.groups[row], []).append(row)
    names = list(by_group)
    if rng is None:
        draw = [(name, name) for name in names]
    else:
        # A group that is drawn twice counts as two.
        draw = [
            (f"{names[place]}/{copy}", names[place])
            for copy, place in enumerate(rng.integers(len(names), size=len(names)))
        ]
    columns = [row for _, name in draw for row in by_group[name]]
    groups = [label for label, name in draw for _ in by_group[name]]
    subset = QuestionSet(
        tuple(questions.ids[row] for row in columns),
        tuple(questions.languages[row] for row in columns),
        tuple(groups),
        tuple(questions.datasets[row] for row in columns),
    )
    return LookupEvaluator(measured, np.array(columns, dtype=np.int64), subset)
