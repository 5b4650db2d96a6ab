"""Retrieval alone, over a dataset: how often and how high are the gold passages found?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.datasets.library import DatasetLibrary
from workbench.metrics.ranking import RankingScores, score_rankings
from workbench.pipeline import components
from workbench.pipeline.recipe import Recipe
from workbench.pipeline.scope import languages_in
from workbench.pipeline.workbench import Workbench
from workbench.records import Query, Ranking
from workbench.storage.pieces import pieces

BATCH = 64


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Rankings by question id, their scores, and the mean wall-clock seconds a question (in batches)."""

    rankings: Mapping[str, Ranking]
    scores: RankingScores
    seconds: float


def evaluate_retrieval(
    workbench: Workbench,
    dataset: str,
    code: str,
    recipe: Recipe,
    k: int,
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalResult:
    """Retrieves `k` passages for every question of a dataset in one language and scores them.

    Raises UsageError for a corpus, dataset, language or scope that is not there.
    """
    corpus = workbench.corpus(recipe.corpus)
    questions = DatasetLibrary(workbench.settings.datasets).questions(dataset, code, corpus.languages)
    scope = languages_in(recipe.scope, code, corpus.languages)
    retriever = components.retriever(recipe, corpus, workbench.settings.home)
    rankings: dict[str, Ranking] = {}
    began = time.perf_counter()
    for batch in pieces(questions, BATCH):
        found = retriever.retrieve([Query(question.text, code, scope) for question in batch], k)
        rankings.update((question.id, ranking) for question, ranking in zip(batch, found, strict=True))
        if progress:
            progress(len(rankings), len(questions))
    seconds = (time.perf_counter() - began) / max(len(questions), 1)
    gold = {question.id: question.gold for question in questions}
    rows = corpus.lexical.rows_of({item for items in gold.values() for item in items})
    ids = list(rows)
    languages = {passage.id: passage.language for passage in corpus.table.passages([rows[item] for item in ids])}
    return RetrievalResult(rankings, score_rankings(rankings, gold, scope, languages), seconds)
