"""A small space over the sample, and the searches of it."""

from __future__ import annotations

from typing import Any

from tests.jobs.waiting import work_on
from workbench.app.workbench import Workbench
from workbench.optimise.recipe_evaluator import NoLog, RecipeEvaluator, TrialLog, fixed_fields, material_of
from workbench.optimise.search_store import SearchJobs, SearchRow
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import FORM
from workbench.optimise.spending import SearchOptions

SOON = 0.02
# A prompt that names no language, so that no gloss has to be learnt.
RECIPE = {
    "prompt": "reply-short-en",
    "corpus": "sample",
    "encoder": "builtin",
    "generator": "extractive",
    "translator": "builtin",
}


def small_space(**choices: Any) -> SearchSpace:
    """Six recipes over three English and three Finnish questions, unless the choices say otherwise."""
    values: dict[str, Any] = {
        "name": "Small",
        "languages": ["en", "fi"],
        "questions": 3,
        "recipe": RECIPE,
        "nodes": [
            {
                "node": "retrieval",
                "metrics": ["mrr"],
                "modules": [
                    {"name": "BM25", "values": {"retriever": ["lexical"]}},
                    {"name": "RRF", "values": {"retriever": ["rrf"]}},
                ],
            },
            {"node": "reranker", "modules": [{"name": "none", "values": {"k": [1, 3, 5]}}]},
        ],
        **choices,
    }
    return FORM.make(values)


def evaluator_of(workbench: Workbench, space: SearchSpace, log: TrialLog | None = None) -> RecipeEvaluator:
    """An evaluator of a space in this process."""
    return RecipeEvaluator(workbench, material_of(space), fixed_fields(space), log or NoLog())


class SearchesHere(SearchJobs):
    """Searches that work in the test's process, before their start returns."""

    def spawn(self, job_id: str, lock_number: int) -> None:
        work_on(self.settings, job_id)


def searched(workbench: Workbench, space: SearchSpace, **options: Any) -> tuple[SearchJobs, str, SearchRow]:
    """A search that was worked on to its end in this process; nothing is held out unless the options say so."""
    jobs = SearchesHere(workbench.settings)
    search_id = jobs.create(workbench, space, SearchOptions(**{"holdout": 0.0, **options}))
    jobs.start(search_id)
    return jobs, search_id, to_the_end(jobs, search_id)


def to_the_end(jobs: SearchJobs, search_id: str) -> SearchRow:
    """How a search ended."""
    list(jobs.watch(search_id, SOON))
    return jobs.status(search_id)
