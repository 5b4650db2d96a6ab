"""Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.server.answer_run import HungUp
from workbench.server.api_errors import json_bytes

SEND_SECONDS = 30.0
"""A client that reads nothing for this long is taken to be gone."""
COMMENT = b": waiting\n\n"
DONE = b"data: [DONE]\n\n"
"""How OpenAI ends a stream."""


def sse(value: object, event: str = "") -> bytes:
    r"""One event with `value` as JSON, under a name where it has one.

    >>> sse({"text": "Mar"}, "token")
    b'event: token\ndata: {"text":"Mar"}\n\n'
    """
    name = f"event: {event}\n".encode() if event else b""
    return name + b"data: " + json_bytes(value) + b"\n\n"


class EventStream(Response):
    """A response of events as they come. Their source is closed when the client leaves, and notices that itself."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the events, each at once. Raises HungUp where the client is gone or reads nothing."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._events) as events:
            async for event in events:
                try:
                    async with asyncio.timeout(SEND_SECONDS):
                        await send({"type": "http.response.body", "body": event, "more_body": True})
                except TimeoutError:
                    raise HungUp from None
        await send({"type": "http.response.body", "body": b"", "more_body": False})
