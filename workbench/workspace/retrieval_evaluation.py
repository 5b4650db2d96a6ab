"""Retrieval alone, over a dataset: how often and how high are the gold passages found, and which languages come up?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench.components import parts
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.metrics.language_share import LanguageBias, Shares, language_bias, language_shares
from workbench.metrics.ranking import RankingScores, score_rankings
from workbench.recipes.recipe import Recipe
from workbench.recipes.scope import languages_in
from workbench.records import Query, Ranking
from workbench.storage.batched import batched
from workbench.workspace.workbench import Workbench

BATCH = 64


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Rankings by question id, their scores, and the mean wall-clock seconds a question (in batches).

    `shares` are the languages of all passages in the `ranked` rankings that hold any; `bias` holds them against the
    gold passages within the scope, since no retriever could bring another.
    """

    rankings: Mapping[str, Ranking]
    scores: RankingScores
    seconds: float
    shares: Shares
    ranked: int
    bias: LanguageBias


def evaluate_retrieval(
    workbench: Workbench,
    dataset: str,
    code: str,
    recipe: Recipe,
    k: int,
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalResult:
    """Retrieves `k` passages for every question of a dataset in one language, reranks them where the recipe has a
    reranker, and scores them.

    Raises UsageError for a corpus, dataset, language or scope that is not there.
    """
    corpus = workbench.corpus(recipe.corpus)
    questions = DatasetLibrary(workbench.settings.datasets).questions(dataset, code, corpus.languages)
    scope = languages_in(recipe.scope, code, corpus.languages)
    retriever = parts.retriever(recipe, corpus, workbench.settings.home)
    reranker = parts.reranker(recipe.reranker, workbench.settings.home)
    rankings: dict[str, Ranking] = {}
    began = time.perf_counter()
    for batch in batched(questions, BATCH):
        queries = [Query(question.text, code, scope) for question in batch]
        found: Sequence[Ranking] = retriever.retrieve(queries, k)
        if recipe.reranker != parts.PASS:
            found = [
                reranker.rerank(query, hits, corpus.table.passages([hit.row for hit in hits]))
                for query, hits in zip(queries, found, strict=True)
            ]
        rankings.update((question.id, ranking) for question, ranking in zip(batch, found, strict=True))
        if progress:
            progress(len(rankings), len(questions))
    seconds = (time.perf_counter() - began) / max(len(questions), 1)
    gold = {question.id: question.gold for question in questions}
    rows = corpus.lexical.rows_of({item for items in gold.values() for item in items})
    ids = list(rows)
    languages = {passage.id: passage.language for passage in corpus.table.passages([rows[item] for item in ids])}
    reachable = {
        name: [languages[item] for item in items if languages.get(item) in scope] for name, items in gold.items()
    }
    return RetrievalResult(
        rankings=rankings,
        scores=score_rankings(rankings, gold, scope, languages),
        seconds=seconds,
        shares=language_shares(rankings.values()),
        ranked=sum(map(bool, rankings.values())),
        bias=language_bias(rankings, reachable),
    )
