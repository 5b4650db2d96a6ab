"""LlamaIndex: passages as its nodes, a retriever of ours as one of its own, and its rerankers.

With these a recipe's retriever works in any LlamaIndex application, and its post-processors work on our passages. A
post-processor (Cohere, LongContextReorder, similarity cut-offs and others) may order candidates and drop some; it may
not add others, which have no place in the corpus's table. One that is named by its class is made when it is first used:
some load weights or look for a key as soon as they are made.

With RankGPT a language model puts numbered passages in order (Sun et al. (2023), arXiv 2304.09542). LlamaIndex's
RankGPTRerank formulates the prompt and parses the answer. As in the paper, a window slides over the candidates from the
last to the first, so that a good passage can climb all the way. There are no scores: 1 / rank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from workbench.core import (
    DataError,
    Hit,
    Passage,
    Query,
    Ranking,
    Retriever,
    UsageError,
    WorkbenchError,
    component,
    package_versions,
    shorten,
    without_thinking,
)
from workbench.languages import language as known_language
from workbench.models import POSTPROCESSOR, LlamaClass
from workbench.retrieval.rerank.cross_encoders import order_by_rank, order_by_score
from workbench.workspace import CANDIDATES_LIMIT

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import LLM, ChatMessage, ChatResponse
    from llama_index.core.postprocessor.rankGPT_rerank import RankGPTRerank
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import BaseNode, NodeWithScore, TextNode


HIDDEN = ("language", "position", "group", "page", "page_end", "heading")
"""Kept in a node's metadata, and not part of the text that is embedded or shown to a language model."""


class PassageSource(Protocol):
    """Gives the passages in given rows of a corpus's table."""

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages at `rows`, counted from 0, in that order."""
        ...


def to_node(passage: Passage) -> TextNode:
    """The passage as a node with its id, its document and its neighbours. What it embeds is `passage.searchable`."""
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    related = {
        NodeRelationship.SOURCE: passage.document,
        NodeRelationship.PREVIOUS: passage.previous,
        NodeRelationship.NEXT: passage.next,
    }
    facts = {
        "title": passage.title, "language": passage.language, "position": passage.position, "group": passage.group,
        "page": passage.page, "page_end": passage.page_end, "heading": passage.heading,
    }  # fmt: skip
    return TextNode(
        id_=passage.id,
        text=passage.text,
        metadata=facts if passage.title else {name: facts[name] for name in HIDDEN},
        relationships={kind: RelatedNodeInfo(node_id=name) for kind, name in related.items() if name},
        excluded_embed_metadata_keys=list(HIDDEN),
        excluded_llm_metadata_keys=list(HIDDEN),
        metadata_template="{value}",
        text_template="{metadata_str}\n{content}",
    )


def from_node(node: BaseNode) -> Passage:
    """The passage that a node holds; a node made elsewhere needs its `language` in the metadata.

    Raises DataError without one, UsageError for one that is not an ISO 639 code.
    """
    from llama_index.core.schema import MetadataMode

    language = node.metadata.get("language")
    if not language:
        raise DataError(
            f"The node {shorten(node.node_id)} has no language; set node.metadata['language'], such as 'en'."
        )
    source, previous, following = node.source_node, node.prev_node, node.next_node
    return Passage(
        id=node.node_id,
        document=source.node_id if source else node.node_id,
        title=str(node.metadata.get("title", "")),
        language=known_language(str(language)).code,
        text=node.get_content(MetadataMode.NONE),
        position=int(node.metadata.get("position", 0)),
        previous=previous.node_id if previous else "",
        next=following.node_id if following else "",
        group=str(node.metadata.get("group", "")),
        page=int(node.metadata.get("page", 0)),
        page_end=int(node.metadata.get("page_end", 0)),
        heading=str(node.metadata.get("heading", "")),
    )


def as_llama_retriever(
    retriever: Retriever, table: PassageSource, *, language: str, languages: Sequence[str], k: int = 5
) -> BaseRetriever:
    """`retriever` over the corpus whose passages `table` holds, as a LlamaIndex `BaseRetriever`.

    Questions are taken to be in `language`; `languages` is the scope. Nodes carry the ranking's score.
    """
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle

    class WorkbenchRetriever(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            (hits,) = retriever.retrieve([Query(query_bundle.query_str, language, tuple(languages))], k)
            passages = table.passages([hit.row for hit in hits])
            return [
                NodeWithScore(node=to_node(passage), score=hit.score)
                for hit, passage in zip(hits, passages, strict=True)
            ]

    return WorkbenchRetriever()


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


WINDOW, STEP = 20, 10
"""As in the paper."""
CHARACTERS = 1_500
"""Of a passage, as read by the model. RankGPTRerank cuts at 300 white-space words, so not in Chinese or Thai."""


class RankGptReranker:
    """Implements `Reranker` over a LlamaIndex language model. `revision` distinguishes versions of it."""

    def __init__(self, llm: LLM, *, window: int = WINDOW, step: int = STEP, revision: str = "") -> None:
        """`window` and `step` in passages. Raises UsageError unless 0 < step <= window."""
        if not 0 < step <= window:
            raise UsageError(f"A window of {window} cannot move by {step}; the step is from 1 to the window's size.")
        self._llm = llm
        self._window = window
        self._step = step
        self._revision = revision

    @property
    def identity(self) -> str:
        """Names the model, the window and the library; no address and no key."""
        return component(
            "rankgpt",
            llm=self._llm.class_name(),
            model=self._llm.metadata.model_name,
            revision=self._revision,
            window=self._window,
            step=self._step,
            characters=CHARACTERS,
            library=package_versions("llama-index-core"),
        )

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """All `hits` in the model's order. Raises WorkbenchError where the model failed or named no passage."""
        order = list(range(len(hits)))
        for start in window_starts(len(hits), self._window, self._step):
            window = slice(start, start + self._window)
            order[window] = self._ordered(query.text, order[window], passages)
        return order_by_rank([hits[place] for place in order])

    def _ordered(self, question: str, places: Sequence[int], passages: Sequence[Passage]) -> list[int]:
        from llama_index.core.schema import NodeWithScore

        cut = [replace(passages[place], title="", text=passages[place].searchable[:CHARACTERS]) for place in places]
        # Numbered by place: two candidates may have nothing else to distinguish them.
        nodes = [NodeWithScore(node=to_node(replace(text, id=str(i))), score=0.0) for i, text in enumerate(cut)]
        try:
            ranked_nodes = _strict(self._llm, len(nodes)).postprocess_nodes(nodes, query_str=question)
        except WorkbenchError:
            raise
        except Exception as error:  # whatever a service's client raises
            # Not chained: a client's message may repeat the address or part of the key.
            raise WorkbenchError(
                f"The reranking model “{shorten(self._llm.metadata.model_name)}” failed ({type(error).__name__}); "
                "check its address, key and model name."
            ) from None
        return [places[int(node.node.node_id)] for node in ranked_nodes]


def window_starts(candidates: int, window: int, step: int) -> list[int]:
    """Where each window begins, the last candidates first.

    >>> window_starts(45, 20, 10)
    [25, 15, 5, 0]
    """
    if candidates < 2:
        return []
    starts = list(range(max(candidates - window, 0), 0, -step))
    return [*starts, 0]


def named_places(answer: str, candidates: int) -> list[int]:
    """The places (from 0) that an answer names, in its order; numbers in brackets where it has any.

    What a model wrote while thinking does not count.

    >>> named_places("<think>[1]?</think>Of 3 passages: [2] > [3] > [2] > [9]", 3)
    [1, 2]
    """
    text = without_thinking(answer)
    numbers = re.findall(r"\[([0-9]{1,6})\]", text) or re.findall(r"[0-9]{1,6}", text)
    return [place for place in dict.fromkeys(int(number) - 1 for number in numbers) if 0 <= place < candidates]


def _no_passage_named(llm: LLM) -> WorkbenchError:
    return WorkbenchError(
        f"The reranking model “{shorten(llm.metadata.model_name)}” named no passage in its answer; "
        "choose a model that follows instructions."
    )


def _strict(llm: LLM, top_n: int) -> RankGPTRerank:
    """RankGPTRerank that fails where an answer names no passage; the original would return the old order as new."""
    from llama_index.core.postprocessor.rankGPT_rerank import RankGPTRerank
    from llama_index.core.prompts.default_prompts import RANKGPT_RERANK_PROMPT

    class Strict(RankGPTRerank):
        def run_llm(self, messages: Sequence[ChatMessage]) -> ChatResponse:
            response = super().run_llm(messages)
            if response.message.content is None:
                raise _no_passage_named(llm)
            return response

        def _receive_permutation(self, item: dict[str, Any], permutation: str) -> list[int]:
            order = named_places(permutation, len(item["hits"]))
            if not order:
                raise _no_passage_named(llm)
            return order + [place for place in range(len(item["hits"])) if place not in order]

    return Strict(top_n=top_n, llm=llm, rankgpt_rerank_prompt=RANKGPT_RERANK_PROMPT)
