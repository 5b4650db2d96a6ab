"""The doors of the screens as a real browser meets them: foreign names, frames, a dropped connection, an upload."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from benchmarks.screens.running import PATIENCE, AppServer, chromium
from tests.browser.controls import settled
from tests.screens import team
from tests.screens.team import PASSWORD, PEOPLE
from tests.servers.loopback import loopback
from workbench.workspace import settings
from workbench.workspace.permissions import Role

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocketRoute

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def team_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app over a workspace with accounts."""
    home = tmp_path_factory.mktemp("doors")
    team.create_team(settings.load(home).database_url)
    server = AppServer(home)
    server.start()
    yield server.url
    server.stop()


@pytest.fixture(scope="module")
def deceived(browser: Browser) -> Iterator[Browser]:
    """A browser to which evil.example is this machine, as after DNS rebinding."""
    options = ["--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1"]
    started = browser.browser_type.launch(executable_path=chromium(), args=options)
    yield started
    started.close()


def sign_in(page: Page, url: str) -> None:
    page.goto(url)
    page.locator("input[autocomplete='username']").fill(PEOPLE[Role.ADMIN])
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    with page.expect_response("**/sign-in/keep"):
        page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator(".st-key-account_menu").get_by_text(PEOPLE[Role.ADMIN]).wait_for()


@pytest.mark.parametrize("app", ["app_url", "team_url"])
def test_under_a_foreign_name_nothing_is_drawn(deceived: Browser, app: str, request: pytest.FixtureRequest) -> None:
    port = httpx.URL(request.getfixturevalue(app)).port
    page = deceived.new_page()
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    for path in ("", "data", "settings"):
        reply = page.goto(f"http://evil.example:{port}/{path}")
        assert reply is not None and reply.status == 403
        assert page.inner_text("body").startswith("This workbench does not answer under this name.")
    assert not sockets and not page.context.cookies()
    page.goto(f"http://127.0.0.1:{port}/")
    page.locator("h1").first.wait_for(timeout=PATIENCE * 1000)
    page.close()


@pytest.mark.parametrize("app", ["app_url", "team_url"])
def test_no_page_frames_the_screens(page: Page, app: str, request: pytest.FixtureRequest) -> None:
    framed = f'<iframe src="{request.getfixturevalue(app)}/settings"></iframe>'.encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(framed)

        def log_message(self, format: str, *arguments: object) -> None:
            """Print nothing: a test's output is its own."""

    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    with loopback(Handler) as url:
        page.goto(url)
        page.wait_for_function("() => document.querySelector('iframe').contentDocument === null")
        page.wait_for_timeout(500)
    assert page.frames[1].url.startswith("chrome-error:")
    assert any(("frame" in text and "Refused" in text) or "frame-ancestors" in text for text in refused)


def test_who_is_signed_in_uploads_and_goes_on_in_the_same_session_after_the_network_dropped(
    page: Page, team_url: str, tmp_path: Path
) -> None:
    sockets: list[WebSocketRoute] = []

    def passes(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket(re.compile("_stcore/stream"), passes)
    sign_in(page, f"{team_url}/data")
    settled(page)
    first = uploaded(page, tmp_path / "radio.txt")
    sockets[-1].close()
    for _ in range(10 * PATIENCE):
        if len(sockets) > 1:
            break
        page.wait_for_timeout(100)
    settled(page)
    page.locator(".st-key-account_menu").get_by_text(PEOPLE[Role.ADMIN]).wait_for()
    assert len(sockets) == 2
    assert uploaded(page, tmp_path / "waves.txt") == first


def uploaded(page: Page, file: Path) -> str:
    """Uploads a file on Data and waits until it is read; returns the id of the session that has it."""
    file.write_text("Marconi sent a message by radio across the Atlantic.", encoding="utf-8")
    with page.expect_response(re.compile("/_stcore/upload_file/")) as reply:
        page.locator(".st-key-data_documents input[type=file]").set_input_files(str(file))
    assert reply.value.status == 204
    page.get_by_text(file.name).first.wait_for()
    page.locator(".st-key-documents_actions button").first.wait_for()
    settled(page)
    return reply.value.url.split("/")[-2]
