"""Who is at work, for each way in: a screen's session, a service's key, the command line.

What they do is recorded in the audit where the workspace has sign-in.
"""

from __future__ import annotations

from functools import cache

from workbench.workspace.accounts.account import Account
from workbench.workspace.accounts.audit import AuditLog, Place
from workbench.workspace.accounts.sessions import Sessions
from workbench.workspace.accounts.sign_in_state import has_sign_in
from workbench.workspace.database import opened_store
from workbench.workspace.permissions.actor import NOBODY, Actor, Record, system_user
from workbench.workspace.permissions.verbs import Role

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
