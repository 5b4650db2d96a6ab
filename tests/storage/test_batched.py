"""Cutting an iterable into lists of a bounded length."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.storage.batched import batched


def test_the_last_piece_is_shorter() -> None:
    assert list(batched("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]


def test_nothing_gives_no_piece() -> None:
    assert list(batched([], 3)) == []


def test_no_more_is_read_than_the_piece_asked_for() -> None:
    read: list[int] = []

    def counted() -> Iterator[int]:
        for number in range(10):
            read.append(number)
            yield number

    assert next(batched(counted(), 3)) == [0, 1, 2]
    assert read == [0, 1, 2]
