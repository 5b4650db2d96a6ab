"""One person's visit: a page of their own, on which one question after the other is typed and read."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

from playwright.async_api import Browser, Error as BrowserError, Page
from websockets.exceptions import WebSocketException

from benchmarks.sessions.protocol_client import ScreenError

FAULTS = (BrowserError, ScreenError, WebSocketException, OSError)
PATIENCE_MS = 60_000
FIELD = "input[aria-label='Question']"

WATCH = """() => document.addEventListener(
  'click', () => { window.clicked = performance.now() }, {capture: true, once: true}
)"""

ANSWERED = """question => new Promise((done, fail) => {
  const began = performance.now();
  const look = () => {
    const failed = document.querySelector('.wb-error, [data-testid="stException"]');
    if (failed) return fail(new Error(failed.textContent));
    if (performance.now() - began > 60000) return fail(new Error('no answer within 60 s'));
    const card = document.querySelector('.wb-answer');
    const text = card && card.textContent.includes(question) && card.querySelector('.wb-said, .wb-none');
    if (!text) return setTimeout(look, 20);
    const waited = performance.now() - window.clicked, copy = text.cloneNode(true);
    copy.querySelectorAll('.wb-jump').forEach(one => one.remove());
    const claims = copy.querySelectorAll('li').length ? [...copy.querySelectorAll('li')] : [copy];
    done([waited, claims.map(one => one.textContent.trim()).join(' … ')]);
  };
  look();
})"""
"""Milliseconds from the click to the answer, seen within 20, and its claims, without the numbers of documents."""


@dataclass
class Visits:
    """What the visitors saw: seconds from click to answer, what went wrong, and answers other than those expected."""

    seconds: list[float] = field(default_factory=list)
    openings: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    different: list[tuple[str, str]] = field(default_factory=list)
    """Questions, and their answers on screen, where `ask` says otherwise."""
    until: float = 0.0
    """When the visits end, by `time.monotonic`; 0 before they have begun."""


class Visitor(Protocol):
    """A page on which questions are asked."""

    async def ask(self, question: str) -> tuple[float, str]:
        """The seconds from the click to the answer, and its claims. Raises BrowserError or ScreenError."""

    async def close(self) -> None:
        """Leaves."""


@dataclass
class BrowserPage:
    """A page of a real browser, which draws it."""

    page: Page

    @classmethod
    async def open(cls, browser: Browser, address: str, visits: Visits) -> Self:
        """Opens the page. Raises BrowserError."""
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: visits.errors.update([f"script: {error.name}"]))
        await page.goto(address)
        await page.locator(FIELD).wait_for()
        return cls(page)

    async def ask(self, question: str) -> tuple[float, str]:
        """Types and clicks; the time is the page's own."""
        await self.page.locator(FIELD).fill(question)
        await self.page.evaluate(WATCH)
        await self.page.get_by_role("button", name="Ask", exact=True).click()
        milliseconds, text = await self.page.evaluate(ANSWERED, question)
        return milliseconds / 1000, text

    async def close(self) -> None:
        """Closes the page and what it kept."""
        await self.page.context.close()


async def visit(
    come: Callable[[], Awaitable[Visitor]],
    number: int,
    expected: Mapping[str, str],
    pause: float,
    visits: Visits,
    door: asyncio.Semaphore,
    begin: asyncio.Barrier,
) -> None:
    """Comes when `door` lets it, waits for the others at `begin`, and asks until the visits end.

    Between two questions a visitor reads for `pause` seconds on average, exponentially distributed.
    """
    chance = random.Random(number)
    visitor: Visitor | None = None
    try:
        async with door:
            opened = time.monotonic()
            visitor = await come()
            visits.openings.append(time.monotonic() - opened)
    except FAULTS as error:
        visits.errors.update([str(error).splitlines()[0][:120]])
    # Others wait for this visitor, whatever became of the page.
    await begin.wait()
    if visitor is None:
        return
    questions = list(expected)
    chance.shuffle(questions)
    await asyncio.sleep(chance.uniform(0, pause))
    turn = 0
    while time.monotonic() < visits.until:
        question = questions[turn % len(questions)]
        try:
            seconds, text = await visitor.ask(question)
        except FAULTS as error:
            visits.errors.update([str(error).splitlines()[0][:120]])
        else:
            visits.seconds.append(seconds)
            if text != expected[question]:
                visits.different.append((question, text))
        turn += 1
        reading = chance.expovariate(1 / pause) if pause else 0.0
        await asyncio.sleep(max(0.0, min(reading, visits.until - time.monotonic())))
    await visitor.close()
