"""A fake of Google's mobile translation page on loopback, as deep-translator reads it.

It answers with HTML that holds the translation in a `result-container`; a translation is the text with every word
reversed, so that anything lost, doubled or moved shows. Like the real page it refuses long addresses.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event, Lock
from urllib.parse import parse_qs, urlsplit

from tests.servers.loopback import loopback

LONGEST_ADDRESS = 16_384
WORD = re.compile(r"\w+")


@dataclass
class Page:
    """The requests to the fake and how it answers. `statuses` are used up first, one per request; `behaviour` is
    `translate`, `echo` (the text as it was), `empty` (a page without a result) or `hang` (until closed)."""

    behaviour: str = "translate"
    statuses: list[int] = field(default_factory=list)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""
    closed: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)

    def answer(self, source: str, target: str, text: str, address: int) -> tuple[int, str]:
        with self.lock:
            self.requests.append((source, target, text))
            status = self.statuses.pop(0) if self.statuses else 200
        if address > LONGEST_ADDRESS:
            return 400, "too long"
        if status != 200:
            return status, "no"
        if self.behaviour == "hang":
            self.closed.wait(30)
        if self.behaviour == "empty":
            return 200, "<html><div class='header'>Translate</div></html>"
        translation = text if self.behaviour == "echo" else translated(text)
        return (
            200,
            f"<html><div class='header'>x</div><div class='result-container'>{html.escape(translation)}</div></html>",
        )


def translated(text: str) -> str:
    """Every word reversed.

    >>> translated("A lake, 12 boats")
    'A ekal, 21 staob'
    """
    return WORD.sub(lambda word: word.group()[::-1], text)


@contextmanager
def google_page() -> Iterator[Page]:
    """The fake page, running."""
    page = Page()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
            source, target, text = (query[name][0] for name in ("sl", "tl", "q"))
            status, body = page.answer(source, target, text, len(self.path))
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *arguments: object) -> None:
            """Print nothing: a test's output is its own."""

    with loopback(Handler) as url:
        page.url = f"{url}/m"
        try:
            yield page
        finally:
            page.closed.set()
