"""The two parts of a search's questions: strategies see one, the other confirms what they came to.

Choosing the best of many by its score on some questions and reporting that same score overstates it (Cawley and Talbot,
2010). The parts are drawn by group, so all translations of a question are on one side, and by strata: groups of one
dataset in the same languages are divided in the same proportion.

A strategy is given `QuestionPart`, an evaluator that knows the searched questions alone. Once it has ended, its
`finalists` are measured on the held-out questions, and only they: the best recipe, all that are not told apart from
it, and the best one in each language.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from workbench.core import UsageError
from workbench.optimise.measurement import Evaluator, FloatArray, QuestionSet, RecipeTrial
from workbench.optimise.selection.importance import specialisation
from workbench.optimise.selection.paired_scores import recipe_confidence_set
from workbench.optimise.space.search_space import direction
from workbench.pipeline import Recipe


@dataclass(frozen=True, slots=True)
class QuestionSplit:
    """Rows of the questions in ascending order: those that are searched on, and the held-out ones (`holdout`)."""

    search: tuple[int, ...]
    holdout: tuple[int, ...]


def split_questions(questions: QuestionSet, share: float = 0.5, *, seed: int = 0) -> QuestionSplit:
    """The questions split by group; `share` of the groups, rounded, is held out, at least one on either side.

    The same questions and seed give the same parts, whatever the order of the rows. A share of 0 holds nothing out.
    Raises UsageError for a share outside [0, 1[ and, unless it is 0, for fewer than two groups.

    >>> languages, groups = ("en", "fi") * 3, ("a", "a", "b", "b", "c", "c")
    >>> parts = split_questions(QuestionSet(tuple("123456"), languages, groups, ("d",) * 6), 1 / 3)
    >>> len(parts.search), len(parts.holdout)
    (4, 2)
    """
    if not 0 <= share < 1:
        raise UsageError(f"The share of held-out questions is at least 0 and below 1, not {share}; 0.5 is usual.")
    rows = range(len(questions))
    if share == 0:
        return QuestionSplit(tuple(rows), ())
    order = _order(questions, seed)
    if len(order) < 2:
        raise UsageError(
            f"{len(questions)} questions of {len(order)} group cannot be split: translations stay together. "
            "Ask more questions, or hold none out."
        )
    count = min(len(order) - 1, max(1, round(share * len(order))))
    # Every so many groups one is held out: strata follow each other, so each gives its share up to one group.
    drawn = {
        group for index, group in enumerate(order) if (index + 1) * count // len(order) > index * count // len(order)
    }
    parts = [tuple(row for row in rows if (questions.groups[row] in drawn) is side) for side in (False, True)]
    return QuestionSplit(*parts)


def _order(questions: QuestionSet, seed: int) -> list[str]:
    """The groups, stratum by stratum; strata and the groups in each are shuffled by the seed."""
    languages: dict[str, set[str]] = defaultdict(set)
    datasets: dict[str, str] = {}
    for group, language, dataset in zip(questions.groups, questions.languages, questions.datasets, strict=True):
        languages[group].add(language)
        datasets[group] = min(datasets.get(group, dataset), dataset)

    def place(group: str) -> tuple[bytes, bytes, bytes]:
        dataset = datasets[group]
        stratum = "\x1f".join([dataset, *sorted(languages[group])])
        return _draw(seed, dataset), _draw(seed, stratum), _draw(seed, group)

    return sorted(languages, key=place)


def _draw(seed: int, text: str) -> bytes:
    return sha256(f"{seed}\x1f{text}".encode()).digest()


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
    return (result.single, *(language.winner for language in result.languages))
