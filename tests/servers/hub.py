"""A fake Hugging Face hub on loopback: a model's metadata, and its files with ranges."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event
from urllib.parse import unquote, urlsplit

from tests.servers.loopback import loopback

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """`files` by path; `status` answers every request where it is not 200. `pause`: files over 1 MiB stop half-way
    until it is set. `requests` are the paths and ranges of GETs for files."""

    files: Mapping[str, bytes]
    status: int = 200
    gated: bool = False
    requests: list[tuple[str, str]] = field(default_factory=list)
    pause: Event = field(default_factory=Event)
    reached: Event = field(default_factory=Event)
    url: str = ""


@contextmanager
def hub(files: Mapping[str, bytes], model: str = "maker/small") -> Iterator[Hub]:
    """The fake hub, running, with one model."""
    state = Hub(files)
    state.pause.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            if state.status != 200 or state.gated:
                self._refuse()
            elif path.startswith(f"/api/models/{model}"):
                listed = [{"rfilename": name, "size": len(data)} for name, data in state.files.items()]
                info = {"id": model, "sha": COMMIT, "siblings": listed, "gated": False, "cardData": {"license": "mit"}}
                self._send(json.dumps(info).encode(), {"Content-Type": "application/json"}, body)
            elif path.startswith(f"/{model}/resolve/") and (name := path.split("/", 5)[5]) in state.files:
                self._file(name, body)
            else:
                self._send(b"", {}, body, 404)

        def _file(self, name: str, body: bool) -> None:
            data = state.files[name]
            start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").split("-")[0])
            headers = {
                "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
                "X-Repo-Commit": COMMIT,
                "Accept-Ranges": "bytes",
            }
            if start:
                headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
            if body:
                state.requests.append((name, self.headers.get("Range") or ""))
            self._send(data[start:], headers, body, 206 if start else 200)

        def _refuse(self) -> None:
            code = "GatedRepo" if state.gated else "RepoNotFound"
            self._send(b"{}", {"X-Error-Code": code}, True, 403 if state.gated else state.status)

        def _send(self, data: bytes, headers: Mapping[str, str], body: bool, status: int = 200) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            if body:
                half = len(data) // 2 if len(data) > 1 << 20 and not state.pause.is_set() else len(data)
                self.wfile.write(data[:half])
                self.wfile.flush()
                if half < len(data):
                    state.reached.set()
                    state.pause.wait(30)
                    self.wfile.write(data[half:])

        def handle(self) -> None:
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                """A client that stops a download hangs up."""

        def log_message(self, format: str, *arguments: object) -> None:
            """Print nothing: a test's output is its own."""

    with loopback(Handler) as state.url:
        try:
            yield state
        finally:
            state.pause.set()
