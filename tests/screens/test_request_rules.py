"""Rules of the request checks, in process: the names known, what one person may hold, what every reply has."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config, runtime
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tests.fakes import FakeWorkbench
from workbench.core.errors import MissingError
from workbench.ui.parts import signed_in
from workbench.ui.sign_in import request_checks, session_cookie
from workbench.ui.sign_in.request_checks import (
    STRANGERS_BYTES,
    UPLOAD_BYTES,
    UPLOAD_FILES,
    Doors,
    Uploads,
    is_known_host,
)
from workbench.ui.sign_in.session_cookie import VISITOR

ROOT = Path(__file__).parents[2]
Files = dict[str, dict[str, UploadedFileRec]]


def file(size: int, name: str = "f") -> UploadedFileRec:
    return UploadedFileRec(name, f"{name}.txt", "text/plain", b"x" * size)


@pytest.fixture
def everywhere() -> Iterator[None]:
    """The screens listen for other machines."""
    before = st.get_option("server.address")
    config.set_option("server.address", "0.0.0.0")
    yield
    config.set_option("server.address", before)


@pytest.mark.parametrize("host", ["localhost:8501", "LOCALHOST.", "127.0.0.1", "127.0.0.2:1", "[::1]:8501", "[::1]"])
def test_this_machines_names_are_known(host: str) -> None:
    assert is_known_host([host])


UNKNOWN = [
    "evil.example",
    "localhost.evil.example:8501",
    "127.0.0.1.evil.example",
    "evil.example@localhost",
    "localhost/",
    "localhost:x",
    "localhost:99999",
    "[::1",
    "",
]


@pytest.mark.parametrize("host", UNKNOWN)
def test_what_is_no_name_of_this_machine_is_not_known(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_known_host([host])
    monkeypatch.setenv("WORKBENCH_HOSTS", "workbench.example.org")
    assert not is_known_host([host])


def test_no_host_and_two_hosts_are_not_known() -> None:
    assert not is_known_host([])
    assert not is_known_host(["localhost", "evil.example"])


def test_a_proxys_name_is_known_where_the_environment_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_known_host(["workbench.example.org"])
    monkeypatch.setenv("WORKBENCH_HOSTS", "workbench.example.org, *.lan")
    assert is_known_host(["Workbench.Example.org:443"])
    assert is_known_host(["gpu.lan"])
    assert not is_known_host(["example.org"])


@pytest.mark.usefixtures("everywhere")
def test_addresses_are_known_where_others_are_served_and_other_names_are_not() -> None:
    assert is_known_host(["192.0.2.7:8501"]) and is_known_host(["[2001:db8::1]:8501"])
    assert not is_known_host(["mybox:8501"])


def test_addresses_are_not_known_where_this_machine_alone_is_served() -> None:
    assert not is_known_host(["192.0.2.7:8501"])


class TestUploads:
    """The bound on what one person holds, over files that have arrived and those on their way."""

    def test_bytes_are_bounded_over_all_tabs_of_a_person_and_freed_by_removal(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(request_checks, "UPLOAD_BYTES", 10)
        uploads, files = Uploads(), Files()
        for session in ("one", "two"):
            with uploads.admitted(7, session, 5, files) as fits_in:
                assert fits_in
                files[session] = {"f": file(5)}
        with uploads.admitted(7, "three", 1, files) as fits_in:
            assert not fits_in
        with uploads.admitted(8, "another's", 10, files) as fits_in:
            assert fits_in
        del files["one"]["f"]
        with uploads.admitted(7, "three", 5, files) as fits_in:
            assert fits_in

    def test_what_is_on_its_way_counts(self) -> None:
        uploads = Uploads()
        with ExitStack() as coming:
            half = UPLOAD_BYTES // 2
            assert [coming.enter_context(uploads.admitted(None, "s", half, {})) for _ in range(3)] == [
                True,
                True,
                False,
            ]
        with uploads.admitted(None, "s", UPLOAD_BYTES, {}) as fits_in:
            assert fits_in

    def test_the_number_of_files_is_bounded_however_small_they_are(self) -> None:
        uploads, files = Uploads(), Files({"s": {}})
        with uploads.admitted(None, "s", 0, files):
            files["s"] = {str(number): file(0, str(number)) for number in range(UPLOAD_FILES)}
        with uploads.admitted(None, "s", 0, files) as fits_in:
            assert not fits_in


@pytest.fixture
def accounts(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The workspace has accounts; the number that is added to the list is that of whoever asks."""
    numbers: list[int | None] = []
    monkeypatch.setattr(signed_in, "is_on", lambda: True)
    monkeypatch.setattr(signed_in, "account_number", lambda _token="": numbers[-1] if numbers else None)
    return numbers


class TestReplies:
    """A server with the doors and one route, which tells what visitor it was told of."""

    @pytest.fixture
    def client(self, fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch) -> TestClient:
        async def visitor(request: Request) -> Response:
            return PlainTextResponse(request.headers[VISITOR])

        async def upload(request: Request) -> Response:
            await request.body()
            return Response(status_code=204)

        routes: list[BaseRoute] = [
            Route("/", visitor),
            Route("/static/a.js", visitor),
            Route("/_stcore/upload_file/{session_id}/{file_id}", upload, methods=["PUT", "DELETE"]),
        ]

        async def echo(socket: WebSocket) -> None:
            await socket.accept()
            async for data in socket.iter_bytes():
                await socket.send_text(f"{len(data)} bytes")

        async def media(_: Request) -> Response:
            return PlainTextResponse("a file")

        routes += [WebSocketRoute("/_stcore/stream", echo), Route("/media/a.csv", media)]
        monkeypatch.setattr(request_checks, "_files", Files)
        client = TestClient(Starlette(routes=routes, middleware=[Middleware(Doors)]), base_url="http://localhost")
        monkeypatch.setattr(request_checks, "_began", lambda session: client.get("/").text if session == "mine" else "")
        return client

    def test_a_browser_gets_one_cookie_that_no_script_reads_and_is_known_by_its_digest(
        self, client: TestClient
    ) -> None:
        words = client.get("/").headers["set-cookie"]
        assert words.startswith("mrag_visitor_") and {"HttpOnly", "Path=/", "SameSite=lax"} <= set(words.split("; "))
        known = client.get("/")
        assert "set-cookie" not in known.headers
        assert known.text == client.get("/").text and known.text not in words

    def test_what_a_request_says_of_its_visitor_is_replaced(self, client: TestClient) -> None:
        client.get("/")
        assert client.get("/", headers={VISITOR: "forged"}).text == client.get("/").text

    def test_without_the_cookie_each_request_is_somebody_else(self, client: TestClient) -> None:
        texts = {client.get("/static/a.js").text for _ in range(3)}
        assert len(texts) == 3 and not client.cookies

    def test_more_than_the_bound_is_refused_in_one_sentence(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client.get("/")
        monkeypatch.setattr(request_checks, "UPLOAD_BYTES", 1_000)
        assert client.put("/_stcore/upload_file/mine/f", content=b"x" * 1_000).status_code == 204
        reply = client.put("/_stcore/upload_file/mine/f", content=b"x" * 1_001)
        assert (reply.status_code, reply.headers["x-frame-options"]) == (413, "DENY")
        assert reply.text.startswith("No more is accepted") and "\n" not in reply.text

    def test_a_body_of_no_declared_length_counts_as_the_longest(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client.get("/")
        monkeypatch.setattr(request_checks, "UPLOAD_BYTES", 1_000)
        assert client.put("/_stcore/upload_file/mine/f", content=iter([b"x"])).status_code == 413

    def test_nobody_uploads_to_a_session_that_is_not_theirs(self, client: TestClient) -> None:
        client.get("/")
        assert client.put("/_stcore/upload_file/others/f", content=b"x").status_code == 403

    def test_under_a_foreign_name_nothing_is_answered(self, client: TestClient) -> None:
        reply = client.get("/", headers={"Host": "evil.example"})
        assert (reply.status_code, reply.text) == (403, request_checks.WRONG_NAME)
        with (
            pytest.raises(WebSocketDisconnect) as caught,
            client.websocket_connect("/_stcore/stream", headers={"Host": "evil.example"}),
        ):
            pass
        assert caught.value.code == 1008

    def test_a_long_message_of_a_stranger_ends_the_connection_and_a_short_one_does_not(
        self, client: TestClient, accounts: list[int | None]
    ) -> None:
        with client.websocket_connect("ws://localhost/_stcore/stream") as socket:
            for length in (3, STRANGERS_BYTES):
                socket.send_bytes(b"x" * length)
                assert socket.receive_text() == f"{length} bytes"
            socket.send_bytes(b"x" * (STRANGERS_BYTES + 1))
            with pytest.raises(WebSocketDisconnect) as caught:
                socket.receive_text()
        assert caught.value.code == 1009

    def test_a_long_message_of_who_is_signed_in_passes(self, client: TestClient, accounts: list[int | None]) -> None:
        accounts.append(7)
        with client.websocket_connect("ws://localhost/_stcore/stream") as socket:
            socket.send_bytes(b"x" * (STRANGERS_BYTES + 1))
            assert socket.receive_text() == f"{STRANGERS_BYTES + 1} bytes"

    def test_uploads_and_files_are_for_who_is_signed_in_where_there_are_accounts(
        self, client: TestClient, accounts: list[int | None]
    ) -> None:
        client.get("/")
        upload = client.put("/_stcore/upload_file/mine/f", content=iter([b"x", b"y"]))
        assert (upload.status_code, upload.text) == (403, request_checks.NOT_SIGNED_IN)
        assert (client.get("/media/a.csv").status_code, client.get("/media/a.csv").text) == (
            403,
            request_checks.NOT_FOR_STRANGERS,
        )
        # The font of the icons is the screens' own: without it the sign-in shows their names.
        assert client.get("/static/media/Icons-Rounded.nE_d.woff2").status_code == 404
        for path in ("/media/static/media/a.woff2", "/media/a.woff2", "/static/media/a.csv", "/static/media/x/a.woff2"):
            assert client.get(path).status_code == 403, path
        accounts.append(7)
        assert client.put("/_stcore/upload_file/mine/f", content=b"x").status_code == 204
        assert client.delete("/_stcore/upload_file/mine/f").status_code == 204
        assert client.get("/media/a.csv").text == "a file"

    def test_who_has_just_handed_in_a_ticket_is_let_in_before_the_cookie_comes(
        self, client: TestClient, accounts: list[int | None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client.get("/")
        visitor = client.get("/").text
        assert client.get("/media/a.csv").status_code == 403
        monkeypatch.setattr(session_cookie, "_kept", {visitor: ("token of account 7", 0.0)})
        monkeypatch.setattr(signed_in, "account_number", lambda token="": 7 if token == "token of account 7" else None)
        assert client.get("/media/a.csv").text == "a file"

    def test_while_the_accounts_cannot_be_read_nobody_is_let_in(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unreadable() -> bool:
            raise MissingError("The database cannot be used.")

        client.get("/")
        monkeypatch.setattr(signed_in, "is_on", unreadable)
        upload = client.put("/_stcore/upload_file/mine/f", content=b"x")
        assert (upload.status_code, upload.text) == (503, "The database cannot be used.")
        assert client.get("/media/a.csv").status_code == 403

    def test_the_servers_own_start_and_end_pass(self, client: TestClient) -> None:
        with client:
            assert client.get("/").status_code == 200


def test_a_session_belongs_to_the_visitor_whose_websocket_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(headers=[(VISITOR, "somebody")])
    clients = {"mine": SimpleNamespace(client_context=context), "begun": SimpleNamespace(client_context=None)}
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(get_client=clients.get))
    assert [request_checks._began(session) for session in ("mine", "begun", "gone")] == ["somebody", "", ""]


def test_streamlit_is_told_that_a_session_belongs_to_its_visitor() -> None:
    configured = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert VISITOR in configured["server"]["trustedUserHeaders"]
    assert st.get_option("server.trustedUserHeaders") == {VISITOR: "visitor"}
