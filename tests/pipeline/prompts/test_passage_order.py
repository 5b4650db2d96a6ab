"""The order of passages in a prompt: the paper's, LlamaIndex's, and the numbers that stay."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, strategies as st

from workbench.pipeline.prompts.compose import PassageOrder, in_order

RANKED = (1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ranked", (1, 2, 3, 4, 5)),
        ("reversed", (5, 4, 3, 2, 1)),
        ("best-repeated", (1, 2, 3, 4, 5, 1)),
        ("long-context", (1, 3, 5, 4, 2)),
    ],
)
def test_each_order_by_hand(order: PassageOrder, expected: tuple[int, ...]) -> None:
    assert in_order(RANKED, order) == expected


def test_the_papers_reorder_repeats_a_single_passage_too() -> None:
    assert in_order(("only",), "best-repeated") == ("only", "only")


@given(st.integers(1, 40))
def test_long_context_is_llama_indexs_order(count: int) -> None:
    from llama_index.core.postprocessor import LongContextReorder
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [NodeWithScore(node=TextNode(text=str(rank)), score=1 / rank) for rank in range(1, count + 1)]
    reference = [item.node.get_content() for item in LongContextReorder().postprocess_nodes(nodes)]
    assert list(in_order([node.node.get_content() for node in nodes], "long-context")) == reference


@pytest.mark.parametrize("order", get_args(PassageOrder))
def test_nothing_stays_nothing(order: PassageOrder) -> None:
    assert in_order((), order) == ()
