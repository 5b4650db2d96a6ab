"""A tour in a real browser: recorded from the sample with one click, then played by keyboard alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from benchmarks.screens.running import PATIENCE, running_app
from tests.browser.controls import settled
from workbench.experiments.tours.tour import TourLibrary
from workbench.ui.ask.examples import EXAMPLES
from workbench.ui.tours.tour_list import SAMPLE_TOUR

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

FULL = "!!document.fullscreenElement"


@pytest.fixture
def playing(workspace: Path, tmp_path: Path, page: Page) -> Iterator[Page]:
    """The sample's tour at its first question, recorded by the button."""
    shutil.copytree(workspace / "corpora", tmp_path / "corpora", copy_function=os.link)
    with running_app(tmp_path) as url:
        page.goto(f"{url}/tour")
        page.get_by_role("button", name="Record the sample's tour").click()
        page.get_by_role("link", name="Play").click(timeout=1000 * PATIENCE)
        expect(_question(page, 0)).to_be_visible()
        settled(page)
        yield page


def _question(page: Page, place: int) -> Locator:
    return page.locator(".wb-tour-question", has_text=EXAMPLES[place].question.text)


def test_a_tour_is_played_by_keyboard_alone_and_stays_as_it_was(playing: Page, tmp_path: Path) -> None:
    page, tours = playing, TourLibrary(tmp_path)
    before = tours.file(SAMPLE_TOUR)
    recorded = page.get_by_text("Recorded", exact=True)
    answer = page.locator(".wb-answer .wb-said")
    documents = page.locator(".wb-doc")
    page.keyboard.press("ArrowRight")
    expect(documents.first).to_be_visible()
    expect(answer).to_have_count(0)
    page.keyboard.press("Space")
    expect(answer).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("What it measures")).to_be_visible()
    expect(recorded).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(_question(page, 1)).to_be_visible()
    expect(answer).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(_question(page, 0)).to_be_visible()
    expect(answer).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text(EXAMPLES[0].look)).to_be_visible()
    page.mouse.wheel(0, 4000)
    expect(recorded).to_be_in_viewport()
    assert tours.file(SAMPLE_TOUR) == before


def test_f_fills_the_screen_and_several_keys_at_once_all_count(playing: Page) -> None:
    page = playing
    page.keyboard.press("f")
    page.wait_for_function(FULL)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(_question(page, 1)).to_be_visible()
    assert page.evaluate(FULL)
    page.get_by_role("button", name="Full screen (F)").click()
    page.wait_for_function(f"!({FULL})")
