"""Many people at once, each with a browser page of their own: waits, errors and memory, beside Streamlit's own floor.

python -m benchmarks.sessions [--browsers 50] [--clients 0] [--seconds 300] [--pause 60] [--home FOLDER] [--out FILE]

Browsers draw their pages; clients speak the page's protocol without drawing, which shows the server's own limit.
Everything is on loopback and bounded. The floor is the same crowd on an app that only repeats the question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.async_api import async_playwright

from benchmarks.screens.running import ROOT, AppServer, chromium, environment
from benchmarks.sessions.process import processor_seconds, resident_mb
from benchmarks.sessions.protocol_client import ProtocolClient
from benchmarks.sessions.visit import BrowserPage, Visits, visit
from workbench.app.answer_parts import answer_claims
from workbench.app.question import detect_question
from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.pipeline.recipe import Recipe
from workbench.workspace import settings

LANGUAGES = ("en", "ar", "zh", "th", "fi", "ru")
FLOOR = Path(__file__).with_name("floor_app.py")
SAMPLING_SECONDS = 5.0
OPENED_AT_ONCE = 2
"""Pages that load at a time, before anything is measured: a browser takes two seconds of a processor for each."""
CHROMIUM = ["--no-sandbox", "--renderer-process-limit=12", "--disable-gpu", "--force-prefers-reduced-motion"]
"""Fifty processes for fifty pages would measure the browser's memory, and animations its drawing without a GPU."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--browsers", type=int, default=50)
    parser.add_argument("--clients", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--pause", type=float, default=60.0, help="seconds that a person reads an answer, on average")
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    path = chromium()
    if path is None:
        sys.exit("No Chromium is installed. Type: apt-get install chromium")
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh)
        subprocess.run([sys.executable, "-m", "workbench", "prepare"], cwd=ROOT, env=environment(home), check=True)
        expected = answers_of_ask(home)
        lengths = {question: str(len(question)) for question in expected}
        figures: dict[str, object] = {
            "browsers": options.browsers,
            "clients": options.clients,
            "seconds": options.seconds,
            "mean pause s": options.pause,
            "questions": len(expected),
        }
        for name, app, address, answers in (
            ("workbench", Path("app.py"), "ask", expected),
            ("floor", FLOOR, "", lengths),
        ):
            figures[name] = crowd(home, app, address, answers, options, path)
            print(f"{name}: {figures[name]}", file=sys.stderr)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    return 0


def answers_of_ask(home: Path) -> dict[str, str]:
    """The answers of `ask` to the sample's questions, each in the language that the screen detects."""
    bench, recipe = Workbench(settings.load(home)), Recipe()
    bench.corpus(recipe.corpus)
    likely = sorted(sample.languages())
    questions = {question.text for code in LANGUAGES for question in sample.questions(code)}
    codes = {text: detect_question(text, bench.registry.identifier(), likely).language for text in sorted(questions)}
    answers = {text: bench.ask(text, code, recipe) for text, code in codes.items()}
    return {
        text: " … ".join(claim.text for claim in answer_claims(answer)) or "No answer"
        for text, answer in answers.items()
    }


def crowd(
    home: Path, app: Path, address: str, expected: Mapping[str, str], options: argparse.Namespace, path: str
) -> dict[str, object]:
    """The figures of one app under the crowd, in a server and a browser of its own."""
    server = AppServer(home, app)
    server.start()
    try:
        browsers, clients, work, memory = asyncio.run(_visits(server, address, expected, options, path))
    finally:
        server.stop()
    answers = max(1, len(browsers.seconds) + len(clients.seconds))
    return {
        **({"browsers": _figures(browsers)} if options.browsers else {}),
        **({"clients": _figures(clients)} if options.clients else {}),
        "processor s an answer": {
            "server": round(work[0] / answers, 3),
            "server, browser, visitors": round(work[1] / answers, 3),
        },
        "resident MB by minute": memory,
        "load average": round(os.getloadavg()[0], 1),
    }


def _figures(visits: Visits) -> dict[str, object]:
    p50, p95, p99 = np.percentile(visits.seconds, [50, 95, 99]) if visits.seconds else (0.0, 0.0, 0.0)
    return {
        "answers": len(visits.seconds),
        "errors": dict(visits.errors),
        "unequal to ask": len(visits.different),
        "unequal": visits.different[:5],
        "click to answer p50 s": round(float(p50), 3),
        "p95 s": round(float(p95), 3),
        "p99 s": round(float(p99), 3),
        "page opened, median s": round(float(np.median(visits.openings)), 2),
    }


async def _visits(
    server: AppServer, address: str, expected: Mapping[str, str], options: argparse.Namespace, path: str
) -> tuple[Visits, Visits, tuple[float, float], list[int]]:
    drawing, speaking = Visits(), Visits()
    begin = asyncio.Barrier(options.browsers + options.clients + 1)
    door = asyncio.Semaphore(OPENED_AT_ONCE)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=path, args=CHROMIUM)

        async def opened() -> BrowserPage:
            return await BrowserPage.open(browser, f"{server.url}/{address}", drawing)

        async def connected() -> ProtocolClient:
            return await ProtocolClient.open(server.url, address)

        comers = [(opened, drawing)] * options.browsers + [(connected, speaking)] * options.clients
        tasks = [
            asyncio.create_task(visit(come, number, expected, options.pause, visits, door, begin))
            for number, (come, visits) in enumerate(comers)
        ]
        drawing.until = speaking.until = time.monotonic() + 10 * options.seconds  # until all are there
        await begin.wait()
        drawing.until = speaking.until = time.monotonic() + options.seconds
        before = processor_seconds(server.pid)
        with _resident(server.pid) as samples:
            await asyncio.gather(*tasks)
        by_server, by_all = (now - then for now, then in zip(processor_seconds(server.pid), before, strict=True))
        await browser.close()
    per_minute = round(60 / SAMPLING_SECONDS)
    memory = [round(float(np.mean(samples[at : at + per_minute]))) for at in range(0, len(samples), per_minute)]
    return drawing, speaking, (by_server, by_all), memory


@contextmanager
def _resident(pid: int) -> Iterator[list[float]]:
    """Megabytes of memory of a process, every five seconds while the block runs."""
    samples: list[float] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(SAMPLING_SECONDS):
            samples.append(resident_mb(pid))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield samples
    finally:
        ended.set()
        watcher.join()


if __name__ == "__main__":
    sys.exit(main())
