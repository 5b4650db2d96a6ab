"""Visitors of the benchmark of sessions, who begin together."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from playwright.async_api import Browser, Error as BrowserError

from benchmarks.sessions.visit import Visits, visit
from tests.coroutines import in_loop


class Crashed:
    """A browser that opens nothing any more."""

    async def new_context(self, **_: Any) -> None:
        raise BrowserError("Target crashed")


async def beginning() -> Visits:
    """What a visitor without a page saw, after another one has begun."""
    visits, door, begin = Visits(), asyncio.Semaphore(1), asyncio.Barrier(2)
    visitor = visit(cast("Browser", Crashed()), "http://localhost", 1, {"?": "!"}, 0.0, visits, door, begin)
    await asyncio.wait_for(asyncio.gather(visitor, begin.wait()), timeout=10)
    return visits


def test_a_visitor_whose_page_does_not_open_keeps_nobody_waiting() -> None:
    visits = in_loop(beginning())
    assert visits.errors == {"Error": 1} and not visits.openings
