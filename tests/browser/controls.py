"""Streamlit's controls as a person uses them: boxes of several choices and fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import TimeoutError as PlaywrightTimeoutError, expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SOON = 5.0
"""Seconds within which a box shows a change."""
TRIES = 5


def settled(page: Page) -> None:
    """Wait until no script runs for the page."""
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()


def choose(page: Page, label: str, *options: str) -> None:
    """Select these options and no others. The box is never empty meanwhile, as an empty one is an error."""
    before = several(page, label).locator("[data-tag]").evaluate_all("all => all.map(one => one.ariaLabel)")
    for option in options:
        if option not in before:
            add(page, label, option)
    for option in before:
        if option not in options:
            remove(page, label, option)


def add(page: Page, label: str, option: str) -> None:
    """Select one more option, by keyboard and mouse."""
    box = several(page, label).get_by_role("combobox")

    def pick() -> None:
        box.fill("")
        box.fill(option)
        page.get_by_role("option", name=option, exact=True).click(timeout=1000 * SOON)

    again(page, pick, lambda: expect(tag(page, label, option)).to_be_visible(timeout=1000 * SOON))
    page.keyboard.press("Escape")
    box.blur()


def remove(page: Page, label: str, option: str) -> None:
    """Remove an option with its cross."""
    cross = several(page, label).get_by_role("button", name=f"Remove {option}", exact=True)
    gone = tag(page, label, option)
    again(page, lambda: cross.click(timeout=1000 * SOON), lambda: expect(gone).to_have_count(0, timeout=1000 * SOON))


def again(page: Page, act: Callable[[], None], shows: Callable[[], None]) -> None:
    """Repeat an action until its effect shows.

    What is clicked may move under the mouse, and an open list close, while an earlier choice is still being drawn; a
    person repeats the action then.
    """
    for tries in range(TRIES):
        settled(page)
        try:
            act()
            shows()
        except (PlaywrightTimeoutError, AssertionError):
            if tries == TRIES - 1:
                raise
        else:
            return


def tag(page: Page, label: str, option: str) -> Locator:
    """The tag of a selected option."""
    return several(page, label).locator("[data-tag]").and_(page.get_by_label(option, exact=True))


def several(page: Page, label: str) -> Locator:
    """The box of several options with this label."""
    combobox = page.get_by_role("combobox", name=label, exact=True)
    return page.locator("[data-testid='stMultiSelect']:visible").filter(has=combobox)


def unfold(page: Page, title: str) -> None:
    """Open the fold with this title."""
    heading = page.locator("summary", has_text=title)
    opened = page.locator("details[open]", has=heading)

    def press() -> None:
        if opened.count() == 0:
            heading.click(timeout=1000 * SOON)

    again(page, press, lambda: expect(opened).to_have_count(1, timeout=1000 * SOON))


def write(page: Page, label: str, text: str) -> None:
    """Type into a field."""
    settled(page)
    page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Enter")
