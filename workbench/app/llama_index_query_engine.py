"""A complete recipe as a LlamaIndex query engine, for use in another application.

Search, translation, prompt, generator and what follows it are all included: a query is answered as `Workbench.ask`
answers it. How to use it: docs/take-a-recipe-out.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import Answer, Evidence
from workbench.retrieval import to_node

if TYPE_CHECKING:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
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
