"""`database`: where the workspace's results, labels, jobs and cached steps are, and moving them."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.shared import Json, open_workbench, print_json, say
from workbench.core import UsageError, shorten


def register(group: typer.Typer) -> None:
    """Adds the verbs to the group."""
    group.command("show")(show)
    group.command("move")(move)


def show(as_json: Json = False) -> None:
    """Show the database's address, without its password, and how many rows each table has."""
    from workbench.workspace import opened_store, row_counts

    engine = opened_store(open_workbench().settings.database_url)
    address, counts = engine.url.render_as_string(hide_password=True), row_counts(engine)
    if as_json:
        print_json({"address": address, "rows": dict(counts)})
        return
    print(address)
    for name, count in counts.items():
        print(f"{name}\t{count:,}")


def move(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="An empty database, such as postgresql+psycopg://me@host/workbench")
    ],
    as_json: Json = False,
) -> None:
    """Copy everything in the database to another one; stop the app and all jobs first."""
    from workbench.workspace import Jobs, move_database, open_store

    settings = open_workbench().settings
    source = open_store(settings.database_url)
    if jobs := Jobs(settings).all(active=True):
        titles = ", ".join(f"“{shorten(job.title or job.id)}”" for job in jobs)
        raise UsageError(
            f"A job is running ({titles}), and what it writes next would not be copied. Stop it, then move. "
            "Jobs are listed by: mrag jobs list"
        )
    target = open_store(url)
    counts = move_database(source, target, lambda name, rows: say(f"{name}: {rows:,} rows"))
    if as_json:
        print_json({"rows": dict(counts)})
    address = target.url.render_as_string(hide_password=True)
    say(
        f"Copied. From now on, set WORKBENCH_DATABASE_URL to {address} for everything you start, and give its "
        "password in PGPASSWORD or ~/.pgpass."
    )
