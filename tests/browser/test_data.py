"""The Data screen in a real browser: a folder chosen as a person chooses it, and a form that fits its screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.controls import SOON, again, settled
from tests.data.datasets.forms import beir

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def _form(page: Page, app_url: str, kind: str) -> None:
    """The form, opened, with the format whose title begins with `kind`."""
    page.goto(f"{app_url}/data")
    page.wait_for_selector(".wb-table")
    page.locator(".st-key-data_import summary").click()
    _choose(page, "data_format", kind)


def _choose(page: Page, key: str, option: str) -> None:
    # A list that is open while the screen is drawn anew closes.
    box = page.locator(f".st-key-{key} input")

    def pick() -> None:
        box.click()
        box.fill(option)
        page.get_by_role("option", name=option).first.click(timeout=1000 * SOON)

    again(page, pick, lambda: expect(box).to_have_value(re.compile(option), timeout=1000 * SOON))


def test_a_folder_is_uploaded_with_its_paths_and_becomes_a_corpus_and_a_dataset(
    page: Page, app_url: str, tmp_path: Path
) -> None:
    folder = beir(tmp_path / "ferries", **{".git/corpus.jsonl.orig": "x", "readme.md": "About."})
    _form(page, app_url, "BEIR")
    page.locator(".st-key-data_folder_beir input[type=file]").set_input_files(str(folder))
    page.locator(".st-key-data_split_beir").wait_for()
    _choose(page, "data_language_beir", "English")
    page.locator(".st-key-import_name input").fill("ferries")
    page.keyboard.press("Enter")
    page.locator(".st-key-data_take button").click()
    page.get_by_text("Dataset “ferries” now has these questions: en 2. Corpus “ferries” has 3 passages.").wait_for()
    page.locator(".wb-ask", has_text="Where from?").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_form_stays_within_its_screen(page: Page, app_url: str, width: int, tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    _form(page, app_url, "BEIR")
    page.locator(".st-key-data_folder_beir input[type=file]").set_input_files(str(beir(tmp_path / "ferries")))
    page.locator(".st-key-data_split_beir").wait_for()
    parts = page.locator(".st-key-data_import input, .st-key-data_import button, .stMain .stPlotlyChart")
    edges = parts.evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert max(edges) <= width


def test_a_search_is_one_entry_of_the_history_and_back_undoes_it(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/data")
    page.locator(".wb-ask").first.wait_for()
    settled(page)
    before = page.evaluate("history.length")
    search = page.locator(".st-key-data_search input")
    search.fill("radio")
    page.keyboard.press("Enter")
    page.wait_for_url("**/data?dataset=sample&search=radio")
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    page.wait_for_url("**/data")
    expect(search).to_have_value("")


def test_an_import_goes_on_where_its_page_is_closed_and_another_page_shows_its_end(
    visitor: Callable[[], Page], app_url: str, tmp_path: Path
) -> None:
    rows = "".join(f"Who built harbour {number}?\tOdile {number}\n" for number in range(2_000))
    file = tmp_path / "harbours.tsv"
    file.write_text(f"question\tanswers\n{rows}", encoding="utf-8")
    first = visitor()
    _form(first, app_url, "Table")
    first.locator("[class*=st-key-data_files_table] input[type=file]").set_input_files(str(file))
    first.get_by_text("Preview. Match the columns:").wait_for()
    _choose(first, "data_language_table", "English")
    first.locator(".st-key-import_name input").fill("harbours")
    first.keyboard.press("Enter")
    first.locator(".st-key-data_take button").click()
    first.get_by_text(re.compile("Importing “harbours”|Dataset “harbours” now")).first.wait_for()
    first.close()
    second = visitor()
    second.goto(f"{app_url}/data")
    # Nobody reloads the page: it watches the job.
    second.get_by_text("Dataset “harbours” now has these questions: en 2,000.").wait_for()
    second.locator("[class*=st-key-data_close] button").last.click()
