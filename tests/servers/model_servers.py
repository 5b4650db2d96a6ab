"""Servers on this machine that list models as real ones do, or go wrong when they are asked.

`model_server("ollama", "llama3:8b")` lists that model as Ollama does, answers questions, and notes what it was asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any

from tests.servers.loopback import loopback
from tests.servers.misbehaving import chunk, completion

LONGEST = 10.0
OWNERS = {
    "ollama": "library",
    "lm-studio": "organization_owner",
    "vllm": "vllm",
    "llama-cpp": "llamacpp",
    "mrag": "mrag-workbench",
}
SIZE = 4_700_000_000
HUGE = 100_000_000


@dataclass
class ModelServer:
    """A running server: its base address, the paths it was asked for with the key it got, and what ends every hang."""

    kind: str
    models: tuple[str, ...]
    url: str = ""
    requests: list[tuple[str, str]] = field(default_factory=list)
    released: Event = field(default_factory=Event)
    sent: int = 0
    elsewhere: str = ""

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]


class Handler(BaseHTTPRequestHandler):
    ours: ModelServer

    def log_message(self, format: str, *args: object) -> None:
        return None

    def do_GET(self) -> None:
        self.ours.requests.append((self.path, self.headers.get("Authorization") or ""))
        try:
            GOES_WRONG.get(self.ours.kind, Handler.lists)(self)
        except OSError:
            self.ours.released.set()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.ours.requests.append((self.path, self.headers.get("Authorization") or ""))
        if not body.get("stream"):
            return self.reply(200, json.dumps(completion("Marconi, says the model [1].")))
        events = [chunk("Marconi, says "), chunk("the model [1].", "stop")]
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        return self.reply(200, f"{text}data: [DONE]\n\n", {"Content-Type": "text/event-stream"})

    def reply(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(content)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def lists(self) -> None:
        ours = self.ours
        if self.path == "/api/tags" and ours.kind == "ollama":
            return self.reply(
                200, json.dumps({"models": [{"name": name, "model": name, "size": SIZE} for name in ours.models]})
            )
        if self.path != "/v1/models":
            return self.reply(404, '{"error": "no such route"}')
        extra = {"meta": {"n_params": 8_000_000_000, "size": SIZE}} if ours.kind == "llama-cpp" else {}
        owner = OWNERS.get(ours.kind, ours.kind)
        entries = [{"id": name, "object": "model", "created": 1, "owned_by": owner, **extra} for name in ours.models]
        return self.reply(200, json.dumps({"object": "list", "data": entries}))

    def hangs(self) -> None:
        self.ours.released.wait(LONGEST)

    def trickles(self) -> None:
        """A header that never ends."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.ours.released.wait(0.02):
            self.wfile.write(b"x")
            self.wfile.flush()

    def floods(self) -> None:
        self.send_response(200)
        self.end_headers()
        piece = b'{"data": [' + b" " * 999_990
        while self.ours.sent < HUGE:
            self.ours.sent += self.wfile.write(piece)

    def redirects(self) -> None:
        self.reply(302, "", {"Location": self.ours.elsewhere})


GOES_WRONG: dict[str, Callable[[Handler], Any]] = {
    "hangs": Handler.hangs,
    "trickles": Handler.trickles,
    "floods": Handler.floods,
    "redirects": Handler.redirects,
    "crashes": lambda self: self.reply(500, "worker died"),
    "wants-a-key": lambda self: self.reply(401, '{"error": "no key"}'),
    "web-page": lambda self: self.reply(200, "<html>Welcome</html>"),
    "binary": lambda self: self.reply(200, "\x00\x01"),
    "deep": lambda self: self.reply(200, "[" * 100_000),
    "other-json": lambda self: self.reply(200, '{"data": "none", "models": 3}'),
    "odd-entries": lambda self: self.reply(
        200,
        json.dumps({"data": [3, None, *({"id": name, "size": -1} for name in (5, "", "a\nb", "x" * 500, "fine"))]}),
    ),
}  # fmt: skip


@contextmanager
def model_server(kind: str, *models: str, elsewhere: str = "") -> Iterator[ModelServer]:
    """A running server on a free port."""
    ours = ModelServer(kind, models, elsewhere=elsewhere)
    with loopback(type("OurHandler", (Handler,), {"ours": ours, "timeout": LONGEST})) as root:
        ours.url = f"{root}/v1"
        try:
            yield ours
        finally:
            ours.released.set()
