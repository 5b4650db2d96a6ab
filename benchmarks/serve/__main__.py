"""Many clients that ask a served recipe: errors, times, memory, overload, and whether answers equal those of `ask`.

python -m benchmarks.serve [--clients 50] [--seconds 300] [--home FOLDER] [--out FILE]

Everything is on loopback and bounded: the service is a process of its own (`mrag serve`), the clients are threads here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from benchmarks.serve.service_process import served, write_recipe
from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.pipeline.recipe import Recipe
from workbench.workspace import settings

LANGUAGES = ("en", "ar", "zh", "th", "fi", "ru")
PATHS = ("/v1/ask", "/v1/stream", "/v1/chat/completions")
CLIENT_SECONDS = 150.0
OVERLOAD_CLIENTS, OVERLOAD_QUEUE, OVERLOAD_SECONDS = 40, 4, 10.0


@dataclass
class Load:
    """What clients saw: seconds of each answer, statuses, and answers that were not those of `ask`."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    different: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, status: str, seconds: float, equal: bool) -> None:
        with self.lock:
            self.statuses[status] += 1
            if status == "200":
                self.seconds.append(seconds)
                self.different += not equal

    def summary(self, elapsed: float) -> dict[str, object]:
        p50, p95, p99 = np.percentile(self.seconds, [50, 95, 99]) if self.seconds else (0.0, 0.0, 0.0)
        return {
            "answers": len(self.seconds),
            "per second": round(len(self.seconds) / elapsed, 1),
            "errors": sum(number for status, number in self.statuses.items() if status not in ("200", "429")),
            "statuses": dict(self.statuses),
            "unequal to ask": self.different,
            "p50 s": round(float(p50), 3),
            "p95 s": round(float(p95), 3),
            "p99 s": round(float(p99), 3),
        }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--no-cache", action="store_true", help="every answer is computed anew")
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh) / "home"
        recipe = write_recipe(Path(fresh) / "served.yaml", Recipe())
        expected = answers_of_ask(home)
        print(f"{len(expected)} questions answered by ask", file=sys.stderr)
        cache = ["--no-cache"] if options.no_cache else []
        extra = ["--workers", str(options.workers), "--queue", str(options.clients), *cache]
        with served(home, recipe, extra) as service:
            run_load(service.url, expected, 1, seconds=None)  # every question once: what is loaded once is loaded
            before = service.resident_mb()
            load, elapsed = run_load(service.url, expected, options.clients, options.seconds)
            figures: dict[str, object] = {
                "clients": options.clients,
                "seconds": round(elapsed, 1),
                "cached": not options.no_cache,
                "load average": os.getloadavg()[1],
                **load.summary(elapsed),
                "resident MB at start": before,
                "resident MB at end": service.resident_mb(),
            }
        figures["overload"] = overload(home, recipe, expected)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    return 0 if figures["errors"] == 0 == figures["unequal to ask"] else 1


def answers_of_ask(home: Path) -> dict[tuple[str, str], str]:
    """The answers of `ask` by language and question."""
    bench, recipe = Workbench(settings.load(home)), Recipe()
    bench.corpus(recipe.corpus)
    return {
        (code, question.text): bench.ask(question.text, code, recipe, cached=False).text
        for code in LANGUAGES
        for question in sample.questions(code)
    }


def run_load(url: str, expected: dict[tuple[str, str], str], clients: int, seconds: float | None) -> tuple[Load, float]:
    """Clients that ask one question after the other; with `seconds` None one of them asks every question once."""
    load, began = Load(), time.monotonic()

    def work(number: int) -> None:
        order = list(expected)
        random.Random(number).shuffle(order)
        with httpx.Client(base_url=url, timeout=CLIENT_SECONDS, trust_env=False) as client:
            turn = 0
            while (turn < len(order)) if seconds is None else (time.monotonic() - began < seconds):
                key = order[turn % len(order)]
                ask_once(client, PATHS[(number + turn) % len(PATHS)], key, expected[key], load)
                turn += 1

    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(work, number) for number in range(clients)]:
            done.result()
    return load, time.monotonic() - began


def ask_once(client: httpx.Client, path: str, key: tuple[str, str], expected: str, load: Load) -> None:
    """One request, checked and counted."""
    code, question = key
    body: dict[str, object] = {"question": question, "language": code}
    if path == "/v1/chat/completions":
        messages = [{"role": "user", "content": question}]
        body = {"model": "served", "messages": messages, "metadata": {"language": code}}
    began = time.perf_counter()
    try:
        response = client.post(path, json=body)
        took = time.perf_counter() - began
        status = str(response.status_code)
        equal = response.status_code == 200 and answer_in(path, response) == expected
    except (httpx.HTTPError, ValueError, KeyError) as error:
        status, took, equal = type(error).__name__, time.perf_counter() - began, False
    load.note(status, took, equal)
    if status == "429":
        time.sleep(0.2)


def answer_in(path: str, response: httpx.Response) -> str:
    """The answer that a reply holds."""
    if path == "/v1/chat/completions":
        return str(response.json()["choices"][0]["message"]["content"])
    if path == "/v1/ask":
        return str(response.json()["answer"])
    data = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
    return str(json.loads(data[-1])["answer"])


def overload(home: Path, recipe: Path, expected: dict[tuple[str, str], str]) -> dict[str, object]:
    """More clients than one worker and a short queue can serve, then one client alone."""
    extra = ["--workers", "1", "--queue", str(OVERLOAD_QUEUE), "--no-cache"]
    with served(home, recipe, extra) as service:
        few = dict(list(expected.items())[:12])
        run_load(service.url, few, 1, seconds=None)
        crowd, elapsed = run_load(service.url, expected, OVERLOAD_CLIENTS, OVERLOAD_SECONDS)
        alone, _ = run_load(service.url, few, 1, seconds=None)
    return {
        "clients": OVERLOAD_CLIENTS,
        "queue": OVERLOAD_QUEUE,
        **crowd.summary(elapsed),
        "afterwards, one client": dict(alone.statuses),
    }


if __name__ == "__main__":
    sys.exit(main())
