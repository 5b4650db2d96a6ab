"""Optimise in a real browser: a space built, a search watched, stopped and resumed, a plot opened, the winner asked."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.controls import settled, write
from tests.optimise.searches import RECIPE
from workbench.optimise.search_store import SearchJobs
from workbench.optimise.space.space_files import FORM
from workbench.workspace import settings

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LONG = 60_000
"""Milliseconds that a part of a search may take on a busy machine."""


@pytest.fixture
def jobs(workspace: Path) -> Iterator[SearchJobs]:
    """The searches of the app's workspace; those that the test leaves at work are ended."""
    searches = SearchJobs(settings.load(workspace))
    yield searches
    for row in searches.statuses():
        if row.active and row.job and row.job.pid:
            os.kill(row.job.pid, signal.SIGKILL)


def space_text() -> str:
    """Twenty-four recipes in two languages, as a person would write them."""
    nodes = [
        {
            "node": "retrieval",
            "metrics": ["mrr"],
            "modules": [
                {"name": "BM25", "values": {"retriever": ["lexical"]}},
                {"name": "RRF", "values": {"retriever": ["rrf"], "rrf_k": [10, 30, 60]}},
            ],
        },
        {"node": "reranker", "modules": [{"name": "none", "values": {"k": [1, 2, 3, 4, 5, 6]}}]},
    ]
    # A seed of its own: with steps of another test in the cache the search would end before it can be stopped.
    choices = {"name": "Watched", "languages": ["en", "fi"], "questions": 30, "seed": 7, "recipe": RECIPE}
    return FORM.write(FORM.make({**choices, "nodes": nodes}), ("A space.",))


def shown(url: str) -> str:
    """The search that a URL holds."""
    return parse_qs(urlsplit(url).query).get("search", [""])[0]


def button(page: Page, key: str) -> Locator:
    """The button with this key; one with a help has a second, unseen one for phones."""
    return page.locator(f".st-key-{key} button:visible").first


def build_space(page: Page) -> None:
    """Type the space as YAML, then change a value of it in the form."""
    page.locator(".st-key-optimise_change summary").first.click()
    page.locator(".st-key-optimise_yaml_fold summary").first.click()
    field = page.get_by_label("Search space", exact=True)
    field.wait_for()
    field.fill(space_text())
    field.press("Control+Enter")
    page.locator(".st-key-new_search .wb-figure").filter(has_text=re.compile(r"^24\s*recipes")).wait_for()
    write(page, "Name", "Watched in the browser")
    expect(field).to_have_value(re.compile("name: Watched in the browser"))


def test_a_search_is_built_watched_stopped_resumed_and_its_winner_asked(
    page: Page, app_url: str, jobs: SearchJobs
) -> None:
    page.goto(f"{app_url}/optimise")
    form = page.locator(".st-key-new_search details").first
    form.wait_for()
    if form.get_attribute("open") is None:
        form.locator("summary").first.click()
    build_space(page)
    settled(page)
    button(page, "optimise_how_start").click()
    page.wait_for_url(lambda url: bool(shown(url)), timeout=LONG)
    search_id = shown(page.url)

    # Watched: the count rises by itself.
    card = page.locator(".st-key-search")
    progress = card.get_by_test_id("stProgress")
    expect(progress).to_contain_text(re.compile(r"^[1-9]\d* of at most 24 recipes"), timeout=LONG)
    button(page, "optimise_stop").click(timeout=LONG)
    expect(button(page, "optimise_resume")).to_be_visible(timeout=LONG)
    row = jobs.status(search_id)
    assert row.state == "stopped" and 0 < jobs.store.measured(search_id) <= 24
    expect(page.locator("[class*=st-key-run_]").first).to_contain_text("stopped")

    # Resumed, also in a page that was not there when it began.
    page.reload()
    settled(page)
    button(page, "optimise_resume").click()
    until = time.monotonic() + LONG / 1000
    while jobs.status(search_id).state != "done" and time.monotonic() < until:
        time.sleep(0.2)
    expect(page.locator(".wb-said").first).to_contain_text(
        re.compile("Nothing can be told apart|may be the best|The best is"), timeout=LONG
    )
    assert jobs.store.measured(search_id) == 24

    # A node's plot, which a link opens again.
    page.get_by_role("radio", name="Nodes").click()
    page.get_by_role("radio", name="Reranker").click()
    plot = page.locator(".stPlotlyChart .main-svg").first
    expect(plot).to_be_visible(timeout=LONG)
    page.wait_for_url(re.compile("view=nodes.*node=reranker"))
    expect(page.locator(".stPlotlyChart")).to_contain_text("(k): 6")

    # The winner answers a question.
    page.get_by_role("radio", name="Best recipe").click()
    settled(page)
    if not page.get_by_role("button", name="Ask with it").count():
        page.get_by_role("combobox", name="Recipe").click()
        page.get_by_role("option").first.click()
    page.get_by_role("button", name="Ask with it").click()
    page.wait_for_url(re.compile("/ask"))
    assert parse_qs(urlsplit(page.url).query)["corpus"] == ["sample"]
    write(page, "Question", "Who invented radio?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".wb-answer").first).to_be_visible(timeout=LONG)
