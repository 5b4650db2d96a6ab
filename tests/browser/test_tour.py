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
    return page.locator(".wb-slide-question", has_text=EXAMPLES[place].question.text)


def test_a_tour_is_played_by_keyboard_alone_and_stays_as_it_was(playing: Page, tmp_path: Path) -> None:
    page, tours = playing, TourLibrary(tmp_path)
    before = tours.file(SAMPLE_TOUR)
    recorded = page.get_by_text("Recorded", exact=True)
    answer = page.locator(".wb-slide-claim")
    documents = page.locator(".wb-slide-sources")
    page.keyboard.press("ArrowRight")
    expect(documents.first).to_be_visible()
    expect(answer).to_have_count(0)
    page.keyboard.press("Space")
    expect(answer).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".wb-slide-figures")).to_be_visible()
    expect(recorded).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(_question(page, 1)).to_be_visible()
    expect(answer).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(_question(page, 0)).to_be_visible()
    expect(answer).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text(EXAMPLES[0].look)).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("d")
    expect(page.locator(".wb-doc").first).to_be_visible()
    page.mouse.wheel(0, 4000)
    expect(recorded).to_be_in_viewport()
    assert tours.file(SAMPLE_TOUR) == before
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Play")).to_be_visible()
    page.wait_for_url("**/tour")
    page.reload()
    expect(page.get_by_role("link", name="Play")).to_be_visible()


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


def test_no_stop_of_the_samples_tour_scrolls_on_a_projector(playing: Page) -> None:
    page = playing
    page.set_viewport_size({"width": 1280, "height": 720})
    for number in range(1, len(EXAMPLES) + 1):
        page.goto(page.url.partition("?")[0] + f"?tour={SAMPLE_TOUR}&stop={number}&parts=4")
        expect(_question(page, number - 1)).to_be_visible()
        settled(page)
        assert page.evaluate("(main => main.scrollHeight - main.clientHeight)(document.querySelector('.stMain'))") <= 0
