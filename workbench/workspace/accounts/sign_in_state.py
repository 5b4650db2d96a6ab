"""Whether a workspace has sign-in: it has as soon as it has an account.

A process that has seen it stays closed when the accounts are gone: a database that was lost, moved or replaced lets
nobody in. Only `accounts remove NAME --last` in the same process, or a restart, opens it again.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, select
from sqlalchemy.engine import make_url

from workbench.core import MissingError
from workbench.workspace.database import opened_store
from workbench.workspace.people_tables import accounts

FRESH_SECONDS = 2.0
"""How long the state is remembered: what another process changes is seen after that, at the latest."""

LOST = (
    "This workspace had accounts, and its database has none any more, so nobody is let in. Put the database back; or, "
    "if sign-in was turned off, restart this program."
)


@dataclass(frozen=True)
class _Seen:
    """What this process has seen of one database: whether it had accounts when it `looked`, and whether `ever`."""

    looked: float = -math.inf
    has_accounts: bool = False
    ever: bool = False


# Threads read while another one writes, so a record is replaced and never changed.
_seen: dict[URL, _Seen] = {}


def has_sign_in(database_url: str) -> bool:
    """Whether the workspace with this database has an account. At most one query every FRESH_SECONDS.

    A SQLite file that does not exist yet has none and is not created. Raises MissingError where the database cannot be
    read, and where it had accounts in this process and has none now, so that nobody is let in by a fault.
    """
    now, database = time.monotonic(), make_url(database_url)
    seen = _seen.get(database, _Seen())
    if now - seen.looked < FRESH_SECONDS:
        return seen.has_accounts
    has_accounts = _is_there(database_url) and _has_account(database_url)
    if seen.ever and not has_accounts:
        raise MissingError(LOST)
    _seen[database] = _Seen(now, has_accounts, ever=has_accounts)
    return has_accounts


def forget_state(database: URL, *, is_off: bool = False) -> None:
    """Has the next `has_sign_in` look: accounts have changed in this process. `is_off`: the last one was removed."""
    _seen[database] = _Seen(ever=_seen.get(database, _Seen()).ever and not is_off)


def _is_there(database_url: str) -> bool:
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite":
        return True
    if str(url.database or "").startswith("file:"):  # an address of SQLite's own, which only SQLite resolves
        return True
    try:
        return bool(url.database) and bool(Path(str(url.database)).stat())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise MissingError(f"The database cannot be read ({error.strerror}), so nobody is let in.") from error


def _has_account(database_url: str) -> bool:
    with opened_store(database_url).connect() as connection:
        return connection.execute(select(accounts.c.id).limit(1)).first() is not None
