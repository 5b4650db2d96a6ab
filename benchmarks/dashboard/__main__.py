"""First view and a filter of the Dashboard on a million scored answers, in a real browser.

python -m benchmarks.dashboard [--answers 1000000] [--home FOLDER] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright
from sqlalchemy import update

from benchmarks.dashboard.synthetic import fill
from benchmarks.screens.running import chromium, running_app
from workbench.workspace import result_tables as t
from workbench.workspace.database import open_store

FIRST_VIEWS = 5
COLD_STARTS = 2
FILTERS = (("Mode", "tRAG"), ("Question language", "Finnish"), ("Scope", "English"), ("Prompt variant", "Short answer"))
"""Each is added to the ones before."""
VIEWS = ("languages", "prompts", "modes", "documents", "cost", "metrics", "deltas")
TITLE = ".js-plotly-plot .gtitle, .wb-chart"
DRAWN = """before => new Promise(done => {
  const look = () => {
    const title = document.querySelector('.js-plotly-plot .gtitle, .wb-chart')?.textContent ?? '';
    title.includes('n = ') && title !== before
      ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look);
  };
  look();
})"""
"""Milliseconds from navigation until a figure whose title is not `before` is on screen."""
TITLED = DRAWN.replace(TITLE, ".stMain h1").replace("title.includes('n = ') && ", "")
"""The same for a screen without figures: until its title is on screen."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dashboard")
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path, help="keep the workspace here; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    path = chromium()
    if path is None:
        sys.exit("No Chromium is installed. Type: apt-get install chromium")
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh)
        database = home / "workbench.db"
        facts: dict[str, object] = {}
        if not database.exists():
            began = time.perf_counter()
            facts = dict(fill(open_store(f"sqlite:///{database}"), options.answers))
            facts["seconds to make it"] = round(time.perf_counter() - began, 1)
        facts["database MB"] = round(database.stat().st_size / 1e6)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
            facts |= _measured(browser, home)
            browser.close()
    figures = json.dumps(facts, indent=2)
    print(figures)
    if options.out:
        options.out.write_text(figures + "\n", encoding="utf-8")


def _measured(browser: Browser, home: Path) -> dict[str, object]:
    store = open_store(f"sqlite:///{home / 'workbench.db'}")
    cold_starts, firsts, floors, filters = [], [], [], []
    for _ in range(COLD_STARTS):
        with running_app(home) as url:
            cold_starts.append(_visit(browser, f"{url}/dashboard"))
    with running_app(home) as url:
        _visit(browser, f"{url}/dashboard")
        for _ in range(FIRST_VIEWS):
            # The results count as changed, so that nothing cached from the visit before is shown again.
            with store.begin() as connection:
                connection.execute(update(t.experiments).values(created=time.time()))
            firsts.append(_visit(browser, f"{url}/dashboard"))
            floors.append(_visit(browser, f"{url}/settings", TITLED))
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(f"{url}/dashboard")
        page.evaluate(DRAWN, "")
        page.locator(".st-key-dash_filters summary").click()
        for label, value in FILTERS:
            filters.append(_filter(page, label, value))
        page.close()
        views = {view: round(_visit(browser, f"{url}/dashboard?{urlencode({'view': view})}"), 2) for view in VIEWS}
    return {
        "first view, server warm": _summary(firsts),
        "for comparison: the Settings screen, which reads no results": _summary(floors),
        "first view, server just started": _summary(cold_starts),
        "a filter": _summary(filters),
        "first look at a view": views,
    }


def _visit(browser: Browser, address: str, until: str = DRAWN) -> float:
    """Seconds until the figure is drawn (or what `until` says), for a new browser."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.goto(address, wait_until="commit")
    milliseconds = float(page.evaluate(until, ""))
    context.close()
    return milliseconds / 1000


def _filter(page: Page, label: str, value: str) -> float:
    """Seconds from choosing a value of a filter to the figure that shows it."""
    box = page.locator(f"[data-testid='stMultiSelect']:has-text('{label}') input").first
    before = page.locator(TITLE).first.text_content()
    box.click()
    box.fill(value)
    option = page.get_by_role("option").filter(has_text=re.compile(rf"(^|\W){value}(\W|$)")).first
    option.wait_for()
    began = float(page.evaluate("() => performance.now()"))
    option.click()
    return (float(page.evaluate(DRAWN, before)) - began) / 1000


def _summary(seconds: list[float]) -> dict[str, float | int]:
    return {"median s": round(statistics.median(seconds), 2), "max s": round(max(seconds), 2), "n": len(seconds)}


if __name__ == "__main__":
    main()
