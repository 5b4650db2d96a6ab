"""Signing in and out, sessions, and who is at work: before a screen, with a service's key, at the command line.

A name and a password, or an address that a provider vouches for, become a session's token. A person stays signed in by
it until it is idle for too long, too old, or ended. The database has the token's digest only, so that who reads it
cannot sign in. What people do is recorded in the audit where the workspace has sign-in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Engine, delete, insert, or_, select, update

from workbench.core import UsageError, shorten
from workbench.workspace.accounts.accounts import Accounts, has_sign_in
from workbench.workspace.accounts.audit import AuditLog, Place
from workbench.workspace.accounts.credentials import (
    WRONG,
    Account,
    SignInFailed,
    account_of,
    check_credentials,
    new_token,
    token_digest,
)
from workbench.workspace.database import alone, opened_store, writing
from workbench.workspace.permissions import NOBODY, Actor, Record, Role, system_user
from workbench.workspace.tables import accounts, sessions

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
        with writing(self._engine) as connection:
            connection.execute(update(sessions).where(*due).values(seen=now))

    def end(self, token: str) -> None:
        """Ends a session: sign-out. One that is over already stays so."""
        with writing(self._engine) as connection:
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


UNKNOWN_PERSON = (
    "The provider has signed you in, but your e-mail address opens no account here: there is none, it is disabled, or "
    "the provider has not verified the address. Ask an admin of this workspace."
)


def sign_in(engine: Engine, name: str, password: str) -> str:
    """The token of a new session for a person with a password. Raises SignInFailed."""
    account, proof = check_credentials(engine, name, password)
    token = Sessions(engine).begin(account, proof)
    AuditLog(engine).append(account.name, "sign_in", "with a password", "screen")
    return token


def sign_in_by_email(engine: Engine, email: str, *, is_verified: bool) -> str:
    """The token of a new session for a person whom a provider has signed in. Raises SignInFailed.

    `is_verified`: the provider says that it has checked the address, or is one whose addresses are trusted.
    """
    account = Accounts(engine).by_email(email) if is_verified and email else None
    if account is None or account.is_disabled:
        raise SignInFailed(UNKNOWN_PERSON)
    token = Sessions(engine).begin(account)
    AuditLog(engine).append(account.name, "sign_in", "with a provider", "screen")
    return token


def sign_out(engine: Engine, token: str) -> None:
    """Ends a session."""
    sessions = Sessions(engine)
    account = sessions.account(token)
    sessions.end(token)
    if account is not None:
        AuditLog(engine).append(account.name, "sign_out", "", "screen")


ACCOUNTS = "accounts.manage"


def screen_actor(database_url: str, token: str | None) -> Actor:
    """The person before a screen: of the session that a token names, NOBODY without one.

    Without sign-in it is whoever started the server, who may do everything. Raises MissingError where the database
    cannot be read.
    """
    if not has_sign_in(database_url):
        return workspace_actor(database_url, "screen")
    account = Sessions(opened_store(database_url)).account(token)
    return NOBODY if account is None else account_actor(database_url, account, "screen")


def account_actor(database_url: str, account: Account, place: Place) -> Actor:
    """The person of an account, in their role."""
    return Actor(account.name, account.role, recorder(database_url, account.name, place))


@cache
def workspace_actor(database_url: str, place: Place) -> Actor:
    """Whoever has the workspace's files, under the operating system's name: they may do everything."""
    name = system_user()
    return Actor(name, Role.ADMIN, recorder(database_url, name, place))


def recorder(database_url: str, name: str, place: Place) -> Record:
    """Records what a person did, where the workspace has sign-in; what turns it off is recorded too."""

    def record(verb: str, subject: str) -> None:
        if has_sign_in(database_url) or verb == ACCOUNTS:
            AuditLog(opened_store(database_url)).append(name, verb, subject, place)

    return record
