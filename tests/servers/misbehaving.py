"""An OpenAI-compatible server on this machine that goes wrong in the way that the address asks for.

`server.url("hang")` is the base address of one that hangs. Nothing waits longer than `LONGEST` seconds; leaving the
`with` block ends it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event, Lock
from typing import Any

from tests.servers.loopback import loopback

LONGEST = 10.0
ANSWER = ("Pa", "ris")
USAGE = {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}


@dataclass
class RecordedRequest:
    """One request that came: under which way of going wrong, its headers in lower case and its body."""

    way: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class MisbehavingServer:
    """`released` ends every hang; `gone` is set when a client hung up on a stream. `script` gives the reply to a user's
    turn where the address asks for it, None where that is refused."""

    port: int = 0
    requests: list[RecordedRequest] = field(default_factory=list)
    released: Event = field(default_factory=Event)
    gone: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)
    script: Callable[[str], str | None] = str
    under_way: int = 0
    most_under_way: int = 0

    def url(self, way: str) -> str:
        return f"http://127.0.0.1:{self.port}/{way}/v1"

    def count(self, way: str) -> int:
        return Counter(one.way for one in self.requests)[way]


class Handler(BaseHTTPRequestHandler):
    server_of_ours: MisbehavingServer

    def log_message(self, format: str, *args: object) -> None:
        return None

    def do_POST(self) -> None:
        ours = self.server_of_ours
        way = self.path.split("/")[1]
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except (OSError, ValueError):
            return  # the client hung up before its request ended
        with ours.lock:
            ours.requests.append(
                RecordedRequest(way, {key.lower(): value for key, value in self.headers.items()}, body)
            )
            ours.under_way += 1
            ours.most_under_way = max(ours.most_under_way, ours.under_way)
        try:
            WAYS[way](self, body)
        except OSError:
            ours.gone.set()
        finally:
            with ours.lock:
                ours.under_way -= 1

    def answer(self, status: int, data: object, headers: dict[str, str] | None = None) -> None:
        self.raw(status, json.dumps(data).encode(), {"Content-Type": "application/json", **(headers or {})})

    def raw(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def refuse(self, status: int, message: str, code: str = "", headers: dict[str, str] | None = None) -> None:
        self.answer(status, {"error": {"message": message, "code": code or None}}, headers)

    def well(self, body: dict[str, Any]) -> None:
        self.reply(ANSWER, body)

    def reply(self, pieces: tuple[str, ...], body: dict[str, Any]) -> None:
        if not body.get("stream"):
            self.answer(200, completion("".join(pieces)))
            return
        self.open_stream()
        for text in pieces:
            self.event(chunk(text))
        self.event(chunk("", "stop"))
        if body.get("stream_options"):
            self.event({**chunk(""), "choices": [], "usage": USAGE})
        self.wfile.write(b"data: [DONE]\n\n")

    def open_stream(self) -> None:
        self.raw(200, b"", {"Content-Type": "text/event-stream"})

    def event(self, data: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def wait(self) -> None:
        self.server_of_ours.released.wait(LONGEST)


def completion(text: str | None, finish: str = "stop", **changes: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": choices,
        "usage": USAGE,
        **changes,
    }


def chunk(text: str, finish: str | None = None) -> dict[str, Any]:
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]
    return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices}


Way = Callable[[Handler, dict[str, Any]], None]
WAYS: dict[str, Way] = {"well": Handler.well}


def way(name: str) -> Callable[[Way], Way]:
    def register(function: Way) -> Way:
        WAYS[name] = function
        return function

    return register


def first_times(name: str, count: int, go_wrong: Way) -> Way:
    """Goes wrong the first `count` times, then well."""

    def one(self: Handler, body: dict[str, Any]) -> None:
        (go_wrong if self.server_of_ours.count(name) <= count else Handler.well)(self, body)

    return one


@way("unauthorised")
def _unauthorised(self: Handler, body: dict[str, Any]) -> None:
    self.refuse(401, f"Incorrect API key provided: {self.headers.get('Authorization')}", "invalid_api_key")


@way("keeps-crashing")
def _crash(self: Handler, body: dict[str, Any]) -> None:
    self.refuse(500, f"worker died holding {self.headers.get('Authorization')}")


WAYS["crashes-thrice"] = first_times("crashes-thrice", 3, _crash)
WAYS["busy"] = first_times("busy", 1, lambda self, body: self.refuse(429, "Slow down", "", {"Retry-After": "7"}))


@way("busy-for-an-hour")
def _busy_for_an_hour(self: Handler, body: dict[str, Any]) -> None:
    self.refuse(429, "Slow down", "", {"Retry-After": "3600"})


@way("no-credit")
def _no_credit(self: Handler, body: dict[str, Any]) -> None:
    self.refuse(429, "You exceeded your current quota", "insufficient_quota")


@way("hangs")
def _hangs(self: Handler, body: dict[str, Any]) -> None:
    self.wait()
    self.well(body)


@way("hangs-within")
def _hangs_within(self: Handler, body: dict[str, Any]) -> None:
    self.open_stream()
    self.event(chunk("Pa"))
    if self.connection.recv(1) == b"":
        self.server_of_ours.gone.set()


@way("writes-on")
def _writes_on(self: Handler, body: dict[str, Any]) -> None:
    """A word every few moments, until the client hangs up (or it has become a book)."""
    self.open_stream()
    for number in range(3000):
        self.event(chunk(f"word{number} "))
        if self.server_of_ours.released.wait(0.02):
            break


@way("trickles")
def _trickles(self: Handler, body: dict[str, Any]) -> None:
    self.raw(200, b"", {"Content-Type": "text/event-stream" if body.get("stream") else "application/json"})
    for _ in range(int(LONGEST / 0.02)):
        self.wfile.write(b": still here\n\n" if body.get("stream") else b" ")
        if self.server_of_ours.released.wait(0.02):
            break


@way("cuts-once")
def _cuts_once(self: Handler, body: dict[str, Any]) -> None:
    if self.server_of_ours.count("cuts-once") > 1:
        return self.well(body)
    return self.raw(200, b'{"id": "1", "cho', {"Content-Type": "application/json", "Content-Length": "500"})


@way("cuts")
def _cuts(self: Handler, body: dict[str, Any]) -> None:
    self.open_stream()
    self.event(chunk("Pa"))


@way("fails-within")
def _fails_within(self: Handler, body: dict[str, Any]) -> None:
    self.open_stream()
    self.event(chunk("Pa"))
    self.wfile.write(b'data: {"error": {"message": "out of memory"}}\n\n')


@way("bad-json")
def _bad_json(self: Handler, body: dict[str, Any]) -> None:
    kind = "text/event-stream" if body.get("stream") else "application/json"
    self.raw(200, b'data: {"choices": [\n\n' if body.get("stream") else b'{"choices": [', {"Content-Type": kind})


@way("web-page")
def _web_page(self: Handler, body: dict[str, Any]) -> None:
    self.raw(200, b"<html><body>Welcome</body></html>", {"Content-Type": "text/html"})


@way("no-choice")
def _no_choice(self: Handler, body: dict[str, Any]) -> None:
    if body.get("stream"):
        self.open_stream()
        self.event({**chunk(""), "choices": []})
    else:
        self.answer(200, completion("", choices=[]))


@way("says-nothing")
def _says_nothing(self: Handler, body: dict[str, Any]) -> None:
    self.answer(200, completion(None))


@way("only-reasons")
def _only_reasons(self: Handler, body: dict[str, Any]) -> None:
    self.answer(200, completion("", finish="length"))


@way("withholds")
def _withholds(self: Handler, body: dict[str, Any]) -> None:
    self.answer(200, completion("Pa", finish="content_filter"))


@way("counts-nothing")
def _counts_nothing(self: Handler, body: dict[str, Any]) -> None:
    self.answer(200, completion("Paris", usage=None))


@way("echoes")
def _echoes(self: Handler, body: dict[str, Any]) -> None:
    """Answer with the last word of the prompt."""
    self.answer(200, completion(body["messages"][-1]["content"].split()[-1]))


@way("says")
def _says(self: Handler, body: dict[str, Any]) -> None:
    """What the script says."""
    reply = self.server_of_ours.script(body["messages"][-1]["content"])
    if reply is None:
        self.refuse(400, "Not now")
    else:
        self.reply((reply,), body)


@way("says-cut")
def _says_cut(self: Handler, body: dict[str, Any]) -> None:
    """What the script says, ended by the limit of tokens."""
    self.answer(200, completion(self.server_of_ours.script(body["messages"][-1]["content"]), finish="length"))


@way("context-too-long")
def _context_too_long(self: Handler, body: dict[str, Any]) -> None:
    self.refuse(400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded")


@way("wrong-model")
def _wrong_model(self: Handler, body: dict[str, Any]) -> None:
    self.refuse(404, f"The model `{body['model']}` does not exist", "model_not_found")


@way("no-such-route")
def _no_such_route(self: Handler, body: dict[str, Any]) -> None:
    self.answer(404, {"detail": "Not Found"})


@way("old")
def _old(self: Handler, body: dict[str, Any]) -> None:
    """Knows no stream_options."""
    if "stream_options" in body:
        self.answer(422, {"detail": "Unexpected fields in the request: {'stream_options'}"})
    else:
        self.well(body)


@way("new")
def _new(self: Handler, body: dict[str, Any]) -> None:
    """Wants max_completion_tokens and its own temperature."""
    if "max_tokens" in body:
        self.refuse(400, "Unsupported parameter: 'max_tokens' is not supported; use 'max_completion_tokens' instead.")
    elif "temperature" in body:
        self.refuse(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    else:
        self.well(body)


@way("without-system-role")
def _without_system_role(self: Handler, body: dict[str, Any]) -> None:
    if any(message["role"] == "system" for message in body["messages"]):
        self.refuse(400, "System role not supported")
    else:
        self.well(body)


@contextmanager
def misbehaving() -> Iterator[MisbehavingServer]:
    """A running server on a free port."""
    ours = MisbehavingServer()
    handler = type("OurHandler", (Handler,), {"server_of_ours": ours, "timeout": LONGEST})
    with loopback(handler) as url:
        ours.port = int(url.rpartition(":")[2])
        try:
            yield ours
        finally:
            ours.released.set()


@way("repeats-the-key")
def _repeats_the_key(self: Handler, body: dict[str, Any]) -> None:
    self.answer(200, completion(f"Paris, and your key is {self.headers['Authorization'].removeprefix('Bearer ')}."))
