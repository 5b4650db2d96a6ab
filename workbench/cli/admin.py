"""The workspace itself: `jobs` in the background, its `database`, and the `accounts` of its people with the audit.

Whoever has the workspace's files may do all of this without signing in. Passwords are asked for and never part of a
command, which other people of the machine could read.
"""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import (
    Json,
    check_writable,
    open_workbench,
    print_json,
    print_result,
    say,
)
from workbench.core import UsageError, shorten
from workbench.workspace import Role, role_named

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from workbench.workspace import Account, Accounts, Jobs


JobId = Annotated[str, typer.Argument(metavar="ID", help="A job's id, from: jobs list")]


def register(jobs: typer.Typer, database: typer.Typer, accounts: typer.Typer) -> None:
    """Adds the verbs to their groups."""
    families: tuple[tuple[typer.Typer, dict[str, Callable[..., None]]], ...] = (
        (jobs, {"list": list_jobs, "start": start, "stop": stop, "resume": resume, "log": log}),
        (database, {"show": show, "move": move}),
        (accounts, {"add": add, "list": list_accounts, "role": role, "password": password, "disable": disable}),
        (accounts, {"enable": enable, "remove": remove, "key": key, "audit": audit}),
    )
    for group, verbs in families:
        for name, function in verbs.items():
            group.command(name)(function)


def list_jobs(
    active: Annotated[bool, typer.Option("--active", help="Only running jobs.")] = False, as_json: Json = False
) -> None:
    """List every job, the latest start first, with its kind and state."""
    from dataclasses import asdict

    from workbench.workspace import KINDS, STATE_TITLES

    jobs = _jobs().all(active=active)
    if as_json:
        print_json([asdict(job) for job in jobs])
        return
    if not jobs:
        say("No job is running." if active else "There are no jobs yet.")
    for job in jobs:
        share = f", {100 * job.share:.0f} %" if job.active and job.total else ""
        error = f"\t{job.error}" if job.error else ""
        print(f"{job.id}\t{KINDS[job.kind].title}\t{STATE_TITLES[job.state]}{share}\t{job.title}{error}")


def start(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="A kind of job, such as download.")],
    parameters: Annotated[str, typer.Argument(metavar="JSON", help='Its parameters, such as \'{"model": "bge-m3"}\'.')],
) -> None:
    """Start a job of a kind that needs no more than its parameters."""
    try:
        values = json.loads(parameters)
    except ValueError as error:
        raise UsageError(f'The parameters are not JSON: {error}. For example: \'{{"model": "bge-m3"}}\'') from error
    job_id = _jobs().start_new(kind, values)
    say(f"Job {job_id}. It continues when this program ends. Stop it: mrag jobs stop {job_id}")


def stop(job_id: JobId) -> None:
    """Stop a job; what is finished is kept."""
    if _jobs().stop(job_id):
        say(f"Stop requested. Resume it later: mrag jobs resume {job_id}")
    else:
        say("It is not running.")


def resume(job_id: JobId) -> None:
    """Resume a job where it was stopped or killed."""
    if not _jobs().resume(job_id):
        say("It is already running.")


def log(job_id: JobId) -> None:
    """Print the end of what a job's last process printed."""
    print(_jobs().log(job_id), end="")


def _jobs() -> Jobs:
    from workbench.workspace import Jobs

    return Jobs(open_workbench().settings)


def show(as_json: Json = False) -> None:
    """Show the database's address, without its password, and how many rows each table has."""
    from workbench.workspace import opened_store, row_counts

    engine = opened_store(open_workbench().settings.database_url)
    address, counts = engine.url.render_as_string(hide_password=True), row_counts(engine)
    lines = [address, *(f"{name}\t{count:,}" for name, count in counts.items())]
    print_result({"address": address, "rows": dict(counts)}, lines, as_json=as_json)


def move(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="An empty database, such as postgresql+psycopg://me@host/workbench")
    ],
    as_json: Json = False,
) -> None:
    """Copy everything in the database to another one; stop the app and all jobs first."""
    from workbench.workspace import move_database, open_store, workspace_actor

    source = open_store(open_workbench().settings.database_url)
    if jobs := _jobs().all(active=True):
        titles = ", ".join(f"“{shorten(job.title or job.id)}”" for job in jobs)
        raise UsageError(
            f"A job is running ({titles}), and what it writes next would not be copied. Stop it, then move. "
            "Jobs are listed by: mrag jobs list"
        )
    target = open_store(url)
    counts = move_database(source, target, lambda name, rows: say(f"{name}: {rows:,} rows"))
    workspace_actor(url, "command line").record("database.move", "")  # the copy was made before the old one's record
    if as_json:
        print_json({"rows": dict(counts)})
    address = target.url.render_as_string(hide_password=True)
    say(
        f"Copied. From now on, set WORKBENCH_DATABASE_URL to {address} for everything you start, and give its "
        "password in PGPASSWORD or ~/.pgpass."
    )


Name = Annotated[str, typer.Argument(metavar="NAME", help="The account's name; its case does not matter.")]
RoleName = Annotated[str, typer.Option("--role", help="reader, annotator, analyst or admin.")]


def add(
    name: Name,
    role: RoleName = Role.READER.value,
    email: Annotated[
        str, typer.Option(help="The person's e-mail at the sign-in provider; no password is then needed.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Add an account; the first one turns sign-in on and is an admin's. Without --email the password is asked for."""
    wanted_role = role_named(role)
    accounts = _accounts()
    is_first = not accounts.all()
    account = accounts.create(name, wanted_role, password=None if email else _new_password(), email=email)
    _show(account, as_json)
    if is_first:
        say(
            "Sign-in is on: nobody uses the screens or the API without an account. Turn it off again by removing the "
            "last account: mrag accounts remove NAME --last"
        )


def list_accounts(as_json: Json = False) -> None:
    """List the accounts with their roles; without one, sign-in is off."""
    accounts = _accounts().all()
    if not accounts and not as_json:
        say("There are no accounts, so nobody signs in. Add the first: mrag accounts add NAME --role admin")
    print_result([asdict(account) for account in accounts], map(_line, accounts), as_json=as_json)


def role(name: Name, role: Annotated[str, typer.Argument(metavar="ROLE", help="The new role.")]) -> None:
    """Give a person another role, at once."""
    print(_line(_accounts().set_role(name, role_named(role))))


def password(name: Name) -> None:
    """Give an account another password, which is asked for, and end its sessions."""
    accounts = _accounts()
    account = accounts.account(name)
    accounts.set_password(account.name, _new_password())
    say(f"{account.name} has another password; all sessions of the account have ended.")


def disable(name: Name) -> None:
    """Let a person sign in no more, and end their sessions at once; their keys stop working."""
    print(_line(_accounts().disable(name)))


def enable(name: Name) -> None:
    """Let a person whose account was disabled sign in again."""
    print(_line(_accounts().enable(name)))


def remove(
    name: Name,
    last: Annotated[bool, typer.Option("--last", help="Remove the only account, which turns sign-in off.")] = False,
) -> None:
    """Remove an account with its sessions and keys; what it did stays in the audit."""
    accounts = _accounts()
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
    print_result(
        [asdict(entry) for entry in entries],
        (f"{entry.moment}\t{entry.person}\t{entry.verb}\t{entry.subject}\t{entry.place}" for entry in entries),
        as_json=as_json,
    )


def _accounts() -> Accounts:
    from workbench.workspace import Accounts

    return Accounts(_engine())


def _engine() -> Engine:
    from workbench.workspace import opened_store

    return opened_store(open_workbench().settings.database_url)


def _new_password() -> str:
    """A password, typed twice at a terminal; else the first line of the input, for scripts."""
    from workbench.workspace import check_password

    if not sys.stdin.isatty():
        try:
            text = sys.stdin.readline().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise UsageError("The password on the input is not UTF-8: give it in that encoding.") from error
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
