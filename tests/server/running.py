"""A service on loopback within the test's process, and requests to it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import httpx

from workbench.app.workbench import Workbench
from workbench.pipeline.recipe import make_recipe
from workbench.server.access_gate import ServeKeys, ServeLimits
from workbench.server.answer_run import ServedRecipe
from workbench.server.http_server import HttpServer

NAME = "radio"
LONGEST = 60.0


@dataclass
class RunningService:
    """The service's address, its log so far, and what it did not expect."""

    url: str
    key: str = ""
    log: list[str] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        with self.client() as client:
            return client.post(path, json=body, headers=headers)

    def get(self, path: str, **headers: str) -> httpx.Response:
        with self.client() as client:
            return client.get(path, headers=headers)

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=self.headers, timeout=LONGEST, trust_env=False)

    def events(self, body: object, path: str = "/v1/stream") -> list[tuple[str, Any]]:
        """The names and data of a stream's events."""
        with self.client() as client, client.stream("POST", path, json=body) as response:
            assert response.status_code == 200, response.read()
            return list(parsed(response.iter_lines()))

    def figure(self, name: str) -> float:
        """A figure of /metrics, 0 where it has not been counted yet."""
        lines = self.get("/metrics").text.splitlines()
        return next((float(line.rpartition(" ")[2]) for line in lines if line.rpartition(" ")[0] == name), 0.0)


def parsed(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Server-sent events as names and data; OpenAI's end of a stream has the name “[DONE]”."""
    name = ""
    for line in lines:
        field_name, _, value = line.partition(": ")
        if field_name == "event":
            name = value
        elif field_name == "data":
            yield ("[DONE]", None) if value == "[DONE]" else (name, json.loads(value))
            name = ""


def wait_until(condition: Callable[[], object]) -> None:
    """Returns once the condition holds."""
    until = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < until, "it never came about"
        time.sleep(0.01)


@contextmanager
def running(
    bench: Workbench,
    choices: Mapping[str, object],
    *,
    keys: ServeKeys | None = None,
    key: str = "",
    limits: ServeLimits | None = None,
    cached: bool = False,
    logs_questions: bool = False,
    rewrites: bool = True,
) -> Iterator[RunningService]:
    """A service of a recipe, ended with the block."""
    served = ServedRecipe(bench, make_recipe(choices), NAME, cached, rewrites)
    served.prepare()
    service = RunningService("", key)
    server = HttpServer(
        served,
        port=0,
        keys=keys or ServeKeys(),
        limits=limits or ServeLimits(),
        log=service.log.append,
        log_failure=service.failures.append,
        logs_questions=logs_questions,
    )
    listener, stop = server.listen(), Event()
    service.url = server.address(listener)
    thread = Thread(target=server.run, args=(listener, stop))
    thread.start()
    try:
        yield service
    finally:
        stop.set()
        thread.join(LONGEST)
        listener.close()
