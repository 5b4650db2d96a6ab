"""Signing in and out: a name and a password, or an address that a provider vouches for, become a session's token."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Engine

from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.accounts.audit import AuditLog
from workbench.workspace.accounts.credentials import SignInFailed, check_credentials
from workbench.workspace.accounts.sessions import Sessions

UNKNOWN_PERSON = (
    "The provider has signed you in, but your e-mail address opens no account here: there is none, it is disabled, or "
    "the provider has not verified the address. Ask an admin of this workspace."
)


def sign_in(engine: Engine, name: str, password: str, clock: Callable[[], float] = time.time) -> str:
    """The token of a new session for a person with a password. Raises SignInFailed."""
    account, proof = check_credentials(engine, name, password, clock)
    token = Sessions(engine, clock=clock).begin(account, proof)
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
