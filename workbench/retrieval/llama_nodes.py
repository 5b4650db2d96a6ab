"""Passages as LlamaIndex nodes and back, and a retriever of ours as one of theirs.

With these a recipe's retriever works in any LlamaIndex application, and their post-processors work on our passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from workbench.core import DataError, Passage, Query, Retriever, shorten
from workbench.languages import language as known_language

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import BaseNode, TextNode

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
