"""Whether there is sign-in: a database that is lost or emptied lets nobody in."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, make_url

from tests.databases import database_url
from tests.workspace.accounts.conftest import PASSWORD
from workbench.core.errors import MissingError
from workbench.workspace import tables as t
from workbench.workspace.accounts.accounts import Accounts, forget_state, has_sign_in
from workbench.workspace.accounts.credentials import Account
from workbench.workspace.database import opened_store
from workbench.workspace.permissions import Role


def test_a_database_file_that_is_lost_while_the_program_runs_lets_nobody_in(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'lost.db'}"
    Accounts(opened_store(url)).create("Anna", Role.ADMIN, password=PASSWORD)
    assert has_sign_in(url)
    for file in tmp_path.glob("lost.db*"):
        file.unlink()
    forget_state(make_url(url))
    for _ in range(2):
        with pytest.raises(MissingError, match="nobody is let in"):
            has_sign_in(url)


def test_accounts_that_vanish_otherwise_than_by_removing_the_last_let_nobody_in(
    url: str, engine: Engine, anna: Account
) -> None:
    assert has_sign_in(url)
    with engine.begin() as connection:
        connection.execute(delete(t.accounts))
    forget_state(engine.url)
    with pytest.raises(MissingError, match="nobody is let in"):
        has_sign_in(url)


def test_a_database_with_an_address_of_sqlites_own_has_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///file:{tmp_path / 'own.db'}?uri=true"
    Accounts(opened_store(url)).create("Anna", Role.ADMIN, password=PASSWORD)
    assert has_sign_in(url)
    assert (tmp_path / "own.db").exists() and not (tmp_path / "file:").exists()


def test_a_file_that_cannot_be_looked_at_lets_nobody_in(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="nobody is let in"):
        has_sign_in(f"sqlite:///{tmp_path / ('x' * 300)}")


def test_what_happens_to_one_database_says_nothing_of_another(
    url: str, engine: Engine, anna: Account, tmp_path: Path
) -> None:
    other = database_url(tmp_path / "other.db")
    Accounts(opened_store(other)).create("Bo", Role.ADMIN, password=PASSWORD)
    assert has_sign_in(url) and has_sign_in(other)
    with engine.begin() as connection:
        connection.execute(delete(t.accounts))
    Accounts(opened_store(other)).remove_last("Bo")
    forget_state(engine.url)
    assert not has_sign_in(other)
    with pytest.raises(MissingError, match="nobody is let in"):
        has_sign_in(url)
