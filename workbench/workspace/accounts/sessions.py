"""Sessions: a person stays signed in by a token, until it is idle for too long, too old, or ended.

The database has the token's digest only, so that who reads it cannot sign in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, insert, or_, select, update

from workbench.core import UsageError, shorten
from workbench.workspace.accounts.account import Account, account_of
from workbench.workspace.accounts.credentials import WRONG, SignInFailed
from workbench.workspace.accounts.tokens import new_token, token_digest
from workbench.workspace.people_tables import accounts, sessions
from workbench.workspace.write_turns import alone

IDLE_VARIABLE, LONGEST_VARIABLE = "WORKBENCH_SESSION_IDLE_HOURS", "WORKBENCH_SESSION_HOURS"
HOUR = 3_600.0
MOST_HOURS = 8_760.0
TOUCH_SECONDS = 60.0
"""How exactly the last use of a session is stored: not every click is a write."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """How long a session lasts, in seconds: without use (`idle`), and in all (`longest`)."""

    idle: float = 8 * HOUR
    longest: float = 72 * HOUR


def session_limits() -> SessionLimits:
    """The limits that the environment sets, else 8 hours idle and 72 in all. Raises UsageError for no such number."""
    return SessionLimits(_hours(IDLE_VARIABLE, 8.0) * HOUR, _hours(LONGEST_VARIABLE, 72.0) * HOUR)


class Sessions:
    """The sessions of a workspace's database; `clock` is in seconds since 1970."""

    def __init__(
        self, engine: Engine, limits: SessionLimits | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._engine = engine
        self._limits = limits or session_limits()
        self._clock = clock

    def begin(self, account: Account, proof: str = "") -> str:
        """A new session's token, for a person who has just proved who they are; expired sessions are swept away.

        `proof`: the stored hash that their password fits. Raises SignInFailed where it is no more the account's, or the
        account was disabled or removed meanwhile.
        """
        token, now = new_token(), self._clock()
        with alone(self._engine) as connection:
            is_over = or_(sessions.c.seen < now - self._limits.idle, sessions.c.began < now - self._limits.longest)
            connection.execute(delete(sessions).where(is_over))
            present = [accounts.c.id == account.id, accounts.c.disabled.is_(False)]
            if proof:
                present.append(accounts.c.password_hash == proof)
            if connection.execute(select(accounts.c.id).where(*present)).first() is None:
                raise SignInFailed(WRONG)
            values = {"digest": token_digest(token), "account": account.id, "began": now, "seen": now}
            connection.execute(insert(sessions).values(values))
        return token

    def account(self, token: str | None) -> Account | None:
        """The account of the person whom a token signs in, with the role as it is now.

        None for no token, one that has expired or was ended, and an account that is disabled. It does not count as use.
        """
        if not token:
            return None
        now = self._clock()
        statement = (
            select(accounts)
            .join(sessions, sessions.c.account == accounts.c.id)
            .where(
                sessions.c.digest == token_digest(token),
                sessions.c.seen >= now - self._limits.idle,
                sessions.c.began >= now - self._limits.longest,
                accounts.c.disabled.is_(False),
            )
        )
        with self._engine.connect() as connection:
            row = connection.execute(statement).first()
        return None if row is None else account_of(row)

    def touch(self, token: str) -> None:
        """Notes that a person has just used their session, so that it is not idle; one that is over stays so."""
        now, digest = self._clock(), token_digest(token)
        due = (
            sessions.c.digest == digest,
            sessions.c.seen < now - min(TOUCH_SECONDS, self._limits.idle / 4),
            sessions.c.seen >= now - self._limits.idle,
        )
        with self._engine.connect() as connection:
            if connection.execute(select(sessions.c.digest).where(*due)).first() is None:
                return
        with self._engine.begin() as connection:
            connection.execute(update(sessions).where(*due).values(seen=now))

    def end(self, token: str) -> None:
        """Ends a session: sign-out. One that is over already stays so."""
        with self._engine.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == token_digest(token)))


def _hours(variable: str, default: float) -> float:
    text = os.environ.get(variable, "").strip()
    try:
        hours = float(text) if text else default
    except ValueError:
        hours = 0.0
    if not 0 < hours <= MOST_HOURS:
        raise UsageError(
            f"{variable} is “{shorten(text)}”; it is a number of hours above 0, at most {MOST_HOURS:,.0f}. For "
            f"example: {default:g}"
        )
    return hours
