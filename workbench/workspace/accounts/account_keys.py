"""Keys of accounts, for programs that call a service: with a key a program may do what the account's role may.

A key is shown once, when it is created; the database has its digest.
"""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass, field

from sqlalchemy import Engine, delete, insert, select

from workbench.core import UsageError, shorten, unknown_name
from workbench.workspace.accounts.account import Account, account_of
from workbench.workspace.accounts.accounts import account_named
from workbench.workspace.accounts.tokens import new_token, token_digest
from workbench.workspace.database import opened_store
from workbench.workspace.people_tables import account_keys, accounts
from workbench.workspace.permissions.actor import verb
from workbench.workspace.write_turns import alone

PREFIX = "mrag_"
"""By which people and scanners of secrets recognise a key."""
NOTE_LIMIT = 80


@dataclass(frozen=True, slots=True)
class AccountKey:
    """A key as it is listed: its number, whose it is, what its note says, and when it was created."""

    id: int
    account: str
    note: str
    created: float


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just created, the only time that its text can be read."""

    id: int
    text: str = field(repr=False)


class AccountKeys:
    """The keys of a workspace's accounts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def at(cls, database_url: str) -> AccountKeys:
        """The keys in the database of a workspace."""
        return cls(opened_store(database_url))

    def all(self) -> tuple[AccountKey, ...]:
        """All of them, oldest first, without what would let anybody use one."""
        k = account_keys.c
        statement = select(k.id, accounts.c.name, k.note, k.created).join(accounts, accounts.c.id == k.account)
        with self._engine.connect() as connection:
            return tuple(AccountKey(*row) for row in connection.execute(statement.order_by(k.id)))

    @verb("keys.manage", "{name}: key created")
    def create(self, name: str, note: str = "") -> NewKey:
        """A new key of an account. Raises UsageError for no account or a disabled one, and for too long a note."""
        words = " ".join(unicodedata.normalize("NFC", note).split())
        if len(words) > NOTE_LIMIT or not words.isprintable():
            raise UsageError(f"The note “{shorten(note)}” is not one: type at most {NOTE_LIMIT} letters or signs.")
        text = PREFIX + new_token()
        with alone(self._engine) as connection:
            account = account_named(connection, name)
            if account.is_disabled:
                raise UsageError(f"The account of {shorten(account.name)} is disabled; enable it first.")
            values = {"digest": token_digest(text), "account": account.id, "note": words, "created": time.time()}
            number = connection.execute(insert(account_keys).values(values)).inserted_primary_key
        return NewKey(int(number[0]) if number else 0, text)

    @verb("keys.manage", "key {number} removed")
    def remove(self, number: int) -> None:
        """Removes a key, which works no more at once. Raises UsageError where there is none of this number."""
        with alone(self._engine) as connection:
            if not connection.execute(delete(account_keys).where(account_keys.c.id == number)).rowcount:
                raise unknown_name("key", number, (str(item.id) for item in self.all()))

    def account(self, text: str) -> Account | None:
        """The account whose key this is; None for no key, and while the account is disabled."""
        statement = (
            select(accounts)
            .join(account_keys, account_keys.c.account == accounts.c.id)
            .where(account_keys.c.digest == token_digest(text), accounts.c.disabled.is_(False))
        )
        with self._engine.connect() as connection:
            row = connection.execute(statement).first()
        return None if row is None else account_of(row)
