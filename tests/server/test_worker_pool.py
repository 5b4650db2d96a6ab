"""The queue of a service: first come, first served, and nothing kept of what left it."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

import pytest

from tests.coroutines import in_loop
from tests.server.running import LONGEST
from workbench.server.api_errors import ApiError
from workbench.server.worker_pool import ThreadCrew, WorkerPool


class Work:
    """Something to do, which takes memory for as long as anybody refers to it."""

    def __call__(self) -> None:
        return None


def one_worker(queue: int) -> WorkerPool[Callable[[], None]]:
    crew = ThreadCrew(1)
    return WorkerPool(queue, crew.capacity, crew.begin)


@contextmanager
def busy_pool(queue: int) -> Iterator[tuple[WorkerPool[Callable[[], None]], Event]]:
    """A pool whose only worker is at something until the event is set."""
    pool, release = one_worker(queue), Event()

    def wait() -> None:
        release.wait(LONGEST)

    pool.submit(wait)
    try:
        yield pool, release
    finally:
        release.set()
        pool.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(LONGEST):
        while not condition():
            await asyncio.sleep(0.01)


def test_what_is_withdrawn_while_it_waits_is_forgotten_at_once() -> None:
    async def withdraw_all() -> None:
        with busy_pool(queue=5) as (pool, _):
            references = []
            for _number in range(2_000):
                work = Work()
                references.append(weakref.ref(work))
                withdraw = pool.submit(work)
                del work
                withdraw()
            assert (pool.running, pool.waiting) == (1, 0)
            assert [reference for reference in references if reference() is not None] == []

    in_loop(withdraw_all())


def test_a_place_that_was_left_is_free_for_the_next_one() -> None:
    async def leave() -> None:
        with busy_pool(queue=1) as (pool, _):
            withdraw = pool.submit(Work())
            with pytest.raises(ApiError) as refusal:
                pool.submit(Work())
            assert refusal.value.status == 429
            withdraw()
            pool.submit(Work())
            assert pool.waiting == 1

    in_loop(leave())


def test_what_waits_is_done_in_the_order_in_which_it_came_without_what_left() -> None:
    async def order() -> list[int]:
        done: list[int] = []
        with busy_pool(queue=9) as (pool, release):
            withdrawals = [pool.submit(lambda number=number: done.append(number)) for number in range(6)]  # type: ignore[misc]
            withdrawals[0]()
            withdrawals[3]()
            release.set()
            await until(lambda: pool.running == 0)
            assert pool.waiting == 0
        return done

    assert in_loop(order()) == [1, 2, 4, 5]


def test_withdrawing_what_a_worker_is_at_changes_nothing() -> None:
    async def withdraw_late() -> None:
        pool, begun, release = one_worker(queue=1), Event(), Event()

        def work() -> None:
            begun.set()
            release.wait(LONGEST)

        withdraw = pool.submit(work)
        assert await asyncio.to_thread(begun.wait, LONGEST)
        withdraw()
        assert pool.running == 1
        release.set()
        await until(lambda: pool.running == 0)
        pool.close()

    in_loop(withdraw_late())
