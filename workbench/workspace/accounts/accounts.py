"""Accounts: who may sign in, with which role, and their keys. A workspace without an account has no sign-in.

A process that has seen an account stays closed when the accounts are gone: a database that was lost, moved or replaced
lets nobody in. Only `accounts remove NAME --last` in the same process, or a restart, opens it again.

With a key a program that calls a service may do what the account's role may. A key is shown once, when it is created;
the database has its digest.
"""

from __future__ import annotations

import math
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, delete, func, insert, select, update
from sqlalchemy.engine import make_url

from workbench.core import MissingError, UsageError, shorten, unknown_name
from workbench.workspace.accounts.credentials import (
    CHANGE,
    TYPED_LIMIT,
    Account,
    SignInFailed,
    account_of,
    check_credentials,
    folded,
    folded_email,
    hash_password,
    new_token,
    token_digest,
)
from workbench.workspace.database import alone, opened_store
from workbench.workspace.permissions import NotAllowed, Role, actor, verb
from workbench.workspace.tables import account_keys, accounts, sessions

FRESH_SECONDS = 2.0
"""How long the state is remembered: what another process changes is seen after that, at the latest."""

LOST = (
    "This workspace had accounts, and its database has none now, so nobody is let in. Put the database back; or, "
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


NAME_LIMIT = 80
CHANGED = "The password was changed by somebody else at this moment. Sign in again."


class Accounts:
    """The accounts of a workspace's database.

    There is always an admin who may sign in: the last one can be neither removed nor disabled nor given another role,
    except by `remove_last`, which turns sign-in off.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[Account, ...]:
        """All of them, by name."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(accounts).order_by(accounts.c.folded))
            return tuple(account_of(row) for row in rows)

    def account(self, name: str) -> Account:
        """The account of this name, whatever its case. Raises UsageError where there is none."""
        with self._engine.connect() as connection:
            return account_named(connection, name)

    def by_email(self, email: str) -> Account | None:
        """The account of a person whom a provider names by this address, None where there is none."""
        try:
            address = folded_email(email)
        except UsageError:
            return None
        with self._engine.connect() as connection:
            row = connection.execute(select(accounts).where(accounts.c.email == address)).first()
            return None if row is None else account_of(row)

    @verb("accounts.manage", "{name}: added as {role}")
    def create(self, name: str, role: Role, *, password: str | None = None, email: str = "") -> Account:
        """Adds an account, for a person who signs in with a password, with a provider under an address, or both.

        Raises UsageError: for a name, password or address that is not one or is taken, and where the first account is
        not an admin's.
        """
        title = checked_person(name)
        address = folded_email(email) if email else None
        if password is None and address is None:
            raise UsageError(f"“{shorten(title)}” could not sign in: give a password, or the e-mail of a provider.")
        secret = None if password is None else hash_password(password, title)
        with self._changing() as connection:
            if connection.execute(select(func.count()).select_from(accounts)).scalar() == 0 and role is not Role.ADMIN:
                raise UsageError("The first account turns sign-in on, so it is an admin's. For example: --role admin")
            if connection.execute(select(accounts.c.id).where(accounts.c.folded == folded(title))).first():
                raise UsageError(f"There is an account “{shorten(title)}” already; choose another name.")
            if address and connection.execute(select(accounts.c.id).where(accounts.c.email == address)).first():
                raise UsageError(f"The e-mail {shorten(address)} belongs to another account.")
            values = {"name": title, "folded": folded(title), "email": address, "role": str(role)}
            more = {"password_hash": secret, "disabled": False, "created": time.time()}
            connection.execute(insert(accounts).values(**values, **more))
            return account_named(connection, title)

    @verb("accounts.manage", "{name}: role {role}")
    def set_role(self, name: str, role: Role) -> Account:
        """Gives a person another role, at once. Raises UsageError for the last admin, and for no account."""
        with self._changing() as connection:
            account = account_named(connection, name)
            if role is not Role.ADMIN:
                _check_admin_left(connection, account)
            connection.execute(update(accounts).where(accounts.c.id == account.id).values(role=str(role)))
            return account_named(connection, name)

    @verb("accounts.manage", "{name}: new password")
    def set_password(self, name: str, password: str) -> None:
        """Gives an account another password and ends its sessions. Raises UsageError for no password or account."""
        self._store_password(name, password)

    @verb("password.change", "{name}")
    def change_password(self, name: str, present: str, password: str) -> None:
        """A person's change of their password, which ends all of their sessions.

        Raises NotAllowed for another person's account, UsageError where `present` is not the password or `password`
        cannot be one, SignInFailed while failures slow it down.
        """
        if folded(actor().name) != folded(name):
            raise NotAllowed("You can change your password only; an admin can give another person a new one.")
        _, proof = check_credentials(self._engine, name, present, purpose=CHANGE)
        self._store_password(name, password, proof)

    @verb("accounts.manage", "{name}: disabled")
    def disable(self, name: str) -> Account:
        """Lets a person sign in no more, and ends their sessions at once. Raises UsageError for the last admin."""
        with self._changing() as connection:
            account = account_named(connection, name)
            _check_admin_left(connection, account)
            connection.execute(update(accounts).where(accounts.c.id == account.id).values(disabled=True))
            connection.execute(delete(sessions).where(sessions.c.account == account.id))
            return account_named(connection, name)

    @verb("accounts.manage", "{name}: enabled")
    def enable(self, name: str) -> Account:
        """Lets a person whose account was disabled sign in again. Raises UsageError where there is none."""
        with self._changing() as connection:
            account = account_named(connection, name)
            connection.execute(update(accounts).where(accounts.c.id == account.id).values(disabled=False))
            return account_named(connection, name)

    @verb("accounts.manage", "{name}: removed")
    def remove(self, name: str) -> None:
        """Removes an account with its sessions and keys. Raises UsageError for the last admin, and for no account."""
        with self._changing() as connection:
            account = account_named(connection, name)
            _check_admin_left(connection, account)
            _remove(connection, account)

    @verb("accounts.manage", "{name}: removed, sign-in off")
    def remove_last(self, name: str) -> None:
        """Removes the only account, which turns sign-in off: then everybody who reaches the screens may do everything.

        Raises UsageError where there are others.
        """
        with self._changing() as connection:
            account = account_named(connection, name)
            others = connection.execute(select(func.count()).select_from(accounts)).scalar_one() - 1
            if others:
                raise UsageError(
                    f"{shorten(account.name)} is not the last account: {others:,} more would stay. Remove them first."
                )
            _remove(connection, account)
        forget_state(self._engine.url, is_off=True)

    def _store_password(self, name: str, password: str, proof: str = "") -> None:
        """`proof`: the stored hash that the present password fits, where it had to; raises SignInFailed for another."""
        secret = hash_password(password, name)
        with self._changing() as connection:
            account = account_named(connection, name)
            which = (accounts.c.id == account.id, *((accounts.c.password_hash == proof,) if proof else ()))
            if not connection.execute(update(accounts).where(*which).values(password_hash=secret)).rowcount:
                raise SignInFailed(CHANGED)
            connection.execute(delete(sessions).where(sessions.c.account == account.id))

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """A transaction during which nobody else changes accounts, so that two demotions cannot leave no admin."""
        with alone(self._engine) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE")
            yield connection
        forget_state(self._engine.url)


def account_named(connection: Connection, name: str) -> Account:
    """The account of this name in a transaction. Raises UsageError where there is none."""
    row = connection.execute(select(accounts).where(accounts.c.folded == folded(name))).first()
    if row is None:
        names = connection.execute(select(accounts.c.name)).scalars()
        raise unknown_name("account", name, names)
    return account_of(row)


def checked_person(name: str) -> str:
    """`name` as an account's name. Raises UsageError for one that is not."""
    title = " ".join(unicodedata.normalize("NFC", name).split()) if len(name) <= TYPED_LIMIT else ""
    if not 1 <= len(title) <= NAME_LIMIT or not title.isprintable() or not folded(title):
        raise UsageError(
            f"“{shorten(name)}” cannot be the name of an account: type 1 to {NAME_LIMIT} letters, digits or signs."
        )
    return title


def _check_admin_left(connection: Connection, account: Account) -> None:
    """Raises UsageError where `account` is the last admin who may sign in."""
    if account.role is not Role.ADMIN or account.is_disabled:
        return
    of_admins = accounts.c.role == str(Role.ADMIN), accounts.c.disabled.is_(False)
    if connection.execute(select(func.count()).select_from(accounts).where(*of_admins)).scalar_one() < 2:
        raise UsageError(
            f"{shorten(account.name)} is the last admin; make another person an admin first.",
            command="To turn sign-in off, remove the last account: accounts remove NAME --last",
        )


def _remove(connection: Connection, account: Account) -> None:
    for table in (sessions, account_keys):
        connection.execute(delete(table).where(table.c.account == account.id))
    connection.execute(delete(accounts).where(accounts.c.id == account.id))


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
