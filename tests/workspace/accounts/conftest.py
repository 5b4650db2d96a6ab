"""A database without accounts, hashes that cost little, and a person to sign in."""

from __future__ import annotations

from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine

from tests.databases import database_url
from workbench.workspace.accounts import credentials
from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.accounts.credentials import Account
from workbench.workspace.database import opened_store
from workbench.workspace.permissions import Role

PASSWORD = "seven quiet otters"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes with the least memory; one test has the real ones."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(credentials, "password_hasher", lambda: cheap)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return database_url(tmp_path / "workbench.db")


@pytest.fixture
def engine(url: str) -> Engine:
    return opened_store(url)


@pytest.fixture
def accounts(engine: Engine) -> Accounts:
    return Accounts(engine)


@pytest.fixture
def anna(accounts: Accounts) -> Account:
    """The admin."""
    return accounts.create("Anna", Role.ADMIN, password=PASSWORD)


@pytest.fixture
def ben(anna: Account, accounts: Accounts) -> Account:
    """A reader."""
    return accounts.create("Ben", Role.READER, password=PASSWORD)
