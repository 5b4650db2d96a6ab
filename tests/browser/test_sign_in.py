"""Signing in and out in a real browser: by password, and with a real provider of OpenID Connect on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.screens.running import AppServer
from tests.browser.controls import settled
from tests.browser.identity_provider import CLIENT, SECRET, IdentityProvider, running_provider
from tests.screens import team
from tests.screens.team import PASSWORD, PEOPLE
from workbench.workspace import settings
from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.database import opened_store
from workbench.workspace.permissions import Actor, Role, acting_as

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.browser

SECRETS = """[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "a secret of at least thirty-two letters"

[auth.example]
client_id = "{client}"
client_secret = "{secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    """The provider, running."""
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def team_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with accounts, one of them for a person of the provider."""
    home = tmp_path_factory.mktemp("team")
    engine = team.create_team(settings.load(home).database_url)
    with acting_as(Actor("Ada", Role.ADMIN)):
        Accounts(engine).create("Olga", Role.ANNOTATOR, email="olga@example.org")
    return home


@pytest.fixture(scope="module")
def team_url(team_home: Path, provider: IdentityProvider) -> Iterator[str]:
    """The address of an app over that workspace that knows the provider."""
    server = AppServer(team_home)
    secrets = team_home / "secrets.toml"
    text = SECRETS.format(app=server.url, client=CLIENT, secret=SECRET, issuer=provider.issuer)
    secrets.write_text(text, encoding="utf-8")
    os.environ["STREAMLIT_SECRETS_FILES"] = str(secrets)
    try:
        server.start()
        yield server.url
    finally:
        del os.environ["STREAMLIT_SECRETS_FILES"]
        server.stop()


def sign_in(page: Page, name: str) -> None:
    # What the page showed before stays until the form is complete, with a Name of its own.
    settled(page)
    page.locator("input[autocomplete='username']").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    account(page, name).wait_for()


def account(page: Page, name: str) -> Locator:
    return page.locator(".st-key-account_menu").get_by_text(name)


def heading(page: Page, title: str) -> Locator:
    return page.get_by_role("heading", name=title, exact=True)


def keeps_session(context: BrowserContext) -> bool:
    """Whether the browser has the cookie, which no script can read."""
    return any(
        cookie["name"].startswith("mrag_session_") and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        for cookie in context.cookies()
    )


def test_a_reader_signs_in_stays_signed_in_sees_no_run_button_and_signs_out(page: Page, team_url: str) -> None:
    page.goto(f"{team_url}/runs?experiment=none")
    heading(page, "Sign in").wait_for()
    assert page.get_by_text("Optimise").count() == 0
    with page.expect_response("**/sign-in/keep"):
        sign_in(page, "Rita")
    heading(page, "Runs").wait_for()
    assert re.search(r"/runs\?experiment=none", page.url)
    assert keeps_session(page.context)
    page.reload()
    account(page, "Rita").wait_for()
    heading(page, "Runs").wait_for()
    assert page.get_by_role("button", name="Start").count() == 0
    assert page.evaluate("document.cookie.includes('mrag_session')") is False
    account(page, "Rita").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("You are signed out.").wait_for()
    page.reload()
    heading(page, "Sign in").wait_for()
    assert page.get_by_text("Optimise").count() == 0


def test_an_expired_session_asks_to_sign_in_and_leads_back(page: Page, team_url: str, team_home: Path) -> None:
    page.goto(f"{team_url}/tour")
    heading(page, "Sign in").wait_for()
    sign_in(page, PEOPLE[Role.ANALYST])
    heading(page, "Tour").wait_for()
    team.pass_hours(opened_store(settings.load(team_home).database_url), 9)
    page.get_by_role("button", name="Record the sample's tour").click()
    page.get_by_text("Your session has ended.").wait_for()
    sign_in(page, PEOPLE[Role.ANALYST])
    heading(page, "Tour").wait_for()
    page.get_by_text("There are no tours yet").wait_for()


def test_a_person_of_the_provider_gets_their_role_where_they_were_and_is_signed_out_of_both(
    page: Page, team_url: str
) -> None:
    page.goto(f"{team_url}/tour?tour=none")
    page.get_by_role("button", name="Sign in with Example").click()
    page.get_by_role("link", name="I am Olga").click()
    heading(page, "Tour").wait_for()
    account(page, "Olga").wait_for()
    assert "/tour?tour=none" in page.url
    account(page, "Olga").click()
    page.get_by_text("role annotator").wait_for()
    page.get_by_role("button", name="Sign out").click()
    heading(page, "Sign in").wait_for()
    page.wait_for_url(f"{team_url}/")
    page.reload()
    heading(page, "Sign in").wait_for()


def test_a_person_of_the_provider_without_an_account_gets_one_sentence(
    visitor: Callable[[], Page], team_url: str
) -> None:
    page = visitor()
    page.goto(f"{team_url}/tour")
    page.get_by_role("button", name="Sign in with Example").click()
    page.get_by_role("link", name="I am Stranger").click()
    page.get_by_text("your e-mail address opens no account here").wait_for()
    assert not keeps_session(page.context)
