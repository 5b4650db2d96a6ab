"""What every request passes: who may come in, how long a body may be, and what is written down of it.

Pure ASGI, outside of all routes, so that a refusal has the same form everywhere and is counted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core import WorkbenchError
from workbench.server.answer_run import HungUp
from workbench.server.api_errors import UNEXPECTED, ApiError, api_error
from workbench.server.callers import Callers
from workbench.server.serve_metrics import ServeMetrics
from workbench.workspace import NOBODY, acting_as

BODY_SECONDS = 30.0
"""How long a body may take to arrive."""
DRAIN_BYTES = 32 << 20
"""Bytes that are read and thrown away of a body that is too long, so that its client reads why."""
HUNG_UP_STATUS = 499
"""nginx's status for a client that left before the end; it reaches nobody, and is logged and counted."""
FAILURE_STATUS = "failure_status"
"""Under which `scope["state"]` has the status of a failure that a response sent after it had begun."""
OTHER = "other"
"""The route of everything that has none, for logs and figures."""


@dataclass(frozen=True)
class Gate:
    """An ASGI application around `app`.

    `routes` are the paths that figures and logs name, `open_paths` those that need no key. `log` is given one line per
    request; with `logs_questions` the question is part of it. A failure after a response began is noted and counted
    under its status: `app` raises it, or where it sent the failure itself leaves the status in `scope["state"]`.
    """

    app: ASGIApp
    callers: Callers
    metrics: ServeMetrics
    routes: frozenset[str]
    open_paths: frozenset[str]
    log: Callable[[str], None]
    log_failure: Callable[[BaseException], object]
    logs_questions: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request in, or answers why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def counted_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async def refuse(error: ApiError) -> None:
            nonlocal status
            if status:
                status = error.status
            else:
                await error.response(scope, receive, counted_send)

        scope.setdefault("state", {})
        try:
            headers = Headers(scope=scope)
            # In another thread: a database that makes it wait must not make the other requests wait.
            person = await asyncio.to_thread(
                self.callers.caller,
                headers.get("host", ""),
                headers.get("authorization", ""),
                is_open=scope["path"] in self.open_paths,
            )
            with acting_as(person or NOBODY):
                await self.app(scope, receive, counted_send)
            status = scope["state"].get(FAILURE_STATUS, status)
        except HungUp:
            status = HUNG_UP_STATUS
            self.metrics.hung_up += 1
        except ApiError as error:
            await refuse(error)
        except WorkbenchError as error:
            await refuse(api_error(error))
        except Exception as error:
            self.log_failure(error)
            await refuse(UNEXPECTED)
        finally:
            self._note(scope, status or HUNG_UP_STATUS, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope["path"] if scope["path"] in self.routes else OTHER
        self.metrics.count(route, status, seconds)
        question = scope["state"].get("question", "") if self.logs_questions else ""
        words = f" “{' '.join(question.split())}”" if question else ""
        method = scope["method"] if scope["method"].isalpha() else OTHER
        self.log(f"{method} {route} {status} {seconds:.3f} s{words}")


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request in JSON. Raises ApiError: 415, 413 above `limit` bytes, 408 where it is too slow."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if media_type != "application/json":
        raise ApiError(415, "Send the body as JSON, with the header “Content-Type: application/json”.", "not_json")
    too_large = ApiError(
        413, f"The body has more than {limit:,} bytes, the most that are allowed.", "too_large", {"Connection": "close"}
    )
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > DRAIN_BYTES:
        raise too_large
    content, length = bytearray(), 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise HungUp
                part = message.get("body", b"")
                length += len(part)
                if length <= limit:
                    content += part
                if not message.get("more_body") or length > DRAIN_BYTES:
                    break
    except TimeoutError:
        raise ApiError(408, f"The body did not arrive within {BODY_SECONDS:g} seconds.", "timeout") from None
    if length > limit:
        raise too_large
    return bytes(content)
