"""What the screens cost a browser, beside a bare page of Streamlit with the same texts, in one run.

python -m benchmarks.weight [--repeats 5] [--labels 100] [--home FOLDER] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.screens.running import PATIENCE, ROOT, AppServer, chromium, environment
from benchmarks.weight.meter import Cost, Meter
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.experiment import experiment_to_yaml, make_experiment
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings

BARE = Path(__file__).with_name("bare_app.py")
SCREENS = ("ask", "compare", "data", "runs", "optimise", "dashboard", "inspect", "tour", "settings")
QUESTIONS = ("Who invented radio?", "When did the first satellite orbit the Earth?", "Who invented photography?")
"""Each is asked in a session of its own: the first of the session, and the next."""
SIZE = {"width": 1280, "height": 900}
EXPERIMENT = make_experiment(
    {
        "name": "Weight",
        "languages": ["en", "fi", "zh"],
        "modes": ["monorag", "multirag"],
        "prompts": ["reply-short-in-ul-ul"],
        "questions": 20,
    }
)
"""For the charts of the Dashboard, and for answers to label."""

Table = dict[str, list[Cost]]


def main() -> None:
    """Measures, prints, and writes JSON where asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weight", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    path = chromium()
    if path is None:
        sys.exit("No Chromium is installed. Type: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        store = _prepare(home, Path(folder))
        ours, bare = AppServer(home), AppServer(home, BARE)
        try:
            ours.start()
            bare.start()
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
                expect.set_options(timeout=1000 * PATIENCE)
                opened, answered = (
                    _opened(browser, ours, bare, options.repeats),
                    _answered(browser, ours, bare, options),
                )
                growth = _labelled(browser, ours, store, home, options.labels)
                browser.close()
        finally:
            ours.stop()
            bare.stop()
    figures = {
        "repeats": options.repeats,
        "first open": _medians(opened, "bare page"),
        "an answer": _medians(answered, "bare page, next"),
        "elements on the page of labelling, by steps": growth,
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


def _prepare(home: Path, folder: Path) -> ResultStore:
    """The sample, and a small experiment over it."""
    _run(home, "prepare")
    store = ResultStore.at(settings.load(home).database_url)
    if not any(item.name == EXPERIMENT.name for item in store.experiment_names()):
        file = folder / "experiment.yaml"
        file.write_text(experiment_to_yaml(EXPERIMENT), encoding="utf-8")
        _run(home, "run", str(file))
    return store


def _run(home: Path, *verb: str) -> None:
    subprocess.run([sys.executable, "-m", "workbench", *verb], cwd=ROOT, env=environment(home), check=True)


def _opened(browser: Browser, ours: AppServer, bare: AppServer, repeats: int) -> Table:
    """The first open of the bare page and of each screen, each time by a browser without a cache, in turns."""
    addresses = {"bare page": bare.url, "home": ours.url, **{name: f"{ours.url}/{name}" for name in SCREENS}}
    table: Table = {name: [] for name in addresses}
    for number in range(repeats + 1):
        for name, address in addresses.items():
            page = _page(browser)
            meter = Meter(page)
            page.goto(address)
            cost = meter.cost()
            if number:  # the server imports its libraries in the first round
                table[name].append(cost)
            page.context.close()
    return table


def _answered(browser: Browser, ours: AppServer, bare: AppServer, options: argparse.Namespace) -> Table:
    """The first answer of a session and the next, on the bare page and on Ask, in turns."""
    table: Table = {}
    for number in range(-1, options.repeats):  # the first round only wakes the servers
        for mode in ("multirag", "drag"):
            for name, address in (("bare page", bare.url), ("Ask", f"{ours.url}/ask")):
                page = _page(browser)
                meter = Meter(page)
                page.goto(f"{address}?{urlencode({'mode': mode})}")
                for turn, cost in enumerate(_answer_costs(page, meter, number)):
                    title = f"{name}{', D-RAG' if mode == 'drag' else ''}{', next' if turn else ', first'}"
                    if number >= 0:
                        table.setdefault(title, []).append(cost)
                page.context.close()
    return table


def _answer_costs(page: Page, meter: Meter, number: int) -> list[Cost]:
    costs = []
    for turn in range(2):
        question = QUESTIONS[(number + turn) % len(QUESTIONS)]
        meter.cost()
        box = page.locator("input[aria-label='Question']")
        box.fill(question)
        before = meter.cost()
        answers = page.locator(".wb-said")
        text = answers.first.inner_text() if turn else ""
        box.press("Enter")
        expect(answers.first).not_to_have_text(text)
        costs.append(meter.cost().since(before))
    return costs


def _labelled(browser: Browser, server: AppServer, store: ResultStore, home: Path, steps: int) -> Mapping[int, int]:
    """How many elements the page has after so many answers were labelled."""
    runs = [run.id for run in store.where(Filter()).runs()]
    kind = taxonomy("answer-faithfulness", home)
    queue = QueueStore(store).create(f"Weight {time.time():.0f}", kind, runs, per_language=steps)
    page = _page(browser)
    page.goto(f"{server.url}/inspect?{urlencode({'view': 'annotate', 'queue': queue.id, 'annotator': 'Ada'})}")
    meter, counts = Meter(page), dict[int, int]()
    for step in range(steps + 1):
        if step % 10 == 0:
            counts[step] = round(meter.cost().elements)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(page.get_by_text(re.compile(rf"^{step + 1} of [\d,]+ answers complete by you"))).to_be_visible()
    page.context.close()
    return counts


def _page(browser: Browser) -> Page:
    page = browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(1000 * PATIENCE)
    return page


def _medians(table: Mapping[str, Sequence[Cost]], standard: str) -> dict[str, dict[str, float]]:
    """The medians of each row, with its processor time and its bytes as ratios to those of the row `standard`."""
    rows = {
        name: {key: round(statistics.median(asdict(cost)[key] for cost in costs), 3) for key in asdict(costs[0])}
        for name, costs in table.items()
    }
    for name, row in rows.items():
        other = rows[name.replace("Ask", "bare page") if name.startswith("Ask") else standard]
        row["processor ratio"] = round(row["seconds"] / other["seconds"], 2)
        row["HTTP ratio"] = round(row["http_kb"] / other["http_kb"], 2) if other["http_kb"] else 0.0
    return rows


if __name__ == "__main__":
    main()
