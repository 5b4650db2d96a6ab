"""Splitting a long iterable into lists of bounded length, so that memory is bounded too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """`items` in lists of `size`, the last one shorter.

    >>> list(batched(range(5), 2))
    [[0, 1], [2, 3], [4]]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
