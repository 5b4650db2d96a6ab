"""Retrieval alone, over a dataset: how often and how high gold passages are ranked, and which languages come up."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.app.question import LazySearchComponents
from workbench.app.workbench import Workbench
from workbench.core import PassageLookup, Ranking
from workbench.data import DatasetLibrary
from workbench.languages import Detector
from workbench.metrics import LanguageBias, RankingScores, Shares, language_bias, language_shares, score_rankings
from workbench.pipeline import PASS, Chain, Executor, Recipe, State, languages_in, search_stages
from workbench.workspace import batched, verb

BATCH = 64
"""Questions that are retrieved together, and passages that are read together."""
UNDETERMINED = "und"
"""ISO 639-2's code of a text in no language that is known."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Rankings by question id, their scores, and the mean seconds per question on the clock (in batches).

    `scored_rankings` are those that are scored: where gold names pages, each hit has the name of its page for its id.
    `shares` are the languages of all passages in the `ranked` rankings that are not empty, by the corpus, and
    `identified_shares` by the workspace's language identifier ("und" where it finds none); `bias` compares the first
    with the gold passages within the scope, since no retriever could return another.
    """

    rankings: Mapping[str, Ranking]
    scored_rankings: Mapping[str, Ranking]
    scores: RankingScores
    seconds: float
    shares: Shares
    identified_shares: Shares
    ranked: int
    bias: LanguageBias


@verb("runs.start", "{dataset}")
def evaluate_retrieval(
    workbench: Workbench,
    dataset: str,
    language: str,
    recipe: Recipe,
    k: int,
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalResult:
    """Retrieves `k` passages for every question of a dataset in one language, and scores them.

    They are reranked where the recipe has a reranker, and joined by their neighbours before where it adds some; the k
    best count. No filter drops any. The search is by the question as it is, or by what the recipe expands it to, in
    every mode; a question that cannot be expanded ends the evaluation.
    Raises UsageError for a corpus, dataset, language or scope that does not exist, GenerationFailed.
    """
    corpus = workbench.corpus(recipe.corpus)
    questions = DatasetLibrary(workbench.settings.datasets).questions(dataset, language, corpus.languages)
    scope = languages_in(recipe.scope, language, corpus.languages)
    components = LazySearchComponents(recipe, corpus, workbench.registry)
    chain = _search(recipe, components, k)
    executor = Executor()
    rankings: dict[str, Ranking] = {}
    began = time.perf_counter()
    for batch in batched(questions, BATCH):
        states = [State(question.text, language, scope) for question in batch]
        for question, item in zip(batch, executor.run(chain, states), strict=True):
            rankings[question.id] = item.state.final_ranking[:k]
        if progress:
            progress(len(rankings), len(questions))
    seconds = (time.perf_counter() - began) / max(len(questions), 1)
    gold = {question.id: question.gold for question in questions}
    languages_of = corpus.golds.languages({item for items in gold.values() for item in items})
    reachable = {
        # In the scope's order: a page may be there in several languages.
        name: [code for item in items for code in scope if code in languages_of.get(item, ())]
        for name, items in gold.items()
    }
    scored = {name: _in_units(ranking, corpus.golds.units(gold[name], ranking)) for name, ranking in rankings.items()}
    return RetrievalResult(
        rankings=rankings,
        scored_rankings=scored,
        scores=score_rankings(scored, gold, scope, languages_of, k),
        seconds=seconds,
        shares=language_shares(rankings.values()),
        identified_shares=_identified_shares(rankings.values(), components.passages, workbench.registry.identifier()),
        ranked=sum(map(bool, rankings.values())),
        bias=language_bias(rankings, reachable),
    )


def _identified_shares(rankings: Collection[Ranking], passages: PassageLookup, detector: Detector) -> Shares:
    codes: dict[int, str] = {}
    for rows in batched(sorted({hit.row for ranking in rankings for hit in ranking}), BATCH):
        labels = (detector.detect(passage.text).language for passage in passages(rows))
        codes.update(zip(rows, labels, strict=True))
    return language_shares(
        tuple(replace(hit, language=codes[hit.row] or UNDETERMINED) for hit in ranking) for ranking in rankings
    )


def _in_units(ranking: Ranking, units: Sequence[str]) -> Ranking:
    return tuple(replace(hit, id=name) for hit, name in zip(ranking, units, strict=True))


def _search(recipe: Recipe, components: LazySearchComponents, k: int) -> Chain:
    """The stages that rank: without a reranker, the texts of the passages need not be read."""
    plain = recipe.with_(mode="multirag", translate_question=False, score_threshold=None, score_percentile=None)
    *ranking, rerank = search_stages(plain, components, candidates=k)
    return Chain(tuple(ranking) if recipe.reranker == PASS else (*ranking, rerank), "search")
