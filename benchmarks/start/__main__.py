"""What a start costs in a prepared workspace: `mrag ask` typed, a service's first answer, the screens' first page.

python -m benchmarks.start [--repeats 5] [--home FOLDER] [--skip page]

Medians. `mrag ask` is a process of its own, for a question that was asked before and for one never asked; its processor
time is that of the whole process. The service's first answer counts from the line that says where it is served, the
first page from when the screens' server answers, in Chromium without a cache, until its heading is drawn.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import httpx
from playwright.sync_api import sync_playwright

from benchmarks.answer.__main__ import unit
from benchmarks.screens.running import PATIENCE, ROOT, AppServer, chromium, environment
from benchmarks.serve.service_process import served, write_recipe
from workbench.pipeline.recipe import Recipe

ASKED = "Who invented radio?"


def command(home: Path, *words: str) -> tuple[float, float]:
    """Seconds of a command: of the processor, and on the clock."""
    began, before = time.perf_counter(), os.times()
    arguments = [sys.executable, "-m", "workbench", *words]
    subprocess.run(arguments, cwd=ROOT, env=environment(home), check=True, capture_output=True)
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return processor, time.perf_counter() - began


def new_question() -> str:
    """One that nobody asked before."""
    return f"Who invented the lamp number {uuid.uuid4().int % 10**6}?"


def first_answer(home: Path, question: str) -> tuple[float, float]:
    """Seconds of the service's processor and on the clock, from its line to its first answer."""
    with tempfile.TemporaryDirectory() as folder:
        recipe = write_recipe(Path(folder) / "served.yaml", Recipe())
        with served(home, recipe, []) as service:
            began, before = time.perf_counter(), service.processor_seconds()
            body = {"question": question, "language": "en"}
            httpx.post(f"{service.url}/v1/ask", json=body, timeout=PATIENCE, trust_env=False).raise_for_status()
            return service.processor_seconds() - before, time.perf_counter() - began


def first_page(home: Path, path: str) -> tuple[float, float]:
    """Seconds of the server's processor and on the clock, from when it answers to its first page."""
    server = AppServer(home)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("about:blank")
        try:
            server.start()
            began, before = time.perf_counter(), processor_seconds(server.pid)
            page.goto(server.url)
            page.locator("h1").first.wait_for(timeout=1000 * PATIENCE)
            return processor_seconds(server.pid) - before, time.perf_counter() - began
        finally:
            server.stop()
            browser.close()


def processor_seconds(pid: int) -> float:
    """What a process has used so far, as Linux counts it."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Prints a line for each start."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    parser.add_argument("--skip", nargs="*", choices=("ask", "service", "page"), default=())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh)
        command(home, "prepare")
        command(home, "ask", ASKED, "--lang", "en")
        starts: dict[str, Callable[[], tuple[float, float]]] = {}
        if "ask" not in options.skip:
            starts["mrag ask, asked before"] = lambda: command(home, "ask", ASKED, "--lang", "en")
            starts["mrag ask, never asked"] = lambda: command(home, "ask", new_question(), "--lang", "en")
        if "service" not in options.skip:
            starts["mrag serve, asked before"] = lambda: first_answer(home, ASKED)
            starts["mrag serve, never asked"] = lambda: first_answer(home, new_question())
        path = chromium()
        if "page" not in options.skip and path is not None:
            starts["first page of mrag app"] = lambda: first_page(home, path)
        print(f"{'':28}{'processor s':>12}{'clock s':>9}{'units':>8}   n = {options.repeats}")
        for name, start in starts.items():
            loop = statistics.median(unit() for _ in range(9))
            rows = [start() for _ in range(options.repeats)]
            processor, clock = (statistics.median(row[place] for row in rows) for place in (0, 1))
            print(f"{name:28}{processor:12.2f}{clock:9.2f}{processor / loop:8.0f}", flush=True)


if __name__ == "__main__":
    main()
