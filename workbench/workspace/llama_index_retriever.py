"""A recipe taken out: what it finds, as a LlamaIndex retriever for an application of one's own.

Everything up to the reranker goes along: the question's translation where the mode or the recipe asks for it, scope,
retriever, encoder, language balance, candidates, reranker and k. CrossRAG's translation of the passages, the prompt and
the generator do not: they are the application's. How to use it: docs/take-a-recipe-out.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.components import parts
from workbench.corpora.corpus_library import Corpus
from workbench.errors import UsageError
from workbench.languages import language
from workbench.pipeline.chain import build_chain
from workbench.pipeline.stage import Chain
from workbench.pipeline.stages import Rerank
from workbench.pipeline.state import State
from workbench.recipes.recipe import Recipe
from workbench.recipes.scope import languages_in
from workbench.records import Query, Ranking
from workbench.retrieval.llama_nodes import as_llama_retriever
from workbench.workspace.question import checked_question

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever


@dataclass(frozen=True)
class Search:
    """Implements `Retriever` by the stages of a recipe up to the reranker. Nothing is remembered."""

    chain: Chain

    @property
    def identity(self) -> str:
        return self.chain.identity

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """Raises UsageError for a question that cannot be asked, and what a component raises."""
        states = [State(checked_question(query.text), query.language, query.languages) for query in queries]
        return [(state.ranking or ())[:k] for state in self.chain.run(states)]


def llama_retriever(recipe: Recipe, corpus: Corpus, home: Path, code: str) -> BaseRetriever:
    """The recipe's search over `corpus` for questions in the language `code`.

    Raises UsageError for a recipe that searches nothing, a language that is none and a scope that holds nothing.
    """
    asked_in = language(code).code
    # The generator stays behind, so its weights or its key need not be here.
    components = parts.parts(recipe.with_(generator=parts.EXTRACTIVE), corpus, home)
    stages = build_chain(recipe, components).stages
    last = next((place for place, stage in enumerate(stages) if isinstance(stage, Rerank)), None)
    if last is None:
        raise UsageError(
            f"A recipe of mode {recipe.mode} searches nothing, so there is no retriever to take out. "
            "For example: mode: multirag"
        )
    scope = languages_in(recipe.scope, asked_in, corpus.languages)
    search = Search(Chain(stages[: last + 1], "search"))
    return as_llama_retriever(search, corpus.table, language=asked_in, languages=scope, k=recipe.k)
