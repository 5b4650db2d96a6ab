"""Splitting an iterable into lists of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.workspace.cache import batched


def test_the_last_batch_is_shorter() -> None:
    assert list(batched("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]


def test_nothing_gives_no_batch() -> None:
    assert list(batched([], 3)) == []


def test_no_more_is_consumed_than_the_batch() -> None:
    consumed: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(10):
            consumed.append(number)
            yield number

    assert next(batched(numbers(), 3)) == [0, 1, 2]
    assert consumed == [0, 1, 2]
