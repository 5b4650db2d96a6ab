"""A matrix from the form to its instances, in a real browser: build, run, watch, stop, resume, filter, click."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.screens.running import PATIENCE
from workbench import settings
from workbench.storage.store import opened_store
from workbench.studies import job, results
from workbench.studies.filters import Filter
from workbench.studies.instances import count

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

LONG = PATIENCE * 2_000
"""Milliseconds that a job may take on a busy machine."""
CELLS = 2 * 52
"""Two modes, all questions of the sample in one language."""


def _unpick(page: Page, label: str, name: str) -> None:
    # A list keeps a hidden copy of its tags, to measure them by.
    page.locator(f".st-key-matrix_{label} button[aria-label^='Remove {name}']").last.click()


def _point(page: Page, number: int) -> Locator:
    return page.locator(".js-plotly-plot .scatterlayer .point").nth(number)


def _click(page: Page, mark: Locator) -> None:
    """Plotly listens to the mouse on a layer above its marks."""
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_matrix_is_built_run_watched_stopped_resumed_and_looked_into(
    browser: Browser, page: Page, app_url: str, workspace: Path
) -> None:
    page.goto(f"{app_url}/runs")
    page.get_by_label("Name", exact=True).first.fill("From the browser")
    page.keyboard.press("Tab")
    for language in ("Suomi", "中文"):
        _unpick(page, "languages", language)
    page.locator(".st-key-matrix_all_questions label").click()
    page.get_by_text(f"{CELLS}cells, each an answer").wait_for()
    page.get_by_role("button", name="Start").click()

    page.get_by_text("Stage under way").wait_for(timeout=LONG)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("stopped", exact=True).first.wait_for(timeout=LONG)
    identity = re.findall(r"experiment=([0-9a-f]+)", page.url)[0]
    home = settings.load(workspace)
    stopped = job.status(home, identity)
    assert stopped is not None
    assert stopped.state == "stopped"

    page.get_by_role("button", name="Resume").click()
    page.get_by_text("Stage under way").wait_for(timeout=LONG)
    page.context.close()

    # The tab is closed; whoever comes back sees how the job stands.
    fresh = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
    fresh.set_default_timeout(PATIENCE * 1_000)
    fresh.goto(f"{app_url}/runs?experiment={identity}")
    fresh.get_by_text("finished", exact=True).first.wait_for(timeout=LONG)
    assert fresh.get_by_text(f"{CELLS} of {CELLS} answers").is_visible()
    assert count(opened_store(home.database_url), Filter(experiments=(identity,))) == CELLS

    fresh.get_by_role("link", name="Open in the Dashboard").click()
    fresh.wait_for_url("**/dashboard?**")
    _point(fresh, 1).wait_for()
    fresh.locator(".st-key-dash_filters summary").click()
    fresh.locator(".st-key-dash_modes input").click()
    fresh.get_by_role("option", name="crossrag").click()
    fresh.wait_for_url("**mode=crossrag**")
    fresh.get_by_text("n = 52 scored").wait_for()

    _click(fresh, _point(fresh, 0))
    fresh.wait_for_selector(".wb-instance")
    fresh.wait_for_url("**mark=run**")
    assert fresh.get_by_text("Instances (52)").is_visible()
    runs = results.runs(opened_store(home.database_url), Filter(experiments=(identity,)))
    titles = {run.mode: run.title for run in runs}
    shown = fresh.locator(".wb-instance").all_text_contents()
    assert all(titles["crossrag"] in text for text in shown)
    fresh.context.close()


def test_the_server_logged_no_error_on_these_screens(app_url: str, workspace: Path) -> None:
    assert "Traceback" not in (workspace / "app.log").read_text(encoding="utf-8")
