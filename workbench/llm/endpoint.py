"""An OpenAI-compatible endpoint: its address, where its key is found, and a line to it that can be hung up.

The key is read when a call is made and goes nowhere but into that call's header.  It is never taken for another
endpoint: without a variable of its own an endpoint gets no key, also where OPENAI_API_KEY is set.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.errors import UsageError, shorten

if TYPE_CHECKING:
    import ssl

    import httpx

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI_HEADERS = ("OpenAI-Organization", "OpenAI-Project")
"""Whose account it is; the client would send them everywhere."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`url` up to and with the version, as in http://127.0.0.1:8000/v1; `key` names the environment variable (or
    Streamlit secret) that holds its key, "" where it needs none. Raises UsageError for an address that is none.
    """

    url: str = OPENAI
    key: str = OPENAI_KEY

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            whole = False
        if whole and not (parts.username or parts.password or parts.query or parts.fragment):
            return
        given = f" “{shorten(self.url)}”" if not whole and "://" in self.url and "@" not in self.url else ""
        raise UsageError(
            f"The endpoint's address{given} must be http:// or https:// with host and path only, no user name, key or "
            "query in it. For example: http://127.0.0.1:8000/v1"
        )

    @property
    def local(self) -> bool:
        """Whether it is on this machine, so that no text leaves it."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")


class EndpointConnection:
    """One call's connection, which another thread may hang up: that wakes a reader that blocks."""

    def __init__(self, endpoint: Endpoint, *, keyed: bool) -> None:
        """`keyed`: whether the call carries a key."""
        self._endpoint = endpoint
        self._keyed = keyed
        self._socket: socket.socket | None = None
        self._hung_up = False
        self._lock = Lock()

    def client(self, connect_seconds: float, read_seconds: float) -> httpx.Client:
        """A client for this one call. A local endpoint is never asked through a proxy."""
        import httpx

        return httpx.Client(
            verify=_trusted(),
            trust_env=not self._endpoint.local,
            timeout=httpx.Timeout(read_seconds, connect=connect_seconds),
            event_hooks={"request": [self._prepare]},
        )

    def hang_up(self) -> None:
        """Ends the connection, whatever it is doing."""
        with self._lock:
            self._hung_up = True
            self._shut()

    def _prepare(self, request: httpx.Request) -> None:
        request.extensions["trace"] = self._trace
        if not self._keyed:
            request.headers.pop("Authorization", None)
        if self._endpoint.url != OPENAI:
            for name in OPENAI_HEADERS:
                request.headers.pop(name, None)

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        """Keeps hold of the socket, as httpx's `trace` extension tells of it."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self._hung_up:
                    self._shut()

    def _shut(self) -> None:
        """Unlike close, shutdown wakes a thread that reads; plain sockets' own, since TLS would wait for a farewell."""
        if self._socket is None:
            return
        try:
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            self._socket = None


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities trusted, SSL_CERT_FILE included; read once, since it takes some 60 ms."""
    import httpx

    return httpx.create_ssl_context()
