"""Any LlamaIndex node post-processor as a reranker: Cohere, LongContextReorder, similarity cut-offs and others.

It may order candidates and drop some; it may not add others, which have no place in the corpus's table. One that is
named by its class is made when it is first used: some load weights or look for a key as soon as they are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from workbench.core import (
    Hit,
    Passage,
    Query,
    Ranking,
    UsageError,
    WorkbenchError,
    component,
    package_versions,
    shorten,
)
from workbench.models import POSTPROCESSOR, LlamaClass
from workbench.retrieval.llama_nodes import to_node
from workbench.retrieval.rerank.ordering import order_by_rank, order_by_score
from workbench.workspace import CANDIDATES_LIMIT

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore


LOCAL_POSTPROCESSORS = frozenset(
    f"llama_index.core.postprocessor:{name}" for name in ("LongContextReorder", "SimilarityPostprocessor")
)
"""Those of LlamaIndex's core that use order and scores alone, so that no text leaves this machine."""


class LlamaIndexReranker:
    """Implements `Reranker` with a post-processor's scores, or with its order.

    Where it changes the scores, they order the passages; where it leaves them as they were, its order applies and the
    score is 1 / rank. `parameters` distinguishes this post-processor from another of its class, in the identity.
    """

    def __init__(self, postprocessor: BaseNodePostprocessor, *, parameters: str = "") -> None:
        """Calls nothing."""
        self._postprocessor = postprocessor
        self._parameters = parameters

    @property
    def identity(self) -> str:
        """Names the post-processor's class, its parameters and the library."""
        name = self._postprocessor.class_name()
        return component(
            "llama-index-reranker",
            postprocessor=name if name != "BaseNodePostprocessor" else type(self._postprocessor).__name__,
            parameters=self._parameters,
            library=package_versions("llama-index-core"),
        )

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """The `hits` that it returns, best first.

        Raises UsageError where it adds passages, WorkbenchError where it fails.
        """
        by_id = {hit.id: hit for hit in hits}
        returned = self._process(query.text, hits, passages)
        remaining = [by_id[node.node.node_id] for node in returned if node.node.node_id in by_id]
        if len(remaining) < len(returned) or len({hit.id for hit in remaining}) < len(remaining):
            raise UsageError(
                f"The post-processor {type(self._postprocessor).__name__} added passages of its own; "
                "only one that orders or drops passages can be a reranker."
            )
        scores = [node.score for node in returned]
        if any(score is None for score in scores) or scores == [hit.score for hit in remaining]:
            return order_by_rank(remaining)
        return order_by_score(remaining, [float(score or 0.0) for score in scores], type(self._postprocessor).__name__)

    def _process(self, question: str, hits: Sequence[Hit], passages: Sequence[Passage]) -> list[NodeWithScore]:
        from llama_index.core.schema import NodeWithScore

        # Many read a node's bare text, so the title goes into it.
        texts = [replace(passage, title="", text=passage.searchable) for passage in passages]
        nodes = [
            NodeWithScore(node=to_node(passage), score=hit.score) for passage, hit in zip(texts, hits, strict=True)
        ]
        if not nodes:
            return []
        try:
            return self._postprocessor.postprocess_nodes(nodes, query_str=question)
        except WorkbenchError:
            raise
        except Exception as error:  # whatever a service's client raises
            # Not chained: a client's message may repeat the address or part of the key.
            raise WorkbenchError(
                f"The post-processor {type(self._postprocessor).__name__} failed ({shorten(type(error).__name__)}); "
                "check its address, key and model name."
            ) from None


class NamedReranker:
    """Implements `Reranker` by a post-processor's class, as in `llama_index.core.postprocessor:LongContextReorder`.

    It is made without arguments, so that a service finds its key as its documentation says; one that by default keeps
    only a few passages (`top_n`) is set to keep all, since the recipe's k cuts. One thread uses it at a time, since
    third-party classes may not be thread-safe.
    """

    def __init__(self, name: str) -> None:
        """Imports nothing.

        Raises UsageError for a name that is not a LlamaIndex post-processor's, MissingError where its package is not
        installed.
        """
        self._class = LlamaClass(name, POSTPROCESSOR)
        self._class.require()
        self._reranker: LlamaIndexReranker | None = None
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """Names the class and the version of its package."""
        return component("llama-index-reranker", postprocessor=self._class.name, library=self._class.version)

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """As `LlamaIndexReranker`; also raises MissingError or UsageError where the class cannot be loaded or made."""
        with self._lock:
            if self._reranker is None:
                self._reranker = LlamaIndexReranker(self._class.make(top_n=CANDIDATES_LIMIT))
            return self._reranker.rerank(query, hits, passages)
