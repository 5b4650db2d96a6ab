"""An OpenAI-compatible endpoint: its address, whose turn it is at which host, and a connection that can be closed.

The key is read when a call is made and goes nowhere but into that call's header. No key is ever used for another
endpoint: an endpoint that names no variable gets no key, even where OPENAI_API_KEY is set.

Of several hosts that serve the same model the least busy one is called, and no host gets too many calls at once.
Counts are of this process, by host and port, whoever calls. A host that failed rests for a while: its calls go to the
others, unless none is left. What a refusal means for the host, and how long it asks to wait, is read here for language
models and encoders alike.
"""

from __future__ import annotations

import math
import re
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from threading import Condition, Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import regex

from workbench.core import UsageError, shorten
from workbench.models.key_policy import foreign_headers, is_this_machine

if TYPE_CHECKING:
    import ssl

    import httpx


RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
NO_MODEL = regex.compile(
    r"(?i)model[_ ]not[_ ]found|pinned to|(?:no|unknown|invalid|unsupported) model"
    r"|model\b.*(?:not (?:found|exist)|does ?n.t exist)"
)
NO_CREDIT = regex.compile(r"(?i)insufficient[_ ]quota|exceeded your current quota|billing|credit")


def is_host_failure(status: int, reply: str) -> bool:
    """Whether a refusal is that of the one host, which is overloaded, broken or without the model.

    A key, a request or an account that is refused would be refused by every host. `reply`: what the server wrote.

    >>> is_host_failure(503, ""), is_host_failure(404, "Not Found"), is_host_failure(401, "Incorrect key")
    (True, True, False)
    """
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return False
    if status == HTTPStatus.NOT_FOUND or (status >= HTTPStatus.BAD_REQUEST and NO_MODEL.search(reply)):
        return True
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return not NO_CREDIT.search(reply)
    return status in RETRYABLE and status >= HTTPStatus.INTERNAL_SERVER_ERROR


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait according to a response's headers; at least 0, None where they state nothing usable.

    Read are Retry-After, a number or a date (RFC 9110, 10.2.3), and OpenAI's `retry-after-ms`, which goes first.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after": "soon"})
    (7.0, None)
    """
    milliseconds, header = headers.get("retry-after-ms"), headers.get("retry-after")
    for value, unit in ((milliseconds, 1000.0), (header, 1.0)):
        try:
            seconds = float(value or "") / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(header or "").timestamp() - time.time())
    except ValueError:
        return None


AT_ONCE = 8
"""Calls under way at a host, unless its endpoint says otherwise."""
REST = 30.0
"""Seconds for which a host that failed is left alone."""
TICK = 0.05
"""Seconds between looks at whether to wait on."""
BETWEEN = re.compile(r"[\s|]+")
"""What separates the addresses of an endpoint that has several."""


def addresses(text: str) -> tuple[str, ...]:
    """The addresses that an endpoint's text names, each once, in order.

    >>> addresses("http://a:8000/v1 | http://b:8000/v1 http://a:8000/v1")
    ('http://a:8000/v1', 'http://b:8000/v1')
    """
    return tuple(dict.fromkeys(filter(None, BETWEEN.split(text.strip())))) or (text,)


def host_and_port(address: str) -> str:
    """The host of an address with its port, as calls are counted."""
    return urlsplit(address).netloc.casefold()


class HostTurns:
    """The calls under way at each host, and which hosts rest. Safe to share between threads.

    >>> turns = HostTurns()
    >>> with turns.turn(["http://a/v1", "http://b/v1"]) as first, turns.turn(["http://a/v1", "http://b/v1"]) as second:
    ...     first, second
    ('http://a/v1', 'http://b/v1')
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._change = Condition()
        self._under_way: Counter[str] = Counter()
        self._latest: Counter[str] = Counter()
        self._calls = 0
        self._rests: dict[str, float] = {}

    @contextmanager
    def turn(
        self, urls: Sequence[str], at_once: int = AT_ONCE, check: Callable[[], None] = lambda: None
    ) -> Iterator[str]:
        """One call's turn: the address to call, whose host counts as busy until the end of the block.

        Of hosts with fewer than `at_once` calls under way: that with the fewest, of equals the one called longest ago.
        Waits for one; `check` is called again and again meanwhile, and may raise.
        """
        with self._change:
            while (url := self._free(urls, at_once)) is None:
                check()
                self._change.wait(TICK)
            host = host_and_port(url)
            self._calls += 1
            self._under_way[host] += 1
            self._latest[host] = self._calls
        try:
            yield url
        finally:
            with self._change:
                self._under_way[host] -= 1
                self._change.notify_all()

    def rest(self, url: str, urls: Sequence[str], seconds: float = REST) -> bool:
        """Leaves the host of `url` alone for a while; whether another one of `urls` does not rest."""
        with self._change:
            self._rests[host_and_port(url)] = self._clock() + seconds
            return any(not self._is_resting(other) for other in urls)

    def _is_resting(self, url: str) -> bool:
        return self._rests.get(host_and_port(url), 0.0) > self._clock()

    def _free(self, urls: Sequence[str], at_once: int) -> str | None:
        awake = [url for url in urls if not self._is_resting(url)]
        # Where all rest, the call is made all the same: it then fails with its reason, or they are back.
        free = [url for url in awake or urls if self._under_way[host_and_port(url)] < at_once]
        return min(free, key=self._order, default=None)

    def _order(self, url: str) -> tuple[float, int, int]:
        host = host_and_port(url)
        rested = self._rests.get(host, 0.0) if self._is_resting(url) else 0.0
        return rested, self._under_way[host], self._latest[host]


TURNS = HostTurns()
"""Those of this process."""


OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an OpenAI-compatible server is, and which key it takes.

    `url` includes the version, as in http://127.0.0.1:8000/v1; `key` names the environment variable (or Streamlit
    secret) that holds its key, "" where it needs none. Raises UsageError for an address that is not valid.
    """

    url: str = OPENAI
    key: str = OPENAI_KEY

    def __post_init__(self) -> None:
        """Raises UsageError, without repeating a part of the address that may be secret."""
        try:
            parts = urlsplit(self.url)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            valid = False
        if valid and not (parts.username or parts.password or parts.query or parts.fragment):
            return
        shown = f" “{shorten(self.url)}”" if not valid and "://" in self.url and "@" not in self.url else ""
        raise UsageError(
            f"The endpoint's address{shown} must be http:// or https:// with host and path only, without user name, "
            "key or query. For example: http://127.0.0.1:8000/v1"
        )

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, so that no text leaves it."""
        return is_this_machine(urlsplit(self.url).hostname or "")


class EndpointConnection:
    """One call's connection. Another thread may close it, which wakes a reader that blocks."""

    def __init__(self, endpoint: Endpoint, *, has_key: bool) -> None:
        """`has_key`: whether the call carries a key."""
        self._endpoint = endpoint
        self._has_key = has_key
        self._socket: socket.socket | None = None
        self._closed = False
        self._lock = Lock()

    def client(self, connect_seconds: float, read_seconds: float) -> httpx.Client:
        """A client for this one call. A local endpoint is never called through a proxy."""
        import httpx

        return httpx.Client(
            verify=_ssl_context(),
            trust_env=not self._endpoint.is_local,
            timeout=httpx.Timeout(read_seconds, connect=connect_seconds),
            event_hooks={"request": [self._prepare]},
        )

    def hang_up(self) -> None:
        """Closes the connection, whatever it is doing; one that is opened later is closed at once."""
        with self._lock:
            self._closed = True
            self._shut_down()

    def _prepare(self, request: httpx.Request) -> None:
        request.extensions["trace"] = self._trace
        if not self._has_key:
            request.headers.pop("Authorization", None)
        for name in foreign_headers(self._endpoint.url):
            request.headers.pop(name, None)

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        """Remembers the socket that httpx's `trace` extension reports."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self._closed:
                    self._shut_down()

    def _shut_down(self) -> None:
        """Shutdown, unlike close, wakes a reading thread; the plain socket's, because TLS would wait for a reply."""
        if self._socket is None:
            return
        try:
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            self._socket = None


@cache
def _ssl_context() -> ssl.SSLContext:
    """The trusted certificate authorities, SSL_CERT_FILE included; read once, because that takes some 60 ms."""
    import httpx

    return httpx.create_ssl_context()
