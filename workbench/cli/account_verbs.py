"""`accounts`: who may sign in and with which role, their keys, and the audit of who did what.

Whoever has the workspace's files may do all of this without signing in. Passwords are asked for and never part of a
command, which other people of the machine could read.
"""

from __future__ import annotations

import getpass
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import Json, check_writable, open_workbench, print_json, say
from workbench.core import UsageError
from workbench.workspace import Role, role_named

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from workbench.workspace import Account

Name = Annotated[str, typer.Argument(metavar="NAME", help="The account's name; its case does not matter.")]
RoleName = Annotated[str, typer.Option("--role", help="reader, annotator, analyst or admin.")]


def register(group: typer.Typer) -> None:
    """Adds the verbs to the group."""
    for name, function in (
        *(("add", add), ("list", list_accounts), ("role", role), ("password", password)),
        *(("disable", disable), ("enable", enable), ("remove", remove), ("key", key), ("audit", audit)),
    ):
        group.command(name)(function)


def add(
    name: Name,
    role: RoleName = Role.READER.value,
    email: Annotated[str, typer.Option(help="Under which a provider names the person, who needs no password.")] = "",
    as_json: Json = False,
) -> None:
    """Add an account; the first one turns sign-in on and is an admin's. Without --email the password is asked for."""
    from workbench.workspace import Accounts

    wanted_role = role_named(role)
    accounts = Accounts(_engine())
    is_first = not accounts.all()
    account = accounts.create(name, wanted_role, password=None if email else _new_password(), email=email)
    _show(account, as_json)
    if is_first:
        say(
            "Sign-in is on: the screens and the API ask who is there. Turn it off again by removing the last account: "
            "mrag accounts remove NAME --last"
        )


def list_accounts(as_json: Json = False) -> None:
    """List the accounts with their roles; without one, sign-in is off."""
    from workbench.workspace import Accounts

    accounts = Accounts(_engine()).all()
    if as_json:
        print_json([asdict(account) for account in accounts])
        return
    if not accounts:
        say("There are no accounts, so nobody signs in. Add the first: mrag accounts add NAME --role admin")
    for account in accounts:
        print(_line(account))


def role(name: Name, role: Annotated[str, typer.Argument(metavar="ROLE", help="The new role.")]) -> None:
    """Give a person another role, at once."""
    from workbench.workspace import Accounts

    print(_line(Accounts(_engine()).set_role(name, role_named(role))))


def password(name: Name) -> None:
    """Give an account another password, which is asked for, and end its sessions."""
    from workbench.workspace import Accounts

    accounts = Accounts(_engine())
    account = accounts.account(name)
    accounts.set_password(account.name, _new_password())
    say(f"{account.name} has another password; all sessions of the account have ended.")


def disable(name: Name) -> None:
    """Let a person sign in no more, and end their sessions at once; their keys stop working."""
    from workbench.workspace import Accounts

    print(_line(Accounts(_engine()).disable(name)))


def enable(name: Name) -> None:
    """Let a person whose account was disabled sign in again."""
    from workbench.workspace import Accounts

    print(_line(Accounts(_engine()).enable(name)))


def remove(
    name: Name,
    last: Annotated[bool, typer.Option("--last", help="Remove the only account, which turns sign-in off.")] = False,
) -> None:
    """Remove an account with its sessions and keys; what it did stays in the audit."""
    from workbench.workspace import Accounts

    accounts = Accounts(_engine())
    if last:
        accounts.remove_last(name)
        say("Sign-in is off: everybody who reaches the screens may do everything.")
        return
    accounts.remove(name)
    say("The account is removed.")


def key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose key to create; without it, keys are listed.")] = "",
    note: Annotated[str, typer.Option(help="What the key is for.")] = "",
    remove: Annotated[int | None, typer.Option(help="The number of a key to remove.")] = None,
    as_json: Json = False,
) -> None:
    """Create a key of an account for `serve`, shown only once; list the keys; remove one."""
    from workbench.workspace import AccountKeys

    keys = AccountKeys(_engine())
    if remove is not None:
        if name:
            raise UsageError("Give a name to create a key, or --remove with a number, not both.")
        keys.remove(remove)
        say(f"Key {remove} is removed.")
    elif name:
        new = keys.create(name, note)
        if as_json:
            print_json({"id": new.id, "key": new.text})
        else:
            print(new.text)
        say(f"This is key {new.id}. It is not shown again: keep it where you keep passwords.")
    elif as_json:
        print_json([asdict(item) for item in keys.all()])
    else:
        for item in keys.all():
            print(f"{item.id}\t{item.account}\t{item.note}")


def audit(
    person: Annotated[str, typer.Option(help="Only what this person did.")] = "",
    verb: Annotated[str, typer.Option(help="Only this verb, such as runs.delete.")] = "",
    words: Annotated[str, typer.Option(help="Only subjects with these words.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many rows.")] = 50,
    out: Annotated[Path | None, typer.Option(help="Write all of them to this CSV file instead.")] = None,
    as_json: Json = False,
) -> None:
    """Show who did what, newest first."""
    from workbench.workspace import AuditFilter, AuditLog, write_bytes

    if out is not None:
        check_writable(out, "audit.csv")
    log, filter_ = AuditLog(_engine()), AuditFilter(person, verb, words=words)
    if out is not None:
        write_bytes(out, log.as_csv(filter_).encode())
        say(f"Written to {out}.")
        return
    entries = log.page(1, filter_, limit)
    if as_json:
        print_json([asdict(entry) for entry in entries])
        return
    for entry in entries:
        print(f"{entry.moment}\t{entry.person}\t{entry.verb}\t{entry.subject}\t{entry.place}")


def _engine() -> Engine:
    from workbench.workspace import opened_store

    return opened_store(open_workbench().settings.database_url)


def _new_password() -> str:
    """A password, typed twice at a terminal; else the first line of the input, for scripts."""
    from workbench.workspace import check_password

    if not sys.stdin.isatty():
        text = sys.stdin.readline().rstrip("\r\n")
        check_password(text)
        return text
    text = getpass.getpass("Password: ")
    check_password(text)
    if getpass.getpass("Repeat password: ") != text:
        raise UsageError("The two passwords differ; nothing was changed. Try again.")
    return text


def _show(account: Account, as_json: bool) -> None:
    if as_json:
        print_json(asdict(account))
    else:
        print(_line(account))


def _line(account: Account) -> str:
    ways = [*(["password"] if account.has_password else []), *([account.email] if account.email else [])]
    state = "disabled" if account.is_disabled else "may sign in"
    return f"{account.name}\t{account.role}\t{state}\t{', '.join(ways)}"
