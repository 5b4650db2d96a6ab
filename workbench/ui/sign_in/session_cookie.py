"""The cookie that keeps a session over a reload: set and dropped by this server, out of reach of any script.

Screens talk to the browser through a socket, which cannot set such a cookie. So a screen that has signed somebody in
writes a ticket into the page, and a script hands it in at a route of the same server; the reply sets the cookie. A
ticket is random, used once, and good for a minute.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from workbench.ui.parts import safe_html, signed_in
from workbench.ui.parts.safe_html import element, escaped
from workbench.workspace import session_limits

TICKET_SECONDS = 60.0
BODY_LIMIT = 200
VISITOR = "x-workbench-visitor"
"""The header in which every request has its browser's digest (`request_checks`); what came from outside is replaced."""
HEADER = "x-workbench"
"""A header that pages of other sites cannot send: browsers ask this server first, and it does not agree."""

KEEP = Path(__file__).with_name("keep_cookie.js").read_text("utf-8")
"""Hands the ticket in, then goes back to where the person was before a provider signed them in."""

FORGET = """fetch(new URL('sign-in/forget', location.href), {
  method: 'POST', headers: {'x-workbench': 'forget'}, credentials: 'same-origin'})"""

REMEMBER_PLACE = Path(__file__).with_name("remember_place.js").read_text("utf-8")
"""Notes where the person is: a provider sends them back to the first screen."""


class Tickets:
    """The tickets of this server that have not been used; `clock` is in seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: dict[str, tuple[str, float]] = {}

    def issue(self, token: str) -> str:
        """A ticket for a session's token."""
        ticket, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            self._tokens = {key: item for key, item in self._tokens.items() if item[1] > now}
            self._tokens[ticket] = (token, now + TICKET_SECONDS)
        return ticket

    def redeem(self, ticket: str) -> str:
        """The token of a ticket, once; "" for one that is used, expired or none."""
        with self._lock:
            token, until = self._tokens.pop(ticket, ("", 0.0))
        return token if until > self._clock() else ""

    def is_open(self, ticket: str) -> bool:
        """Whether a ticket has been neither used nor expired."""
        with self._lock:
            return self._tokens.get(ticket, ("", 0.0))[1] > self._clock()


TICKETS = Tickets()
_TICKET = "session_ticket"
_kept: dict[str, tuple[str, float]] = {}
"""By visitor the token that their browser was last given as a cookie, and until when the cookie lasts: a websocket that
was open before keeps the cookies of its handshake."""


def keep(token: str) -> None:
    """Has the browser keep a session: from the next drawing on, until it has the cookie."""
    st.session_state[_TICKET] = TICKETS.issue(token)


def draw() -> None:
    """The ticket and the script that hands it in, while it is open."""
    ticket = st.session_state.get(_TICKET, "")
    if not ticket:
        return
    if TICKETS.is_open(ticket):
        safe_html.show(element("span", escaped(ticket), css="wb-ticket"))
        safe_html.run_script(KEEP)
    else:
        del st.session_state[_TICKET]


def forget() -> None:
    """Has the browser drop the cookie of a session that was ended."""
    safe_html.run_script(FORGET)


def remember_place() -> None:
    """Has the browser note where the person is, for the way back from a provider."""
    safe_html.run_script(REMEMBER_PLACE)


def routes() -> list[BaseRoute]:
    """The two routes, under the server's base path."""
    root = base_path().rstrip("/")
    return [
        Route(f"{root}/sign-in/keep", _keep, methods=["POST"]),
        Route(f"{root}/sign-in/forget", _forget, methods=["POST"]),
    ]


def kept_token(visitor: str) -> str:
    """The token that a visitor's browser was last given as a cookie; "" for none."""
    return _kept.get(visitor, ("", 0.0))[0]


async def _keep(request: Request) -> Response:
    if not _is_ours(request, "keep"):
        return Response(status_code=403)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_LIMIT:
            return Response(status_code=413)
    token = TICKETS.redeem(body.decode("utf-8", "replace"))
    if not token:
        return Response(status_code=403)
    now, longest = time.monotonic(), session_limits().longest
    for old in [visitor for visitor, (_, until) in _kept.items() if until <= now]:
        del _kept[old]
    _kept[request.headers.get(VISITOR, "")] = (token, now + longest)
    reply = Response(status_code=204)
    reply.set_cookie(
        signed_in.cookie_name(),
        token,
        max_age=int(longest),
        path=base_path(),
        secure=is_secure(request),
        httponly=True,
        samesite="strict",
    )
    return reply


async def _forget(request: Request) -> Response:
    if not _is_ours(request, "forget"):
        return Response(status_code=403)
    reply = Response(status_code=204)
    reply.delete_cookie(
        signed_in.cookie_name(), path=base_path(), secure=is_secure(request), httponly=True, samesite="strict"
    )
    return reply


def _is_ours(request: Request, purpose: str) -> bool:
    site = request.headers.get("sec-fetch-site", "same-origin")
    return request.headers.get(HEADER) == purpose and site == "same-origin"


def is_secure(request: HTTPConnection) -> bool:
    """Whether the browser came by HTTPS, to this server or to a proxy before it."""
    # Several proxies each add theirs; the first is the browser's.
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().casefold()
    return "https" in (request.url.scheme, forwarded)


def base_path() -> str:
    """The path under which the screens are."""
    return f"/{str(st.get_option('server.baseUrlPath') or '').strip('/')}"
