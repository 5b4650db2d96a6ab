"""What a running server of screens lets in, without accounts and with: by name, by browser, and how much.

These tests speak to a real server as a browser does, and use nothing of how the doors are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.screens.running import AppServer, running_app
from tests.screens import team
from tests.screens.team import PASSWORD, PEOPLE
from tests.servers.tab import Tab, open_tab
from tests.trees import copy_sample
from workbench.workspace import settings
from workbench.workspace.permissions import Role

MEGABYTE = 1_000_000
ROUTES = ("/", "/ask", "/settings", "/_stcore/health", "/_stcore/host-config", "/static/nothing.js", "/media/nothing")


@pytest.fixture(scope="module")
def open_url(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The screens of a workspace without accounts; what they learn when they start, other tests have learnt."""
    with running_app(copy_sample(sample_home, tmp_path_factory.mktemp("open"))) as url:
        yield url


@pytest.fixture(scope="module")
def team_url(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The screens of a workspace with accounts."""
    home = copy_sample(sample_home, tmp_path_factory.mktemp("team"))
    team.create_team(settings.load(home).database_url)
    with running_app(home) as url:
        yield url


@pytest.fixture(params=["open", "team"])
def url(request: pytest.FixtureRequest, open_url: str, team_url: str) -> str:
    """Both, one after the other."""
    return open_url if request.param == "open" else team_url


@contextmanager
def signed_in(url: str, role: Role = Role.ANALYST) -> Iterator[Tab]:
    """A tab in which somebody has just signed in, and that has the cookie."""
    with open_tab(url) as tab:
        assert "Sign out" in tab.sign_in(PEOPLE[role], PASSWORD)
        assert tab.keep() == 204
        yield tab


def foreign(url: str) -> str:
    return f"evil.example:{httpx.URL(url).port}"


@pytest.mark.parametrize("path", ROUTES)
def test_under_a_foreign_name_no_route_answers(url: str, path: str) -> None:
    reply = httpx.get(url + path, headers={"Host": foreign(url)})
    assert reply.status_code == 403
    assert reply.text.startswith("This workbench does not answer under this name.") and "\n" not in reply.text
    assert not reply.cookies


def test_under_a_foreign_name_no_websocket_opens(url: str) -> None:
    with pytest.raises(InvalidStatus) as caught, open_tab(url, host=foreign(url)):
        pass
    assert caught.value.response.status_code == 403


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_under_this_machines_names_the_screens_are_drawn(url: str, name: str) -> None:
    with open_tab(url, host=f"{name}:{httpx.URL(url).port}") as tab:
        assert tab.draw()


def test_a_file_is_not_stored_under_a_foreign_name(open_url: str) -> None:
    with open_tab(open_url) as tab:
        tab.draw()
        tab.http.headers["Host"] = foreign(open_url)
        assert tab.upload(b"x").status_code == 403


@pytest.mark.parametrize("path", ROUTES)
def test_no_reply_may_be_framed(url: str, path: str) -> None:
    headers = httpx.get(url + path).headers
    assert headers["x-frame-options"] == "DENY"
    assert headers["content-security-policy"] == "frame-ancestors 'none'"


def test_a_session_goes_on_in_the_browser_that_began_it(url: str) -> None:
    with open_tab(url) as tab:
        tab.draw()
        cookies, session = tab.http.cookies, tab.session
    with open_tab(url, cookies=cookies, session=session) as tab:
        tab.draw()
        assert tab.session == session


def test_a_sessions_id_without_its_cookie_opens_nothing_and_disturbs_nobody(team_url: str) -> None:
    with signed_in(team_url) as victim:
        for asks_page in (True, False):
            is_strangers(team_url, victim, asks_page)
        assert "Sign out" in victim.draw()
        victim.socket.close()
        is_strangers(team_url, victim, asks_page=True)


def is_strangers(url: str, victim: Tab, asks_page: bool) -> None:
    """Shows that who has only the id of another's session gets a session of their own, and the form."""
    with open_tab(url, session=victim.session, asks_page=asks_page) as thief:
        shown = thief.draw()
        assert "Sign out" not in shown and "sign_in_go" in thief.controls
        assert thief.session != victim.session


def test_who_just_signed_in_stays_so_after_the_network_dropped(team_url: str) -> None:
    with signed_in(team_url) as tab:
        cookies, session = tab.http.cookies, tab.session
    with open_tab(team_url, cookies=cookies, session=session) as tab:
        assert "Sign out" in tab.draw()
        assert tab.session == session


def test_who_is_not_signed_in_uploads_nothing(team_url: str) -> None:
    with open_tab(team_url) as tab:
        tab.draw()
        for cookie in ("", "forged"):
            tab.http.cookies.set(f"mrag_session_{httpx.URL(team_url).port}", cookie)
            reply = tab.upload(b"x" * MEGABYTE)
            assert (reply.status_code, reply.text) == (403, "Sign in before you upload files.")


def test_who_is_signed_in_uploads_and_removes(team_url: str) -> None:
    with signed_in(team_url) as tab:
        assert tab.upload(b"x").status_code == 204
        assert tab.remove("f1").status_code == 204


def test_nobody_uploads_to_another_browsers_session(url: str, open_url: str) -> None:
    tabs = open_tab(url) if url == open_url else signed_in(url)
    others = open_tab(url) if url == open_url else signed_in(url, Role.READER)
    with tabs as tab, others as other:
        tab.draw()
        assert tab.upload(b"x").status_code == 204
        for reply in (other.upload(b"x", session=tab.session), other.remove("f1", session=tab.session)):
            assert (reply.status_code, "another browser" in reply.text) == (403, True)


def test_a_long_message_of_who_is_not_signed_in_ends_the_connection(team_url: str) -> None:
    with open_tab(team_url) as tab:
        tab.draw()
        tab.send(b"x" * 2 * MEGABYTE)
        assert tab.is_cut_off()


def test_a_pages_files_are_for_who_is_signed_in(team_url: str, open_url: str) -> None:
    with open_tab(team_url) as stranger, signed_in(team_url) as tab, open_tab(open_url) as anybody:
        for path in ("/media/nothing", "/media/0123abcd.csv"):
            reply = stranger.http.get(path)
            assert (reply.status_code, reply.text) == (403, "Sign in before you open files.")
            assert [one.http.get(path).status_code for one in (tab, anybody)] == [404, 404]


def test_a_message_longer_than_any_screen_sends_ends_the_connection(url: str) -> None:
    with open_tab(url) as tab:
        tab.draw()
        with suppress(ConnectionClosed):
            tab.send(b"x" * 31 * MEGABYTE)
        assert tab.is_cut_off()


def test_a_long_text_of_who_has_just_signed_in_is_drawn(team_url: str) -> None:
    with signed_in(team_url) as tab:
        assert "Sign out" in tab.draw(page="x" * 2 * MEGABYTE)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a process's memory in a file")
@pytest.mark.parametrize("has_accounts", [True, False])
def test_a_hundred_large_uploads_without_an_account_leave_the_memory_flat(tmp_path: Path, has_accounts: bool) -> None:
    """10 GB are sent. With accounts nothing is held; without them the bound, and what is removed is free again."""
    if has_accounts:
        team.create_team(settings.load(tmp_path).database_url)
    server = AppServer(tmp_path)
    server.start()
    try:
        with open_tab(server.url) as tab:
            tab.draw()
            data = b"x" * 100 * MEGABYTE
            first = [tab.upload(data, f"f{number}").status_code for number in range(10)]
            before = memory(server.pid)
            later = [tab.upload(data, f"f{number}").status_code for number in range(10, 100)]
            assert memory(server.pid) - before < 200 * MEGABYTE
            # A body is a little longer than the file in it, so the tenth is above the bound.
            assert first == ([403] * 10 if has_accounts else [204] * 9 + [413])
            assert later == [403 if has_accounts else 413] * 90
            if not has_accounts:
                assert tab.remove("f0").status_code == 204
                assert tab.upload(data, "f0").status_code == 204
    finally:
        server.stop()


def memory(process: int) -> int:
    """The bytes of memory that a process has."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])
