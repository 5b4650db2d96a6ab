"""An OpenAI-compatible endpoint: its address, the variable with its key, and a connection that can be closed.

The key is read when a call is made and goes nowhere but into that call's header.  No key is ever used for another
endpoint: an endpoint that names no variable gets no key, even where OPENAI_API_KEY is set.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.core import UsageError, shorten
from workbench.models.key_policy import foreign_headers, is_this_machine

if TYPE_CHECKING:
    import ssl

    import httpx

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
