"""A trial: one recipe measured question by question, which is what strategies and statistics are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.pipeline import Recipe

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a search, one row each: equally long tuples.

    `groups` names what a question is a translation of (its id in a parallel dataset, with the dataset's name):
    questions of one group are never split, and are one draw of a bootstrap or a permutation.
    """

    ids: tuple[str, ...]
    languages: tuple[str, ...]
    groups: tuple[str, ...]
    datasets: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, languages: frozenset[str]) -> tuple[int, ...]:
        """The rows of the questions in some languages, in order."""
        return tuple(row for row, code in enumerate(self.languages) if code in languages)


@dataclass(frozen=True, slots=True)
class RecipeTrial:
    """A recipe's figures, each an array of one value per row of the questions, shape (questions,).

    `scores` are by metric, NaN where a question was not measured or cannot be scored (unscored is not 0). `seconds` is
    the time that the answer's steps take when none is shared, `tokens` what a language model read and wrote (0 where
    none was called), both NaN where not measured. `errors` counts the questions that failed.
    """

    recipe: Recipe
    scores: Mapping[str, FloatArray]
    seconds: FloatArray
    tokens: FloatArray
    errors: int = 0


class Evaluator(Protocol):
    """Measures recipes; what was measured before is not measured again."""

    @property
    def questions(self) -> QuestionSet:
        """The questions that recipes are measured on."""

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        """One trial per recipe, in order, on some rows of the questions (all for None).

        Arrays are as long as `questions` all the same: NaN where a row was not measured. Raises JobStopped when the
        search is stopped. Metrics of retrieval alone (`metrics.ranking`) need no generator: the stages after the
        ranking are then not run.
        """
