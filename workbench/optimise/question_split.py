"""The two parts of a search's questions: strategies see one, the other confirms what they came to.

A strategy is given `QuestionPart`, an evaluator that knows the searched questions alone. Once it has ended, its
`finalists` are measured on the held-out questions, and only they: the best recipe, all that are not told apart from
it, and the best one in each language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.core import UsageError
from workbench.optimise.recipe_trial import Evaluator, FloatArray, QuestionSet, RecipeTrial
from workbench.optimise.selection.confidence_set import recipe_confidence_set
from workbench.optimise.selection.language_objectives import specialisation
from workbench.optimise.selection.split import QuestionSplit, split_questions
from workbench.optimise.space.space_metrics import direction
from workbench.pipeline import Recipe

HOLDOUT = 0.5
"""The share of the groups of questions that is held out where nothing else is said."""
COVERAGE = 0.8
"""The share of the most measured recipe's questions that a recipe must have to be compared: a race stops recipes."""
COMPARED = 1_000
"""Most recipes that are compared with each other, the best ones by their mean: pairs grow with the square."""


def parts_of(questions: QuestionSet, share: float, seed: int) -> QuestionSplit:
    """The questions in two parts by group; all are searched where there are fewer than two groups.

    `share` of the groups is held out. Raises UsageError for a share outside [0, 1[.
    """
    if len(set(questions.groups)) < 2:
        return QuestionSplit(tuple(range(len(questions))), ())
    return split_questions(questions, share, seed=seed)


def questions_in(questions: QuestionSet, rows: Sequence[int]) -> QuestionSet:
    """Some rows of the questions, in that order."""
    columns = (questions.ids, questions.languages, questions.groups, questions.datasets)
    return QuestionSet(*(tuple(column[row] for row in rows) for column in columns))


@dataclass(frozen=True)
class QuestionPart:
    """Implements `Evaluator` over `rows` of another one's questions: whoever has it sees no others."""

    evaluator: Evaluator
    rows: tuple[int, ...]

    @cached_property
    def questions(self) -> QuestionSet:
        """The questions of the part."""
        return questions_in(self.evaluator.questions, self.rows)

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        """One trial per recipe, its arrays as long as the part; see `Evaluator`. Raises what the other one raises."""
        places = self.rows if rows is None else [self.rows[row] for row in rows]
        index = np.array(self.rows, dtype=np.int64)
        return [
            RecipeTrial(
                trial.recipe,
                {name: scores[index] for name, scores in trial.scores.items()},
                trial.seconds[index],
                trial.tokens[index],
                trial.errors,
            )
            for trial in self.evaluator.evaluate(recipes, metrics, places)
        ]


def compared_rows(goodness: FloatArray) -> NDArray[np.int64]:
    """The rows of the recipes that may be compared, in order: (recipes, questions), higher is better, NaN unscored.

    Those with a score for COVERAGE of the questions that the most measured one has; at most COMPARED, the best ones.
    """
    counts = np.count_nonzero(~np.isnan(goodness), axis=1)
    if not counts.size or not counts.max():
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(counts >= COVERAGE * counts.max())
    means = np.nanmean(goodness[rows], axis=1)
    return np.sort(rows[np.argsort(-means, kind="stable")[:COMPARED]]).astype(np.int64)


def finalists(trials: Sequence[RecipeTrial], best: Recipe, goal: str, questions: QuestionSet) -> list[Recipe]:
    """The recipes to measure on held-out questions: `best` first, those not told apart, each language's best.

    `questions` are those of the search, which the trials are about.
    """
    nothing = np.full(len(questions), np.nan)
    table = np.array([trial.scores.get(goal, nothing) for trial in trials]).reshape(len(trials), len(questions))
    goodness = direction(goal) * table
    rows = compared_rows(goodness)
    recipes = [trials[row].recipe for row in rows]
    last = {best.fingerprint: best}
    if len(rows) > 1:
        members = recipe_confidence_set(goodness[rows], questions.groups).members
        places = [*members, *language_winners(goodness[rows], questions)]
        last.update({recipes[place].fingerprint: recipes[place] for place in places})
    return list(last.values())


def language_winners(goodness: FloatArray, questions: QuestionSet) -> tuple[int, ...]:
    """The rows of the best recipe over languages and of the best in each, on all of these questions."""
    if len(set(questions.languages)) < 2:
        return ()
    # A question that nobody has a score for takes the place of the held-out ones: winners do not depend on them.
    unscored = np.full((len(goodness), 1), np.nan)
    groups, languages = (*questions.groups, "\0"), (*questions.languages, questions.languages[0])
    rows = tuple(range(len(questions)))
    try:
        result = specialisation(np.hstack([goodness, unscored]), groups, languages, rows, (len(questions),))
    except UsageError:
        return ()  # no recipe has a score in every language
    return (result.single, *(item.winner for item in result.languages))
