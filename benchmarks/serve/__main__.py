"""Many clients that ask a served recipe: answers a second, errors, processor time, memory, overload, killed processes.

python -m benchmarks.serve [--clients 50] [--seconds 300] [--processes 1 2] [--kills 10] [--before CHECKOUT]
                           [--home FOLDER] [--out FILE]

Everything is on loopback and bounded: the service is a process of its own (`mrag serve`), the clients are threads here.
Every answer is compared with that of `ask`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np

from benchmarks.serve.service_process import ROOT, ServiceProcess, served, write_recipe
from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.pipeline.recipe import Recipe
from workbench.workspace import settings

LANGUAGES = ("en", "ar", "zh", "th", "fi", "ru")
PATHS = ("/v1/ask", "/v1/stream", "/v1/chat/completions")
CLIENT_SECONDS = 150.0
OVERLOAD_CLIENTS, OVERLOAD_QUEUE, OVERLOAD_SECONDS = 40, 4, 10.0
KILL_SECONDS = 2.0
"""Between two processes that are killed."""


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
    parser.add_argument("--seconds", type=float, default=300.0, help="of load, for each number of processes")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2], help="as many runs")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=10, help="processes killed under load, where several answer")
    parser.add_argument("--before", type=Path, help="a checkout whose service is measured first, by the same clients")
    parser.add_argument("--no-cache", action="store_true", help="every answer is computed anew")
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    parser.add_argument("--out", type=Path, help="write the figures to this file as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh) / "home"
        recipe = write_recipe(Path(fresh) / "served.yaml", Recipe())
        expected = answers_of_ask(home)
        print(f"{len(expected)} questions answered by ask", file=sys.stderr)
        words = ["--workers", str(options.workers), "--queue", str(options.clients)]
        words += ["--no-cache"] if options.no_cache else []
        runs: dict[str, tuple[Path, list[str]]] = {"before": (options.before, words)} if options.before else {}
        for number in options.processes:
            runs[f"{number} processes"] = ROOT, [*words, "--processes", str(number)]
        figures: dict[str, dict[str, object]] = {}
        for name, (root, extra) in runs.items():
            with served(home, recipe, extra, root) as service:
                run_load(service.url, expected, 1, until=None)  # every question once: what is loaded once is loaded
                figures[name] = measured(service, expected, options.clients, options.seconds)
                print(name, figures[name], file=sys.stderr)
                if options.kills and service.answering():
                    figures[f"{name}, killed"] = killed(service, expected, options.clients, options.kills)
        figures["overload"] = overload(home, recipe, expected)
    text = json.dumps({"clients": options.clients, "cached": not options.no_cache, **figures}, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    whole = [item for name, item in figures.items() if not name.endswith("killed")]
    return 0 if all(item["errors"] == 0 == item["unequal to ask"] for item in whole) else 1


def measured(
    service: ServiceProcess, expected: dict[tuple[str, str], str], clients: int, seconds: float
) -> dict[str, object]:
    """What clients see, and what server and clients take, under load."""
    memory, server_seconds, client_seconds = service.memory_mb(), service.processor_seconds(), time.process_time()
    load, elapsed = run_load(service.url, expected, clients, seconds)
    answers = max(1, len(load.seconds))
    return {
        "seconds": round(elapsed, 1),
        "load average": round(os.getloadavg()[0], 1),
        **load.summary(elapsed),
        "server's processor ms per answer": round(1000 * (service.processor_seconds() - server_seconds) / answers, 2),
        "clients' processor ms per answer": round(1000 * (time.process_time() - client_seconds) / answers, 2),
        "MB at start": memory,
        "MB at end": service.memory_mb(),
    }


def killed(
    service: ServiceProcess, expected: dict[tuple[str, str], str], clients: int, kills: int
) -> dict[str, object]:
    """What clients see of processes that are killed, one after the other, once all of them answer again."""
    places, draw, end = workers_of(service.url), random.Random(0), threading.Event()

    def kill() -> None:
        for _ in range(kills):
            time.sleep(KILL_SECONDS)
            while workers_of(service.url) < places:
                time.sleep(0.1)
            os.kill(draw.choice(service.answering()), signal.SIGKILL)
        end.set()

    thread = threading.Thread(target=kill)
    thread.start()
    load, elapsed = run_load(service.url, expected, clients, end)
    return {"kills": kills, **load.summary(elapsed)}


def answers_of_ask(home: Path) -> dict[tuple[str, str], str]:
    """The answers of `ask` by language and question."""
    bench, recipe = Workbench(settings.load(home)), Recipe()
    bench.corpus(recipe.corpus)
    return {
        (code, question.text): bench.ask(question.text, code, recipe, cached=False).text
        for code in LANGUAGES
        for question in sample.questions(code)
    }


def workers_of(url: str) -> float:
    """Answers that the service can be at now, as its figures have it."""
    with urlopen(f"{url}/metrics") as reply:
        return float(reply.read().decode().partition("\nmrag_workers ")[2].split()[0])


def run_load(
    url: str, expected: dict[tuple[str, str], str], clients: int, until: float | threading.Event | None
) -> tuple[Load, float]:
    """Clients that ask one question after the other, for seconds or `until` the event; None: every question once."""
    load, began = Load(), time.monotonic()

    def is_over(turn: int) -> bool:
        if isinstance(until, threading.Event):
            return until.is_set()
        return turn == len(expected) if until is None else time.monotonic() - began > until

    def work(number: int) -> None:
        order = list(expected)
        random.Random(number).shuffle(order)
        client, turn = http.client.HTTPConnection(urlsplit(url).netloc, timeout=CLIENT_SECONDS), 0
        while not is_over(turn):
            key = order[turn % len(order)]
            ask_once(client, PATHS[(number + turn) % len(PATHS)], key, expected[key], load)
            turn += 1
        client.close()

    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(work, number) for number in range(clients)]:
            done.result()
    return load, time.monotonic() - began


def ask_once(client: http.client.HTTPConnection, path: str, key: tuple[str, str], expected: str, load: Load) -> None:
    """One request, checked and counted."""
    code, question = key
    body: dict[str, object] = {"question": question, "language": code}
    if path == "/v1/chat/completions":
        messages = [{"role": "user", "content": question}]
        body = {"model": "served", "messages": messages, "metadata": {"language": code}}
    began = time.perf_counter()
    try:
        client.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = client.getresponse()
        content = response.read()
        took = time.perf_counter() - began
        status = str(response.status)
        answer = answer_in(path, content) if response.status == 200 else ""
        if isinstance(answer, dict):  # a stream that had begun ends with the error
            status, answer = str(answer["code"]), ""
        equal = status == "200" and answer == expected
    except (http.client.HTTPException, OSError, ValueError, KeyError) as error:
        status, took, equal = type(error).__name__, time.perf_counter() - began, False
        client.close()
    load.note(status, took, equal)
    if status == "429":
        time.sleep(0.2)


def answer_in(path: str, content: bytes) -> str | dict[str, str]:
    """The answer that a reply holds, or the error of a stream."""
    if path == "/v1/stream":
        last = next(line for line in reversed(content.splitlines()) if line.startswith(b"data: "))
        reply = json.loads(last.removeprefix(b"data: "))
        return dict(reply["error"]) if "error" in reply else str(reply["answer"])
    reply = json.loads(content)
    return str(reply["choices"][0]["message"]["content"] if "choices" in reply else reply["answer"])


def overload(home: Path, recipe: Path, expected: dict[tuple[str, str], str]) -> dict[str, object]:
    """More clients than one worker and a short queue can serve, then one client alone."""
    extra = ["--workers", "1", "--queue", str(OVERLOAD_QUEUE), "--no-cache"]
    with served(home, recipe, extra) as service:
        few = dict(list(expected.items())[:12])
        run_load(service.url, few, 1, until=None)
        crowd, elapsed = run_load(service.url, expected, OVERLOAD_CLIENTS, OVERLOAD_SECONDS)
        alone, _ = run_load(service.url, few, 1, until=None)
    return {
        "clients": OVERLOAD_CLIENTS,
        "queue": OVERLOAD_QUEUE,
        **crowd.summary(elapsed),
        "afterwards, one client": dict(alone.statuses),
    }


if __name__ == "__main__":
    sys.exit(main())
