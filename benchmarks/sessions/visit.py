"""One person's visit: a page of their own, on which one question after the other is typed and read."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from playwright.async_api import Browser, Error as BrowserError, Page

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
    work: tuple[float, float] = (0.0, 0.0)
    """Seconds of processors that the server, and all on the machine, took for the visits."""


async def visit(
    browser: Browser,
    address: str,
    number: int,
    expected: Mapping[str, str],
    pause: float,
    visits: Visits,
    door: asyncio.Semaphore,
    begin: asyncio.Barrier,
) -> None:
    """Opens `address` when `door` lets it, waits for the others at `begin`, and asks until the visits end.

    Between two questions a visitor reads for `pause` seconds on average, exponentially distributed.
    """
    chance = random.Random(number)
    page: Page | None = None
    try:
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: visits.errors.update([f"script: {error.name}"]))
        async with door:
            opened = time.monotonic()
            await page.goto(address)
            await page.locator(FIELD).wait_for()
            visits.openings.append(time.monotonic() - opened)
    except BrowserError as error:
        visits.errors.update([type(error).__name__])
    # Others wait for this visitor, whatever became of the page.
    await begin.wait()
    if page is None:
        return
    questions = list(expected)
    chance.shuffle(questions)
    await asyncio.sleep(chance.uniform(0, pause))
    turn = 0
    while time.monotonic() < visits.until:
        await _ask(page, questions[turn % len(questions)], expected, visits)
        turn += 1
        reading = chance.expovariate(1 / pause) if pause else 0.0
        await asyncio.sleep(max(0.0, min(reading, visits.until - time.monotonic())))
    await page.context.close()


async def _ask(page: Page, question: str, expected: Mapping[str, str], visits: Visits) -> None:
    try:
        await page.locator(FIELD).fill(question)
        await page.evaluate(WATCH)
        await page.get_by_role("button", name="Ask", exact=True).click()
        milliseconds, text = await page.evaluate(ANSWERED, question)
    except BrowserError as error:
        visits.errors.update([str(error).splitlines()[0][:120]])
        return
    visits.seconds.append(milliseconds / 1000)
    if text != expected[question]:
        visits.different.append((question, text))
