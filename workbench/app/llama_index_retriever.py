"""A recipe's search as a LlamaIndex retriever, for use in another application.

Everything up to the reranker is included: the question's translation where the mode or the recipe asks for it, scope,
retriever, encoder, language balance, candidates, reranker and k. CrossRAG's translation of the passages, the prompt and
the generator are not: they are the application's. How to use it: docs/take-a-recipe-out.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench import languages
from workbench.app.question_check import checked_question
from workbench.app.search_components import LazySearchComponents
from workbench.components import Registry
from workbench.core import Query, Ranking, UsageError
from workbench.data import Corpus
from workbench.pipeline import Chain, Executor, Recipe, State, languages_in, search_stages
from workbench.retrieval import as_llama_retriever

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever


@dataclass(frozen=True)
class Search:
    """Implements `Retriever` by the search of a recipe. Nothing is cached."""

    chain: Chain

    @property
    def identity(self) -> str:
        """The identity of every stage of the search."""
        return self.chain.identity

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """One ranking per query, at most `k` hits each.

        Raises UsageError for a question that cannot be asked, and what a component raises.
        """
        states = [State(checked_question(query.text), query.language, query.languages) for query in queries]
        return [_passed(item.state)[:k] for item in Executor().run(self.chain, states)]


def _passed(state: State) -> Ranking:
    """The hits of the evidence: as many as the recipe gives its generator, without what its filter drops."""
    passages = {item.passage.id for item in state.evidence}
    return tuple(hit for hit in state.final_ranking if hit.id in passages)


def llama_retriever(recipe: Recipe, corpus: Corpus, registry: Registry, language: str) -> BaseRetriever:
    """The recipe's search over `corpus` for questions in a language.

    Raises UsageError for a recipe that searches nothing, an unknown language and a scope without passages; MissingError
    for a component that is not on this machine.
    """
    asker = languages.language(language).code
    stages = search_stages(recipe, LazySearchComponents(recipe, corpus, registry))
    if not stages:
        raise UsageError(
            f"A recipe of mode {recipe.mode} searches nothing, so there is no retriever to take out. "
            "For example: mode: multirag"
        )
    scope = languages_in(recipe.scope, asker, corpus.languages)
    search = Search(Chain(stages, "search"))
    return as_llama_retriever(search, corpus.table, language=asker, languages=scope, k=recipe.k)
