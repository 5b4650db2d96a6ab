"""Visitors of the benchmark of sessions, who begin together."""

from __future__ import annotations

import asyncio

from playwright.async_api import Error as BrowserError

from benchmarks.sessions.visit import BrowserPage, Visits, visit
from tests.coroutines import in_loop


async def crashed() -> BrowserPage:
    """A browser that opens nothing any more."""
    raise BrowserError("Target crashed")


async def beginning() -> Visits:
    """What a visitor without a page saw, after another one has begun."""
    visits, door, begin = Visits(), asyncio.Semaphore(1), asyncio.Barrier(2)
    visitor = visit(crashed, 1, {"?": "!"}, 0.0, visits, door, begin)
    await asyncio.wait_for(asyncio.gather(visitor, begin.wait()), timeout=10)
    return visits


def test_a_visitor_whose_page_does_not_open_keeps_nobody_waiting() -> None:
    visits = in_loop(beginning())
    assert visits.errors == {"Target crashed": 1} and not visits.openings
