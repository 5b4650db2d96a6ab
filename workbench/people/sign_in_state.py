"""Whether a workspace has sign-in: it has as soon as it has an account."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.engine import make_url

from workbench.storage.database import opened_store
from workbench.storage.tables.people_tables import accounts

FRESH_SECONDS = 2.0
"""How long the state is remembered: what another process changes is seen after that, at the latest."""

_states: dict[str, tuple[float, bool]] = {}


def has_sign_in(database_url: str) -> bool:
    """Whether the workspace with this database has an account. At most one query every FRESH_SECONDS.

    A database that does not exist yet has none and is not created. Raises MissingError where it cannot be read, so that
    nobody is let in by a fault.
    """
    now = time.monotonic()
    known = _states.get(database_url)
    if known is not None and now - known[0] < FRESH_SECONDS:
        return known[1]
    state = _is_there(database_url) and _has_account(database_url)
    _states[database_url] = (now, state)
    return state


def forget_state() -> None:
    """Has the next `has_sign_in` look: accounts have changed in this process."""
    _states.clear()


def _is_there(database_url: str) -> bool:
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite":
        return True
    return bool(url.database) and Path(str(url.database)).exists()


def _has_account(database_url: str) -> bool:
    with opened_store(database_url).connect() as connection:
        return connection.execute(select(accounts.c.id).limit(1)).first() is not None
