"""How many presses lie between a visitor and what they came for, counted by the browser itself.

A press is one of the mouse, or Enter. Typing is none, nor is the choice of a file in the system's own window.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from benchmarks.screens.running import running_app
from tests.browser.controls import settled
from tests.data.documents.sample_files import LIBRARY
from tests.servers.model_servers import model_server
from workbench.components.endpoint_file import NamedEndpoint, save_endpoint

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LONG = 300_000
"""Milliseconds that an experiment or an index may take on a busy machine."""
COUNT = """
addEventListener('pointerdown', event => event.isTrusted && pressed(), true);
addEventListener('keydown', event => event.isTrusted && event.key === 'Enter' && pressed(), true);
"""


class Presses:
    """A page whose presses are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0
        page.expose_function("pressed", self._press)
        page.add_init_script(COUNT)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.locator("h1").first.wait_for()
        settled(self.page)

    def press(self, what: Locator) -> None:
        what.wait_for(timeout=LONG)
        settled(self.page)  # a press while the page is drawn is lost
        what.click()

    def taken(self) -> int:
        """The presses since the last time."""
        count, self.count = self.count, 0
        return count

    def _press(self) -> None:
        self.count += 1


@pytest.fixture
def home(prepared: Path, tmp_path: Path) -> Path:
    """A workspace of its own."""
    return shutil.copytree(prepared, tmp_path / "home", symlinks=True)


@pytest.fixture
def url(home: Path) -> Iterator[str]:
    with running_app(home) as address:
        yield address


@pytest.fixture
def counted(visitor: Callable[[], Page]) -> Presses:
    return Presses(visitor())


def test_a_conflict_is_seen_by_one_press_and_all_modes_of_its_question_by_one_more(counted: Presses, url: str) -> None:
    page = counted.page
    counted.open(url)
    counted.press(page.get_by_role("link", name="Ask with D-RAG").first)
    page.locator(".wb-said").first.wait_for(timeout=LONG)
    assert counted.taken() == 1
    counted.open(f"{url}/compare")
    page.get_by_label("Question", exact=True).fill("Who invented radio?")
    counted.press(page.get_by_role("button", name="All seven modes"))
    expect(page.locator(".wb-answers tbody tr")).to_have_count(7, timeout=LONG)
    assert counted.taken() == 1


def test_from_nothing_to_a_chart_to_a_wrong_answer_and_to_the_first_label(counted: Presses, url: str) -> None:
    page = counted.page
    counted.open(url)
    counted.press(page.get_by_role("link", name="Dashboard", exact=True).first)
    counted.press(page.get_by_role("button", name="Run a demonstration"))
    page.locator(".wb-standing").first.wait_for(timeout=LONG)
    assert counted.taken() == 2
    counted.press(page.locator(".wb-opens").first)
    counted.press(page.locator(".st-key-instances").get_by_role("link", name="Open").first)
    page.wait_for_url(re.compile(r"/inspect\?.*instance="))
    expect(page.locator(".stMain")).to_contain_text("0.00")
    assert counted.taken() == 2
    counted.open(f"{url}/runs")
    counted.press(page.get_by_role("button", name="Label answers"))
    page.get_by_role("button", name=re.compile("Nothing wrong")).wait_for(timeout=LONG)
    assert counted.taken() == 1


def test_a_file_of_ones_own_answers_and_is_replaced(counted: Presses, url: str, tmp_path: Path) -> None:
    page = counted.page
    file = tmp_path / "library.txt"
    file.write_text(LIBRARY, encoding="utf-8")
    counted.open(f"{url}/data")

    def choose() -> None:
        with page.expect_file_chooser() as chooser:
            counted.press(page.locator(".st-key-data_documents").locator("[data-testid=stFileUploaderDropzone] button"))
        chooser.value.set_files(str(file))

    choose()
    counted.press(page.get_by_role("button", name="Add", exact=True))
    counted.press(page.get_by_role("button", name="Ask about these"))
    page.get_by_label("Question", exact=True).fill("When was the library opened?")
    page.keyboard.press("Enter")
    page.locator(".wb-doc", has_text="library.txt").first.wait_for(timeout=LONG)
    assert counted.taken() == 4
    counted.open(f"{url}/data")
    file.write_text(LIBRARY.replace("the", "this"), encoding="utf-8")
    choose()
    counted.press(page.get_by_role("button", name=re.compile("Replace it in")))
    page.get_by_role("button", name="Ask about these").wait_for(timeout=LONG)
    assert counted.taken() == 2


def test_a_model_on_this_machine_answers_by_two_presses(counted: Presses, home: Path, url: str) -> None:
    page = counted.page
    with model_server("ollama", "llama3:8b") as server:
        save_endpoint(home, "lab", NamedEndpoint(url=server.url))
        counted.open(url)
        counted.press(page.get_by_role("button", name="Look for models"))
        counted.press(page.get_by_role("button", name="Use it and ask"))
        expect(page.locator(".wb-said").first).to_contain_text("says the model", timeout=LONG)
    assert counted.taken() == 2
