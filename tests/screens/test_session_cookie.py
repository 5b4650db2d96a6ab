"""The routes that keep a session in a cookie: a ticket is used once, and other sites cannot call them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from workbench.ui.sign_in import session_cookie
from workbench.ui.sign_in.session_cookie import TICKET_SECONDS, VISITOR, Tickets

TOKEN = "the-token-of-a-session"
OURS = {"x-workbench": "keep", "sec-fetch-site": "same-origin"}


@dataclass
class Clock:
    """A clock that stands until it is set."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def client() -> TestClient:
    """A browser at the two routes."""
    return TestClient(Starlette(routes=session_cookie.routes()), base_url="http://app.example")


def test_a_ticket_becomes_a_cookie_that_no_script_and_no_other_site_can_use(client: TestClient) -> None:
    reply = client.post("/sign-in/keep", content=session_cookie.TICKETS.issue(TOKEN), headers=OURS)
    assert reply.status_code == 204
    words = reply.headers["set-cookie"]
    assert f"={TOKEN}; " in words
    assert {"HttpOnly", "SameSite=strict", "Path=/", "Max-Age=259200"} <= set(words.split("; "))
    assert "Secure" not in words


@pytest.mark.parametrize("headers", [{}, {"x-forwarded-proto": "https"}, {"x-forwarded-proto": "HTTPS, http"}])
def test_the_cookie_is_sent_over_https_alone_where_the_app_is(headers: dict[str, str]) -> None:
    client = TestClient(
        Starlette(routes=session_cookie.routes()), base_url=f"http{'' if headers else 's'}://app.example"
    )
    reply = client.post("/sign-in/keep", content=session_cookie.TICKETS.issue(TOKEN), headers={**OURS, **headers})
    assert "Secure" in reply.headers["set-cookie"]


def test_of_several_proxies_the_browsers_one_counts(client: TestClient) -> None:
    headers = {**OURS, "x-forwarded-proto": "http, https"}
    reply = client.post("/sign-in/keep", content=session_cookie.TICKETS.issue(TOKEN), headers=headers)
    assert "Secure" not in reply.headers["set-cookie"]


def test_a_ticket_is_used_once(client: TestClient) -> None:
    ticket = session_cookie.TICKETS.issue(TOKEN)
    assert client.post("/sign-in/keep", content=ticket, headers=OURS).status_code == 204
    assert client.post("/sign-in/keep", content=ticket, headers=OURS).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{}, {"x-workbench": "forget"}, {"x-workbench": "keep", "sec-fetch-site": "cross-site"}],
)
def test_a_page_of_another_site_gets_no_cookie(client: TestClient, headers: dict[str, str]) -> None:
    ticket = session_cookie.TICKETS.issue(TOKEN)
    reply = client.post("/sign-in/keep", content=ticket, headers=headers)
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers
    assert session_cookie.TICKETS.is_open(ticket)


@pytest.mark.parametrize(("body", "status"), [("", 403), ("no-ticket", 403), ("\x00" * 201, 413)])
def test_what_is_no_ticket_is_refused(client: TestClient, body: str, status: int) -> None:
    assert client.post("/sign-in/keep", content=body, headers=OURS).status_code == status


def test_only_a_request_that_changes_something_is_answered(client: TestClient) -> None:
    assert client.get("/sign-in/keep", headers=OURS).status_code == 405


def test_a_ticket_ends_after_a_minute() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    ticket = tickets.issue(TOKEN)
    clock.now += TICKET_SECONDS
    assert not tickets.is_open(ticket)
    assert tickets.redeem(ticket) == ""


def test_signing_out_drops_the_cookie(client: TestClient) -> None:
    assert client.post("/sign-in/forget").status_code == 403
    reply = client.post("/sign-in/forget", headers={"x-workbench": "forget"})
    assert "Max-Age=0" in reply.headers["set-cookie"]


def test_a_token_is_kept_by_its_visitor_until_the_longest_session_would_have_ended(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_cookie, "_kept", {"before": ("ended", 0.0)})
    client.post("/sign-in/keep", content=session_cookie.TICKETS.issue(TOKEN), headers={**OURS, VISITOR: "somebody"})
    assert [session_cookie.kept_token(visitor) for visitor in ("somebody", "before", "else")] == [TOKEN, "", ""]
