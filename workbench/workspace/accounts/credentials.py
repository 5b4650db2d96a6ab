"""Checking a name and a password, slower after each failure.

After FREE_FAILURES failures in a row under a name each further one doubles the wait, to at most LONGEST_WAIT seconds,
for all processes together: guessing is slow, and a stranger locks nobody out for long. An attempt is counted before its
password is looked at, so many at once gain nothing. Names that do not exist are treated alike. Changing one's password
counts by itself, so that a stranger's guesses do not keep who is signed in from it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from sqlalchemy import Engine, delete, insert, select, update

from workbench.core import UsageError, WorkbenchError
from workbench.workspace.accounts.account import Account, account_of, folded
from workbench.workspace.accounts.passwords import fits, hash_password, is_outdated
from workbench.workspace.accounts.tokens import token_digest
from workbench.workspace.people_tables import accounts, sign_in_failures
from workbench.workspace.write_turns import alone

FREE_FAILURES = 5
LONGEST_WAIT = 60.0
REMEMBERED = 86_400.0
"""Seconds after its last attempt that a name's failures are forgotten."""
SIGN_IN, CHANGE = "", "change\n"
"""What an attempt is for: each counts its own failures. No name has a line break."""
WRONG = "The name or the password is wrong, or the account is disabled. Try again, or ask an admin for a new password."


class SignInFailed(WorkbenchError):
    """A person was not signed in; the message says no more than a stranger may know."""


def check_credentials(
    engine: Engine, name: str, password: str, clock: Callable[[], float] = time.time, *, purpose: str = SIGN_IN
) -> tuple[Account, str]:
    """The account of a name and its password, and the stored hash that the password fits.

    The hash lets who acts upon it check, in their own transaction, that the password is still the same. Raises
    SignInFailed for any other name or password and while failures slow it down, SignInBusy where too many wait.
    """
    attempt = token_digest(purpose + folded(name))
    _count_attempt(engine, attempt, clock())
    with engine.connect() as connection:
        row = connection.execute(select(accounts).where(accounts.c.folded == folded(name))).first()
    stored: str | None = None if row is None else row.password_hash
    is_right = fits(password, stored)
    if row is None or stored is None or not is_right or row.disabled:
        raise SignInFailed(WRONG)
    with alone(engine) as connection:
        connection.execute(delete(sign_in_failures).where(sign_in_failures.c.digest == attempt))
    return account_of(row), _renewed(engine, row.id, password, stored) if is_outdated(stored) else stored


def wait_after(failures: int) -> float:
    """Seconds to wait after a number of failures in a row.

    >>> [wait_after(count) for count in (4, 5, 6, 8, 20)]
    [0.0, 1.0, 2.0, 8.0, 60.0]
    """
    return 0.0 if failures < FREE_FAILURES else min(LONGEST_WAIT, 2.0 ** min(failures - FREE_FAILURES, 20))


def _renewed(engine: Engine, number: int, password: str, stored: str) -> str:
    """Replaces an outdated hash, unless the password was changed meanwhile; returns the hash that it fits."""
    try:
        secret = hash_password(password)
    except UsageError:  # a password of former times may be too short
        return stored
    is_same = (accounts.c.id == number, accounts.c.password_hash == stored)
    with alone(engine) as connection:
        changed = connection.execute(update(accounts).where(*is_same).values(password_hash=secret)).rowcount
    return secret if changed else stored


def _count_attempt(engine: Engine, digest: str, now: float) -> None:
    """Counts an attempt as a failure until it has succeeded. Raises SignInFailed where it comes too early."""
    f = sign_in_failures.c
    with alone(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("LOCK TABLE sign_in_failures IN SHARE ROW EXCLUSIVE MODE")
        connection.execute(delete(sign_in_failures).where(f.last < now - REMEMBERED))
        row = connection.execute(select(f.count, f.last).where(f.digest == digest)).first()
        if row is None:
            connection.execute(insert(sign_in_failures).values(digest=digest, count=1, last=now))
            return
        wait = wait_after(row[0])
        # Never longer than the wait. An attempt in the future is one before the clock was set back: it counts as over.
        left = 0.0 if row[1] > now + LONGEST_WAIT else min(row[1] + wait - now, wait)
        if left > 0:
            raise SignInFailed(f"Too many failed attempts with this name. Try again in {math.ceil(left):,} seconds.")
        connection.execute(update(sign_in_failures).where(f.digest == digest).values(count=row[0] + 1, last=now))
