"""How long a person waits from the click on Ask to the answer on screen. Or takes the screenshots.

python -m benchmarks.screens [--home FOLDER] [--out FILE]
python -m benchmarks.screens --screenshots docs/screenshots
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.screens import experiment, search
from benchmarks.screens.running import ROOT, chromium, environment, running_app
from benchmarks.screens.shots import take
from workbench.data.corpora import sample

LANGUAGES = ("en", "ar", "zh", "th", "fi", "ru")
QUESTIONS = ("q11", "q13", "q19", "q23", "q28")
WARM = ("q12", "q15")
"""Asked first: a language's first question makes the translator learn it, once in a workspace's life."""

WATCH = """() => document.addEventListener(
  'click', () => { window.clicked = performance.now() }, {capture: true, once: true}
)"""

ANSWERED = """question => new Promise(done => {
  const look = () => {
    const card = document.querySelector('.wb-answer');
    card && card.textContent.includes(question) && card.querySelector('.wb-said, .wb-none')
      ? requestAnimationFrame(() => done(performance.now() - window.clicked)) : requestAnimationFrame(look);
  };
  look();
})"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.screens")
    parser.add_argument("--screenshots", type=Path, help="take the screenshots into this folder and measure nothing")
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    path = chromium()
    if path is None:
        sys.exit("No Chromium is installed. Type: apt-get install chromium")
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh)
        subprocess.run([sys.executable, "-m", "workbench", "prepare"], cwd=ROOT, env=environment(home), check=True)
        experiment_id = experiment.run(home, Path(fresh)) if options.screenshots else ""
        search_id = search.run(home, Path(fresh)) if options.screenshots else ""
        with running_app(home) as url, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
            if options.screenshots:
                take(browser, url, options.screenshots, experiment_id, search_id)
            else:
                figures = json.dumps(measure(browser, url), indent=2)
                print(figures)
                if options.out:
                    options.out.write_text(figures + "\n", encoding="utf-8")
            browser.close()


def measure(browser: Browser, url: str) -> dict[str, object]:
    """Medians in seconds, with what they are medians of. The server and its components are warm, the browser is not."""
    answers(browser, url, LANGUAGES, WARM)
    waits = answers(browser, url, LANGUAGES, QUESTIONS)
    return {
        "click to answer": _summary([wait for seconds in waits.values() for wait in seconds]),
        "click to answer by language": {code: _summary(seconds) for code, seconds in waits.items()},
    }


def answers(browser: Browser, url: str, codes: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, list[float]]:
    """Seconds from click to answer, by language, for questions that were not asked before."""
    page = browser.new_page()
    page.goto(f"{url}/ask")
    page.wait_for_selector(".wb-example")
    waits: dict[str, list[float]] = {}
    for code in codes:
        for question in (item.text for item in sample.questions(code) if item.id in ids):
            page.locator("input[aria-label='Question']").fill(question)
            page.evaluate(WATCH)
            page.get_by_role("button", name="Ask", exact=True).click()
            waits.setdefault(code, []).append(float(page.evaluate(ANSWERED, question)) / 1000)
    page.close()
    return waits


def _summary(seconds: list[float]) -> dict[str, float | int]:
    return {"median": round(statistics.median(seconds), 3), "max": round(max(seconds), 3), "n": len(seconds)}


if __name__ == "__main__":
    main()
