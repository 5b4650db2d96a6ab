"""A recipe in another application: its search as a LlamaIndex retriever, all of it as a LlamaIndex query engine.

The query engine answers as `Workbench.ask` does, with search, translation, prompt, generator and what follows it. The
retriever has everything up to the reranker: the question's translation where the mode or the recipe asks for it, scope,
retriever, encoder, language balance, candidates, reranker and k. CrossRAG's translation of the passages, the prompt and
the generator are not in it: they are the application's. How to use both: docs/take-a-recipe-out.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench import languages
from workbench.app.question import LazySearchComponents, checked_question
from workbench.components import Registry
from workbench.core import Answer, Evidence, Query, Ranking, UsageError
from workbench.data import Corpus
from workbench.pipeline import Chain, Executor, Recipe, State, search_stages
from workbench.retrieval import as_llama_retriever, to_node

if TYPE_CHECKING:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore


def llama_query_engine(ask: Callable[[str], Answer], search: Callable[[str], Sequence[Evidence]]) -> BaseQueryEngine:
    """A query engine that answers by `ask` and retrieves by `search`; it raises what they raise.

    A response's text is the answer, its source nodes are the evidence, best first. Its metadata hold `language`,
    `answer_language`, `question_translation` (None where there is none), `note` and `usage` in tokens (None where none
    were counted). CrossRAG's nodes have the original as text and `translation` in their metadata.
    """
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.response.schema import Response
    from llama_index.core.schema import QueryBundle

    class RecipeQueryEngine(BaseQueryEngine):
        def _get_prompt_modules(self) -> dict[str, Any]:
            return {}

        def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return _nodes(search(query_bundle.query_str))

        def _query(self, query_bundle: QueryBundle) -> Response:
            answer = ask(query_bundle.query_str)
            return Response(answer.text, _nodes(answer.evidence), _metadata(answer))

        async def _aquery(self, query_bundle: QueryBundle) -> Response:
            return await asyncio.to_thread(self._query, query_bundle)

    return RecipeQueryEngine(None)


def _nodes(evidence: Sequence[Evidence]) -> list[NodeWithScore]:
    """The passages as nodes, each with the score of the last stage that ranked it."""
    from llama_index.core.schema import NodeWithScore

    nodes = []
    for item in evidence:
        node = to_node(item.passage)
        if item.translation is not None:
            node.metadata["translation"] = item.translation.text
            node.excluded_embed_metadata_keys.append("translation")
            node.excluded_llm_metadata_keys.append("translation")
        nodes.append(NodeWithScore(node=node, score=list(item.scores.values())[-1]))
    return nodes


def _metadata(answer: Answer) -> dict[str, Any]:
    usage, translation = answer.generation.usage, answer.question_translation
    return {
        "language": answer.language,
        "answer_language": answer.answer_language,
        "question_translation": None if translation is None else translation.text,
        "note": answer.generation.note,
        "usage": None
        if usage is None
        else {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens},
    }


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
    scope = recipe.searched(asker, corpus.languages)
    search = Search(Chain(stages, "search"))
    return as_llama_retriever(search, corpus.table, language=asker, languages=scope, k=recipe.k)
