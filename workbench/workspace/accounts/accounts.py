"""Accounts: who may sign in, with which role. A workspace without one has no sign-in."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from workbench.core import UsageError, shorten, unknown_name
from workbench.workspace.accounts.account import TYPED_LIMIT, Account, account_of, folded, folded_email
from workbench.workspace.accounts.credentials import CHANGE, SignInFailed, check_credentials
from workbench.workspace.accounts.passwords import hash_password
from workbench.workspace.accounts.sign_in_state import forget_state
from workbench.workspace.people_tables import account_keys, accounts, sessions
from workbench.workspace.permissions.actor import NotAllowed, actor, verb
from workbench.workspace.permissions.verbs import Role
from workbench.workspace.write_turns import alone

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
        secret = None if password is None else hash_password(password)
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
        secret = hash_password(password)
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
