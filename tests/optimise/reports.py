"""Reports of searches whose scores are given: no pipeline is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.optimise.searches import small_space
from workbench.optimise.measurement import FloatArray, QuestionSet
from workbench.optimise.question_split import parts_of
from workbench.optimise.search_figures import SearchFigures
from workbench.optimise.search_report import SearchReport
from workbench.optimise.space.search_space import SearchSpace

GOAL = "char3_recall"


def questions_of(groups: int, languages: Sequence[str]) -> QuestionSet:
    """Questions of so many groups, each in all languages."""
    names = [(f"g{number}", code) for number in range(groups) for code in languages]
    ids = tuple(f"{group}-{code}" for group, code in names)
    return QuestionSet(ids, tuple(code for _, code in names), tuple(group for group, _ in names), ("d",) * len(names))


def report_over(
    scores: FloatArray,
    languages: Sequence[str] = ("en",),
    *,
    space: SearchSpace | None = None,
    holdout: float = 0.5,
    tokens: Sequence[float] | None = None,
    decisions: Sequence[dict[str, Any]] = (),
    best: int | None = None,
) -> SearchReport:
    """A report of the first recipes of a space, `scores` of shape (recipes, questions) by the objective alone.

    Every other metric has the same scores.
    """
    space = space or small_space()
    recipes = tuple(space.recipes())[: len(scores)]
    questions = questions_of(scores.shape[1] // len(languages), languages)
    count = len(recipes)
    figures = SearchFigures(
        space,
        questions,
        parts_of(questions, holdout, 0),
        recipes,
        dict.fromkeys(space.metrics, scores),
        np.arange(1.0, count + 1),
        np.array(tokens if tokens is not None else np.zeros(count), dtype=np.float64),
        (0,) * count,
    )
    return SearchReport(figures, None if best is None else recipes[best], decisions)


def random_scores(recipes: int, questions: int, leads: Sequence[float] = (), *, seed: int = 1) -> FloatArray:
    """Scores between 0 and 1 in which the first recipes lead the others by `leads`."""
    generator = np.random.default_rng(seed)
    hard = generator.uniform(0.2, 0.6, questions)
    table = hard + generator.normal(0, 0.03, (recipes, questions))
    for number, lead in enumerate(leads):
        table[number] += lead
    return np.asarray(np.clip(table, 0, 1), dtype=np.float64)
