"""Rules of the request checks, in process: the names known, what one person may hold, what every reply has."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import config
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tests.fakes import FakeWorkbench
from workbench.ui.sign_in import request_checks
from workbench.ui.sign_in.request_checks import UPLOAD_BYTES, UPLOAD_FILES, Doors, Uploads, is_known_host
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


class TestReplies:
    """A server with the doors and one route, which tells what visitor it was told of."""

    @pytest.fixture
    def client(self, fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch) -> TestClient:
        async def visitor(request: Request) -> Response:
            return PlainTextResponse(request.headers[VISITOR])

        async def upload(request: Request) -> Response:
            await request.body()
            return Response(status_code=204)

        routes = [
            Route("/", visitor),
            Route("/static/a.js", visitor),
            Route("/_stcore/upload_file/{session_id}/{file_id}", upload, methods=["PUT"]),
        ]
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


def test_streamlit_is_told_that_a_session_belongs_to_its_visitor() -> None:
    configured = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert VISITOR in configured["server"]["trustedUserHeaders"]
    assert st.get_option("server.trustedUserHeaders") == {VISITOR: "visitor"}
