"""What stands before every request to the screens: the name they are reached by, the browser, uploads, and frames.

- A page of another site may reach this machine under a name of its own (DNS rebinding). So requests are answered under
  this machine's names and those in WORKBENCH_HOSTS alone. Streamlit's `server.allowedHosts` asks at its websocket only.
- Every browser has a random cookie that no script can read. A websocket's session belongs to the browser that began
  it: Streamlit resumes a session for the same user alone, and the cookie's digest is made part of its user
  (`server.trustedUserHeaders` in .streamlit/config.toml). The session's id, which stands in the URLs of uploads, opens
  nothing by itself.
- Uploads, and long messages over the websocket, stay in memory. Where the workspace has accounts they are accepted from
  who is signed in, and what one person may hold in uploads is bounded in any case, as is the length of a message
  (`server.maxMessageSize`).
- What a page shows as a file, as a picture or a download, is given to who is signed in, where the workspace has
  accounts: its address is made of its content alone.
- No page frames the screens.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st
from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from workbench.core import MissingError
from workbench.models import key_policy
from workbench.ui.parts import signed_in
from workbench.ui.sign_in.session_cookie import VISITOR, base_path, is_secure, kept_token
from workbench.workspace import new_token, token_digest

FONT = re.compile(r"(?:/(?!media/)[^/]+)*/static/media/[\w-]+(?:\.[\w-]+)*\.woff2")
"""Streamlit's own fonts: without them the icons of the sign-in are words. What people have is below another path."""
UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/[^/]+$")
UPLOAD_BYTES, UPLOAD_FILES = 1_000_000_000, 5_000
"""The most that one person holds in uploads that have not been imported, in all their tabs."""
STRANGERS_BYTES = 1_000_000
"""The longest message over the websocket from a browser that is not signed in."""
FRAMES = {"x-frame-options": "DENY", "content-security-policy": "frame-ancestors 'none'"}

WRONG_NAME = (
    "This workbench does not answer under this name. If it is a name of its own, whoever runs it allows it before "
    f"starting it: export {key_policy.SCREEN_HOSTS}=NAME"
)
NOT_SIGNED_IN = "Sign in before you upload files."
NOT_FOR_STRANGERS = "Sign in before you open files."
NOT_YOURS = "These uploads belong to another browser. Reload the page and try again."
TOO_MUCH = (
    f"No more is accepted while {UPLOAD_BYTES // 1_000_000:,} MB or {UPLOAD_FILES:,} files of yours are uploaded and "
    "not imported. Import or remove some of them in your open tabs; those of closed tabs go within a few minutes."
)


class Uploads:
    """What each person holds in uploads: files that Streamlit has, by session, and those that are on their way."""

    def __init__(self) -> None:
        self._owners: dict[str, int | None] = {}
        self._coming: dict[str, list[int]] = {}

    @contextmanager
    def admitted(
        self, owner: int | None, session: str, size: int, files: Mapping[str, Mapping[str, UploadedFileRec]]
    ) -> Iterator[bool]:
        """Whether a file of `size` bytes fits with what its owner has already; inside, it counts as on its way.

        `owner`: the number of an account, None for all persons of a workspace without accounts.
        """
        self._owners = {key: who for key, who in self._owners.items() if key in files or key in self._coming}
        theirs = [key for key, who in self._owners.items() if who == owner]
        sizes = [len(file.data) for key in theirs for file in list(files.get(key, {}).values())]
        sizes += [coming for key in theirs for coming in self._coming.get(key, ())]
        if sum(sizes) + size > UPLOAD_BYTES or len(sizes) >= UPLOAD_FILES:
            yield False
            return
        self._owners[session] = owner
        self._coming.setdefault(session, []).append(size)
        try:
            yield True
        finally:
            self._coming[session].remove(size)
            if not self._coming[session]:
                del self._coming[session]


class Doors:
    """The middleware around Streamlit's routes and ours."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._uploads = Uploads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it in a sentence."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        cookie = connection.cookies.get(signed_in.visitor_cookie_name(), "")
        # Without the cookie a request belongs to nobody, not even to who sent the one before.
        _name_visitor(scope, token_digest(cookie or new_token()))
        known = is_known_host(connection.headers.getlist("host"))
        if scope["type"] == "websocket":
            if known:
                await self._listen(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        is_cached = "/static/" in scope["path"] or "/media/" in scope["path"]
        replied = _framed(send, "" if cookie or is_cached or not known else _visitor_cookie(connection))
        if not known:
            await PlainTextResponse(WRONG_NAME, 403)(scope, receive, replied)
        elif (upload := UPLOAD.search(scope["path"])) and scope["method"] in ("PUT", "DELETE"):
            await self._upload(upload["session"], scope, receive, replied)
        elif (
            "/media/" in scope["path"]
            and not FONT.fullmatch(scope["path"])
            and not await run_sync(_is_let_in, HTTPConnection(scope))
        ):
            await PlainTextResponse(NOT_FOR_STRANGERS, 403)(scope, receive, replied)
        else:
            await self._app(scope, receive, replied)

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        owner: int | None = None
        refusal = "" if _began(session) == connection.headers[VISITOR] else NOT_YOURS
        status = 403
        try:
            if not refusal and await run_sync(signed_in.is_on):
                owner = await run_sync(_account, connection)
                refusal = "" if owner is not None else NOT_SIGNED_IN
        except MissingError as error:
            refusal, status = error.on_screen, 503
        if refusal:
            await _refuse(refusal, status, scope, receive, send)
        elif scope["method"] == "DELETE":
            await self._app(scope, receive, send)
        else:
            with self._uploads.admitted(owner, session, _declared(connection.headers), _files()) as fits_in:
                if fits_in:
                    await self._app(scope, receive, send)
                else:
                    await _refuse(TOO_MUCH, 413, scope, receive, send)

    async def _listen(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a websocket's messages on, until one is too long for who sent it."""
        connection = HTTPConnection(scope)
        is_closed = False

        async def received() -> Message:
            nonlocal is_closed
            message = await receive()
            if len(message.get("bytes") or b"") > STRANGERS_BYTES and not await run_sync(_is_let_in, connection):
                is_closed = True
                await send({"type": "websocket.close", "code": 1009})
                return {"type": "websocket.disconnect", "code": 1009}
            return message

        async def sent(message: Message) -> None:
            if not is_closed:
                await send(message)

        await self._app(scope, received, sent)


def is_known_host(hosts: Sequence[str]) -> bool:
    """Whether the screens answer under the name of a request's Host headers, of which there is one.

    Always this machine's names and those in WORKBENCH_HOSTS. Where the server listens for other machines, any address,
    too: a browser takes what it gets there for a page of that address, never of another name.
    """
    try:
        parts = urlsplit(f"//{hosts[0]}") if len(hosts) == 1 else urlsplit("")
        name = (parts.hostname or "").rstrip(".")
        _ = parts.port  # raises where it is none
    except ValueError:
        return False
    if not name or parts.username is not None or parts.path or parts.query or parts.fragment:
        return False
    served = str(st.get_option("server.address") or "")
    is_open = not key_policy.is_this_machine(served.strip("[]"))
    is_listed = key_policy.fits(name, key_policy.listed(key_policy.SCREEN_HOSTS))
    return key_policy.is_this_machine(name) or is_listed or (is_open and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _name_visitor(scope: MutableMapping[str, object], visitor: str) -> None:
    headers = MutableHeaders(scope=scope)
    del headers[VISITOR]
    headers[VISITOR] = visitor
    scope["headers"] = headers.raw


def _framed(send: Send, cookie: str) -> Send:
    """Adds the headers against frames to every reply, and the visitor's cookie where there is one to set."""

    async def replied(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(FRAMES)
            if cookie:
                headers.append("set-cookie", cookie)
        await send(message)

    return replied


def _visitor_cookie(connection: HTTPConnection) -> str:
    reply = Response()
    # Lax: following a link from another site must not begin a new visitor. It signs nobody in.
    reply.set_cookie(
        signed_in.visitor_cookie_name(),
        secrets.token_urlsafe(32),
        path=base_path(),
        secure=is_secure(connection),
        httponly=True,
        samesite="lax",
    )
    return reply.headers["set-cookie"]


def _began(session: str) -> str:
    """The visitor whose websocket has a session; "" for nobody's."""
    client = runtime.get_instance().get_client(session)
    context = client.client_context if client else None
    return dict(context.headers).get(VISITOR, "") if context else ""


def _account(connection: HTTPConnection) -> int | None:
    return signed_in.account_number(connection.cookies.get(signed_in.cookie_name(), ""))


def _is_let_in(connection: HTTPConnection) -> bool:
    """Whether a browser is signed in, has just handed in its ticket, or needs not be; a websocket's since its start."""
    try:
        return (
            not signed_in.is_on()
            or _account(connection) is not None
            or signed_in.account_number(kept_token(connection.headers[VISITOR])) is not None
        )
    except MissingError:
        return False


def _files() -> Mapping[str, Mapping[str, UploadedFileRec]]:
    manager = runtime.get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)  # as Streamlit's App makes it
    return manager.file_storage


def _declared(headers: Headers) -> int:
    """The bytes of a body that has not arrived yet: as many as Streamlit accepts where its length is not declared."""
    length = headers.get("content-length", "")
    if length.isascii() and length.isdigit() and "transfer-encoding" not in headers:
        return int(length)
    return int(st.get_option("server.maxUploadSize")) << 20


async def _refuse(sentence: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
    # A browser sees a reply only once it has sent its file; what it sends is dropped as it comes.
    while (await receive()).get("more_body"):
        pass
    await PlainTextResponse(sentence, status)(scope, receive, send)
