"""A service behind uvicorn: one port, an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from workbench.core import UsageError, shorten
from workbench.server.access_gate import Callers, ServeKeys, ServeLimits, check_binding, is_loopback
from workbench.server.answer_run import ServedRecipe
from workbench.server.api_errors import ApiError, json_bytes
from workbench.server.service import RecipeService
from workbench.server.worker_pool import ServeMetrics
from workbench.server.worker_processes import ProcessCrew
from workbench.workspace import has_sign_in

GOODBYE_SECONDS = 10
"""How long requests under way may take to end once the service is asked to."""
KEEP_ALIVE_SECONDS = 30
"""How long a connection stays open after an answer."""
HEADER_SECONDS = 10.0
"""How long the headers of a request may take to arrive, from its first byte, and the first byte of a connection."""
BACKLOG = 512
NOT_HTTP = ApiError(
    400,
    "The request is not HTTP/1.1 as this service reads it: send one such as GET /health HTTP/1.1 with a Host header.",
    "invalid_request",
)


@dataclass(frozen=True)
class HttpServer:
    """A recipe at a host and a port; port 0 takes a free one. `log` gets a line per request.

    `log_failure` is given what nobody expected.
    """

    served: ServedRecipe
    host: str = "127.0.0.1"
    port: int = 8000
    keys: ServeKeys = field(default_factory=ServeKeys)
    limits: ServeLimits = field(default_factory=ServeLimits)
    log: Callable[[str], None] = print
    log_failure: Callable[[BaseException], object] = print
    logs_questions: bool = False

    def listen(self) -> socket.socket:
        """The open port. Raises UsageError for a host and port that cannot be listened at, or not without keys."""
        check_binding(self.host, self.keys, has_accounts=has_sign_in(self._database_url))
        self.limits.check()
        name = self.host.removeprefix("[").removesuffix("]")
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                name, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listener = socket.socket(family, kind, protocol)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "it is not a port"
            raise UsageError(
                f"Nothing can listen at “{shorten(self.host)}”, port {self.port} ({reason}). For example: --host "
                "127.0.0.1 --port 8080"
            ) from None
        return listener

    def run(self, listener: socket.socket, stop: Event | None = None, crew: ProcessCrew | None = None) -> None:
        """Answers until the process is interrupted or terminated, or `stop` is set; by a `crew` that is at work."""
        service = RecipeService(self.served, self.limits, ServeMetrics(), self.log_failure, crew)
        callers = Callers(self.keys, self._database_url, is_reachable=not is_loopback(self.host))
        config = uvicorn.Config(
            service.app(callers, self.log, logs_questions=self.logs_questions),
            http=PatientProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GOODBYE_SECONDS,
        )
        server = uvicorn.Server(config)
        if stop is not None:
            Thread(target=_end_on, args=(stop, server), daemon=True).start()

        async def serve() -> None:
            if crew is not None:
                crew.open(service.pool.fill)
            await server.serve(sockets=[listener])

        try:
            with contextlib.suppress(KeyboardInterrupt):
                asyncio.run(serve())
        finally:
            service.pool.close()

    @property
    def _database_url(self) -> str:
        return self.served.bench.settings.database_url

    @staticmethod
    def address(listener: socket.socket) -> str:
        """The address of an open port, as clients type it."""
        host, port = listener.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn has it, but who sends half a request's headers does not keep the connection for ever.

    uvicorn's own limit runs from the last answer to the next byte.
    """

    _alarm: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Ends the wait once the headers are complete; a byte of them does not prolong it."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._end_wait()
        elif self._alarm is None:
            self._wait_for_headers()

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP is refused in the form of every other refusal, not in uvicorn's words."""
        body = json_bytes(NOT_HTTP.body)
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("Connection", "close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the wait."""
        self._end_wait()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        self._alarm = self.loop.call_later(HEADER_SECONDS, self.timeout_keep_alive_handler)

    def _end_wait(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None


def _end_on(stop: Event, server: uvicorn.Server) -> None:
    stop.wait()
    server.should_exit = True
