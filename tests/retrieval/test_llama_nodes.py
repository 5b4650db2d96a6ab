"""Passages as LlamaIndex nodes and back, and our retriever as one of theirs."""

from collections.abc import Sequence

import pytest
from llama_index.core.schema import MetadataMode, TextNode

from workbench.core.errors import DataError, UsageError
from workbench.core.protocols import Retriever
from workbench.core.records import Hit, Passage, Query, Ranking
from workbench.retrieval.rerank.llama_index import PassageSource, as_llama_retriever, from_node, to_node

TITLED = Passage("p2", "doc", "Radio", "it", "La radio.", 1, "p1", "p3", "g7")
BARE = Passage("p", "doc", "", "en", "Text.")


@pytest.mark.parametrize("passage", [TITLED, BARE])
def test_a_passage_survives_the_way_there_and_back(passage: Passage) -> None:
    assert from_node(to_node(passage)) == passage


@pytest.mark.parametrize("passage", [TITLED, BARE])
def test_a_node_embeds_what_is_searched(passage: Passage) -> None:
    assert to_node(passage).get_content(MetadataMode.EMBED) == passage.searchable


def test_a_node_survives_llama_indexs_storage_format() -> None:
    node = TextNode.from_json(to_node(TITLED).to_json())
    assert from_node(node) == TITLED


def test_a_foreign_node_with_a_language_is_a_passage() -> None:
    assert from_node(TextNode(id_="n", text="Hei.", metadata={"language": "fi"})) == Passage("n", "n", "", "fi", "Hei.")


def test_a_node_without_a_language_is_refused() -> None:
    with pytest.raises(DataError, match="no language"):
        from_node(TextNode(id_="n", text="Hei."))


def test_a_node_in_no_known_language_is_refused() -> None:
    with pytest.raises(UsageError):
        from_node(TextNode(id_="n", text="Hei.", metadata={"language": "not a language"}))


class Fixed(Retriever):
    """Finds the two passages, and remembers its calls."""

    identity = "fixed"

    def __init__(self) -> None:
        self.calls: list[tuple[Query, int]] = []

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        self.calls += [(query, k) for query in queries]
        return [(Hit("p2", 1, "it", 0.9), Hit("p", 0, "en", 0.5))] * len(queries)


class Table(PassageSource):
    def passages(self, rows: Sequence[int]) -> list[Passage]:
        return [(BARE, TITLED)[row] for row in rows]


def test_our_retriever_serves_as_theirs() -> None:
    fixed = Fixed()
    theirs = as_llama_retriever(fixed, Table(), language="en", languages=("en", "it"), k=2)
    nodes = theirs.retrieve("Who invented it?")
    assert [(from_node(item.node), item.score) for item in nodes] == [(TITLED, 0.9), (BARE, 0.5)]
    assert fixed.calls == [(Query("Who invented it?", "en", ("en", "it")), 2)]
