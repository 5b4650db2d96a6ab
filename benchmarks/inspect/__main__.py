"""Listing, filtering, opening and labelling of answers in a real browser, and the server's memory meanwhile.

python -m benchmarks.inspect [--answers 100000] [--openings 500] [--labels 20] [--home FOLDER] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.dashboard.synthetic import fill
from benchmarks.screens.running import PATIENCE, AppServer, chromium
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings

TIMES = 5
EVERY = 50
"""Openings between two looks at the server's memory."""
SETTLED = "[data-testid='stApp'][data-test-script-state='notRunning']"
LANGUAGES = ("fi", "ar", "th", "zh", "ru")


def main() -> None:
    """Measures, prints, and writes JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--openings", type=int, default=500)
    parser.add_argument("--labels", type=int, default=20)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        store = ResultStore.at(settings.load(home).database_url)
        if not store.where(Filter()).runs():
            fill(store.engine, options.answers)
        server = AppServer(home)
        try:
            server.start()
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
                expect.set_options(timeout=1000 * PATIENCE)
                measured = _measure(browser, server, store, home, options)
                browser.close()
        finally:
            server.stop()
    text = json.dumps(measured, indent=2)
    sys.stdout.write(text + "\n")
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


def _measure(
    browser: Browser, server: AppServer, store: ResultStore, home: Path, options: argparse.Namespace
) -> dict[str, object]:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(1000 * PATIENCE)
    count = store.where(Filter()).count()
    _list(page, server.url)  # the server imports its libraries
    listing = [_timed(lambda: _list(page, server.url)) for _ in range(TIMES)]
    filtering = [_timed(lambda code=code: _list(page, server.url, language=code)) for code in LANGUAGES]  # type: ignore[misc]
    _list(page, server.url)
    turning = [_timed(lambda number=number: _turn(page, number)) for number in range(2, 2 + TIMES)]  # type: ignore[misc]
    _list(page, server.url)
    searching = [_timed(lambda number=number: _search(page, number)) for number in range(TIMES)]  # type: ignore[misc]
    opening = []
    for place in range(TIMES):
        _list(page, server.url)
        opening.append(_timed(lambda place=place: _open(page, place)))  # type: ignore[misc]
    memory = [_memory(server.pid)]
    start = time.perf_counter()
    for number in range(1, options.openings + 1):
        before = page.url
        page.get_by_role("button", name="Next", exact=True).click()
        page.wait_for_url(lambda url, before=before: url != before)  # type: ignore[misc]
        page.locator(SETTLED).wait_for()
        if number % EVERY == 0:
            memory.append(_memory(server.pid))
    each = (time.perf_counter() - start) / max(1, options.openings)
    return {
        "answers": count,
        "list, new page": _summary(listing),
        "filter by language, new page": _summary(filtering),
        "turn to the next page of the list": _summary(turning),
        "search": _summary(searching),
        "open an answer": _summary(opening),
        "next answer, each of many": round(each, 3),
        f"server's memory every {EVERY} openings, MiB": memory,
        "label and complete, key to drawn": _summary(_labels(page, server, store, home, options.labels)),
    }


def _list(page: Page, url: str, **params: str) -> None:
    page.goto(f"{url}/inspect?{urlencode(params)}")
    page.locator("[class*='st-key-question_']").first.wait_for()
    page.locator(SETTLED).wait_for()


def _turn(page: Page, number: int) -> None:
    page.get_by_role("button", name="Next page").click()
    page.get_by_text(re.compile(rf"^Page {number:,} of ")).wait_for()
    page.locator(SETTLED).wait_for()


def _search(page: Page, number: int) -> None:
    """From Enter to the list of what has the text, none of which is on the first page of all answers."""
    name = f"synthetic-{30 + number:05d}"
    page.get_by_label("Search").fill(name)
    page.get_by_label("Search").press("Enter")
    page.locator("[class*='st-key-question_']").get_by_text(name).first.wait_for()
    page.locator(SETTLED).wait_for()


def _open(page: Page, place: int) -> None:
    page.locator('[class*="st-key-inspect_open_"] [role="radio"]').nth(place).click()
    page.get_by_role("heading", name=re.compile(r"^Documents")).wait_for()
    page.locator(SETTLED).wait_for()


def _labels(page: Page, server: AppServer, store: ResultStore, home: Path, count: int) -> list[float]:
    runs = [run.id for run in store.where(Filter()).runs()]
    kind = taxonomy("answer-faithfulness", home)
    queue = QueueStore(store).create(f"Benchmark {time.time():.0f}", kind, runs, per_language=100)
    page.goto(f"{server.url}/inspect?{urlencode({'view': 'annotate', 'queue': queue.id, 'annotator': 'Ada'})}")
    expect(page.get_by_role("button", name="Complete and next")).to_be_visible()
    page.locator(SETTLED).wait_for()
    times = []
    for number in range(1, count + 1):
        start = time.perf_counter()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(page.get_by_text(re.compile(rf"^{number} of [\d,]+ answers complete by you"))).to_be_visible()
        page.locator(SETTLED).wait_for()
        times.append(time.perf_counter() - start)
    return times


def _timed(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _summary(seconds: list[float]) -> dict[str, float]:
    return {
        "median_s": round(statistics.median(seconds), 3),
        "max_s": round(max(seconds), 3),
        "n": len(seconds),
    }


def _memory(pid: int) -> int:
    """The resident memory of a process, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    match = re.search(r"VmRSS:\s+(\d+) kB", status)
    return round(int(match.group(1)) / 1024) if match else 0


if __name__ == "__main__":
    main()
