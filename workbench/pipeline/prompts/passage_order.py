"""The order in which a prompt lists its documents. Each keeps the number of its rank, so that a citation stays right.

Sources: Kim et al. (2024), section 2.5.2, and its code (best-repeated: the best passage once more after the last);
LlamaIndex's LongContextReorder, after Liu et al. (2023; long-context: the two best at the ends, the worst in between).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

PassageOrder = Literal["ranked", "reversed", "best-repeated", "long-context"]
"""`ranked` as the search and the reranker have them, best first; `reversed` best last, next to the question."""

Item = TypeVar("Item")


def in_order(items: Sequence[Item], order: PassageOrder) -> tuple[Item, ...]:
    """The items, which are ranked best first, in this order; `best-repeated` has one more, unless there are none.

    >>> in_order("12345", "long-context"), in_order("123", "best-repeated"), in_order("123", "reversed")
    (('1', '3', '5', '4', '2'), ('1', '2', '3', '1'), ('3', '2', '1'))
    """
    if order == "reversed":
        return tuple(reversed(items))
    if order == "best-repeated":
        return (*items, *items[:1])
    if order == "long-context":
        from_outside = (*items[::2], *reversed(items[1::2]))
        # LlamaIndex deals from the worst to both ends in turn, so that of an even number the best comes last.
        return from_outside if len(items) % 2 else from_outside[::-1]
    return tuple(items)
