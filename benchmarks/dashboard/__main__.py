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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from sqlalchemy import Engine, update

from benchmarks.dashboard.synthetic import fill
from benchmarks.screens.running import AppServer, chromium
from benchmarks.sessions.process import processor_seconds
from workbench.workspace import result_tables as t
from workbench.workspace.database import open_store

FIRST_VIEWS = 5
COLD_STARTS = 2
ROUNDS = 2
SETTLED_MS = 1_000
"""How long a page is left alone after a figure, so that what is drawn below it is not counted with the next one."""
REST_MS = 300
"""How long the pointer rests on a name before it is pressed, as a hand does: meanwhile the chart library is loaded."""
FILTERS = (("Mode", "tRAG"), ("Question language", "Finnish"), ("Scope", "English"), ("Prompt variant", "Short answer"))
"""Each is added to the ones before."""
CLICKS = (
    *("Where does it work?", "Modes", "Prompts"),
    *("Why?", "Metrics", "Documents"),
    *("Which is best?", "Differences", "Cost"),
)
"""From view to view in one page: a question opens its first view. The first figure also loads the chart library."""
TITLE = ".js-plotly-plot .gtitle, .wb-chart"
DRAWN = """before => new Promise((done, fail) => {
  const end = performance.now() + 60_000;
  const look = () => {
    if (performance.now() > end) fail(new Error('no other figure within a minute'));
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
    figures: dict[str, object] = {}
    cold_starts, firsts, again, floors = _Times(), _Times(), _Times(), _Times()
    for _ in range(COLD_STARTS):
        with started(home) as app:
            cold_starts.add(app.pid, lambda: _visit(browser, f"{app.url}/dashboard"))
    with started(home) as app:
        _visit(browser, f"{app.url}/dashboard")
        for _ in range(FIRST_VIEWS):
            _change(store)
            firsts.add(app.pid, lambda: _visit(browser, f"{app.url}/dashboard"))
            time.sleep(SETTLED_MS / 1000)
            again.add(app.pid, lambda: _visit(browser, f"{app.url}/dashboard"))
            time.sleep(SETTLED_MS / 1000)
            floors.add(app.pid, lambda: _visit(browser, f"{app.url}/settings", TITLED))
        page = _opened(browser, app.url)
        page.locator(".st-key-dash_filters summary").click()
        filters, views = _Times(), _Times()
        for label, value in FILTERS:
            filters.add(app.pid, partial(_filter, page, label, value))
        page.close()
        for _ in range(ROUNDS):
            _change(store)
            page = _opened(browser, app.url)
            for name in CLICKS:
                views.add(app.pid, partial(_click, page, name), name)
            page.close()
    figures["first view, server warm"] = firsts.summary()
    figures["for comparison: the Settings screen, which reads no results"] = floors.summary()
    figures["for comparison: a view of what is computed already, by another new visitor"] = again.summary()
    figures["first view, server just started"] = cold_starts.summary()
    figures["a filter"] = filters.summary()
    figures["a further view, first look, by a click in an open page"] = views.summary()
    figures["by view"] = {name: views.summary(name) for name in CLICKS}
    return figures


def _change(store: Engine) -> None:
    """The results count as changed, so that nothing cached from a visit before is shown again."""
    with store.begin() as connection:
        connection.execute(update(t.experiments).values(created=time.time()))


class _Times:
    """Seconds of wall time in the browser, and of processor time in the server, by name."""

    def __init__(self) -> None:
        self._times: list[tuple[str, float, float]] = []

    def add(self, pid: int, measure: Callable[[], float], name: str = "") -> None:
        before, _ = processor_seconds(pid)
        seconds = measure()
        self._times.append((name, seconds, processor_seconds(pid)[0] - before))

    def summary(self, name: str | None = None) -> dict[str, float | int]:
        times = [(wall, processor) for at, wall, processor in self._times if name in (None, at)]
        walls, processors = zip(*times, strict=True)
        return {
            "median s": round(statistics.median(walls), 2),
            "max s": round(max(walls), 2),
            "n": len(walls),
            "server's processor s, median": round(statistics.median(processors), 2),
        }


@contextmanager
def started(home: Path) -> Iterator[AppServer]:
    """The app while it runs."""
    app = AppServer(home)
    try:
        app.start()
        yield app
    finally:
        app.stop()


def _opened(browser: Browser, url: str) -> Page:
    """The Dashboard in a new page, once its first figure is drawn."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(f"{url}/dashboard")
    page.evaluate(DRAWN, "")
    page.wait_for_timeout(SETTLED_MS)
    return page


def _click(page: Page, name: str) -> float:
    """Seconds from the click on a question or a view to its first figure."""
    before = page.locator(TITLE).first.text_content()
    choice = page.get_by_role("radio", name=name, exact=True).or_(page.get_by_role("button", name=name, exact=True))
    choice.first.hover()
    page.wait_for_timeout(REST_MS)
    began = float(page.evaluate("() => performance.now()"))
    choice.first.click()
    seconds = (float(page.evaluate(DRAWN, before)) - began) / 1000
    page.wait_for_timeout(SETTLED_MS)
    return seconds


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


if __name__ == "__main__":
    main()
