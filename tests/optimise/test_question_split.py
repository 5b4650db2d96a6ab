"""What a strategy sees of the questions, and which recipes are measured on the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.optimise.searches import searched, small_space
from workbench.app.workbench import Workbench
from workbench.optimise.measurement import QuestionSet, RecipeTrial, StoredTrials
from workbench.optimise.question_split import QuestionPart, compared_rows, finalists, parts_of, questions_in
from workbench.optimise.search_figures import figures_of
from workbench.pipeline.recipe import Recipe, make_recipe

GOAL = "char3_recall"


def questions_of(groups: int, languages: Sequence[str] = ("en",)) -> QuestionSet:
    names = [(f"g{number}", code) for number in range(groups) for code in languages]
    ids = tuple(f"{group}-{code}" for group, code in names)
    return QuestionSet(ids, tuple(code for _, code in names), tuple(group for group, _ in names), ("d",) * len(names))


def trials_of(table: Sequence[Sequence[float]]) -> list[RecipeTrial]:
    rows = [np.array(row, dtype=np.float64) for row in table]
    recipes = [make_recipe({"k": number + 1}) for number in range(len(rows))]
    return [
        RecipeTrial(recipe, {GOAL: row}, np.ones(len(row)), np.zeros(len(row)))
        for recipe, row in zip(recipes, rows, strict=True)
    ]


class Recording:
    """An evaluator that scores a question by its row, and records which rows it was given."""

    def __init__(self, questions: QuestionSet) -> None:
        self.questions = questions
        self.rows: list[tuple[int, ...]] = []

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        self.rows.append(tuple(range(len(self.questions)) if rows is None else rows))
        scores = np.full(len(self.questions), np.nan)
        scores[list(self.rows[-1])] = self.rows[-1]
        return [RecipeTrial(recipe, dict.fromkeys(metrics, scores), scores, scores) for recipe in recipes]


def test_a_part_passes_on_its_own_rows_alone_and_numbers_them_from_zero() -> None:
    evaluator = Recording(questions_of(6))
    part = QuestionPart(evaluator, (1, 3, 5))
    assert part.questions.groups == ("g1", "g3", "g5")
    (trial,) = part.evaluate([make_recipe({})], [GOAL])
    assert trial.scores[GOAL].tolist() == [1.0, 3.0, 5.0]
    part.evaluate([make_recipe({})], [GOAL], [2])
    assert evaluator.rows == [(1, 3, 5), (5,)]


def test_one_group_alone_is_searched_and_nothing_held_out() -> None:
    parts = parts_of(questions_of(1, ("en", "fi")), 0.5, 0)
    assert (parts.search, parts.holdout) == ((0, 1), ())


def test_recipes_that_a_race_stopped_are_not_compared() -> None:
    gap = float("nan")
    table = np.array([[1.0, 1.0, 1.0], [1.0, gap, gap], [0.0, 0.0, 0.0], [gap, gap, gap]])
    assert compared_rows(table).tolist() == [0, 2]


def test_the_finalists_are_those_not_told_apart_from_the_best_and_the_best_comes_first() -> None:
    good = [0.9, 0.8] * 10
    trials = trials_of([[0.1, 0.0] * 10, good, good])
    names = [recipe.k for recipe in finalists(trials, trials[2].recipe, GOAL, questions_of(20))]
    assert names == [3, 2]


def test_the_best_recipe_of_each_language_is_a_finalist() -> None:
    # The third is best in Finnish and far behind elsewhere.
    trials = trials_of([[1.0, 0.0] * 20, [0.9, 0.1] * 20, [0.0, 0.2] * 20])
    names = {recipe.k for recipe in finalists(trials, trials[0].recipe, GOAL, questions_of(20, ("en", "fi")))}
    assert names >= {1, 3}


def test_a_strategy_never_measures_a_held_out_question_and_the_finalists_are_measured_on_all(
    workbench: Workbench,
) -> None:
    jobs, search_id, row = searched(workbench, small_space(questions=4), holdout=0.5)
    figures = figures_of(workbench, jobs.store, row)
    pieces = list(StoredTrials(jobs.engine, search_id).load())
    searching = set(figures.parts.search)
    assert len(searching) == len(figures.parts.holdout) == 4
    confirmed = {piece.recipe for piece in pieces if not searching.issuperset(piece.rows)}
    assert row.progress["confirming"] == len(confirmed) > 0
    assert row.outcome["best"] and Recipe.model_validate(row.outcome["best"]).fingerprint in confirmed
    assert row.progress["best"]["metrics"][GOAL]["n"] == 4
    measured = ~np.isnan(figures.scores[GOAL][:, list(figures.parts.holdout)])
    recipes = {figures.recipes[number].fingerprint for number in np.flatnonzero(measured.all(axis=1))}
    assert recipes == confirmed
    groups = questions_in(figures.questions, figures.parts.holdout).groups
    assert not set(groups) & set(questions_in(figures.questions, figures.parts.search).groups)
