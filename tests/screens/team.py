"""A workspace with accounts, for tests of the screens: one person of each role."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, update
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.screens.conftest import APP, LONG
from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.database import opened_store
from workbench.workspace.permissions import Role
from workbench.workspace.tables import sessions

ROOT = Path(__file__).parents[2]
PASSWORD = "five words that stay secret"
PEOPLE = {Role.READER: "Rita", Role.ANNOTATOR: "Nina", Role.ANALYST: "ليلى الحسن", Role.ADMIN: "Ada"}


def create_team(database_url: str) -> Engine:
    """Creates the accounts; returns the database's engine."""
    engine = opened_store(database_url)
    for role in (Role.ADMIN, Role.ANALYST, Role.ANNOTATOR, Role.READER):
        Accounts(engine).create(PEOPLE[role], role, password=PASSWORD)
    return engine


def opened(page: str = "") -> AppTest:
    """The app at a screen, as a stranger sees it."""
    app = AppTest.from_file(str(APP), default_timeout=LONG)
    # `switch_page` knows files only; before signing in a screen is a path with nothing behind it.
    app._page_hash = calc_hash(page) if page else ""
    return app.run()


def sign_in(app: AppTest, name: str, password: str = PASSWORD) -> AppTest:
    """Fills in the form and sends it."""
    app.text_input(key="sign_in_name").input(name)
    app.text_input(key="sign_in_password").input(password)
    return app.button(key="sign_in_go").click().run()


def as_role(role: Role, page: str = "") -> AppTest:
    """The app at a screen, as the person of a role sees it."""
    app = sign_in(opened(), PEOPLE[role])
    return app.switch_page(f"pages/{page}.py").run() if page else app


def pass_hours(engine: Engine, hours: float) -> None:
    """Has all sessions as they are after these hours without use."""
    seconds = 3600 * hours
    with engine.begin() as connection:
        connection.execute(update(sessions).values(seen=sessions.c.seen - seconds, began=sessions.c.began - seconds))


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons on the screen."""
    return {str(button.key) for button in app.button}
