"""Everyone: axe-core finds nothing serious on any screen, and the way to a cited answer can be walked by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SCREENS = (
    *("home", "ask", "compare", "data", "runs", "optimise", "dashboard", "inspect", "tour", "settings"),
    "ask?q=Who+invented+radio%3F&lang=en&mode=drag&ask=1",
    "compare?view=languages",
    "compare?view=votes",
    "inspect?view=annotate",
    "settings?section=Generators",
    "settings?section=Keys",
)
SETTLED = """() => document.querySelector('[data-test-script-state=notRunning]')
    && getComputedStyle(document.querySelector('.stMainBlockContainer')).maxWidth === '1248px'
    && ![...document.querySelectorAll('[data-stale=true], .stExpander details > *')].some(one =>
      one.dataset.stale === 'true' || getComputedStyle(one).opacity !== '1')
    && !document.getAnimations().some(one => one.timeline === document.timeline
    && one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity)"""
"""Nothing is drawn any more: what is old fades, and a faded text has less contrast than it will have.

What moves with the scrolling of a table does not end."""
TAKEN_AWAY = 200
"""Presses of Tab after which a control is taken to be out of the keyboard's reach."""


def settle(page: Page) -> None:
    page.locator("h1").first.wait_for()
    page.wait_for_timeout(500)
    page.wait_for_function(SETTLED)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_screen(
    theme: Literal["light", "dark"], width: int, app_url: str, browser: Browser
) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    context.set_default_timeout(120_000)
    page, findings = context.new_page(), list[str]()
    for screen in SCREENS:
        page.goto(f"{app_url}/{screen}")
        settle(page)
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                nodes = "; ".join(f"{node['html'][:160]} {node['failureSummary'][:240]}" for node in fault["nodes"])
                findings.append(f"{screen}: {fault['id']} ({fault['impact']}): {nodes}")
    context.close()
    assert not findings, "\n".join(findings)


def focus_on(page: Page, selector: str) -> None:
    """Presses Tab until the focus is on what the selector names."""
    for _ in range(TAKEN_AWAY):
        page.keyboard.press("Tab")
        if page.evaluate("selector => Boolean(document.activeElement?.matches(selector))", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def test_from_home_to_the_sentence_that_is_cited_by_keyboard_alone(app_url: str, page: Page) -> None:
    page.goto(app_url)
    settle(page)
    focus_on(page, "a[href$='/ask']")
    page.keyboard.press("Enter")
    page.get_by_label("Question", exact=True).wait_for()
    settle(page)
    focus_on(page, "[aria-label='Question']")
    page.keyboard.type("Who invented radio?")
    page.keyboard.press("Enter")
    page.locator("a.wb-jump").first.wait_for()
    settle(page)
    focus_on(page, "a.wb-jump")
    page.keyboard.press("Enter")
    page.locator(":target").wait_for(state="attached")
