"""The SQL database of a workspace: SQLite in WAL mode by default, PostgreSQL where a URL says so."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError

from workbench.errors import MissingError
from workbench.storage.schema import migrate

BUSY_MS = 10_000


def open_store(url: str) -> Engine:
    """An engine on an up-to-date database.

    Raises MissingError when the file is no database or cannot be opened.
    """
    target = make_url(url)
    if target.get_backend_name() == "sqlite" and target.database:
        Path(target.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(target, pool_pre_ping=True)
    if target.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _tune_sqlite)
    try:
        migrate(engine)
    except DatabaseError as error:
        place = target.render_as_string(hide_password=True)
        raise MissingError(
            f"The database {place} cannot be used ({error.orig}): move the file away, or set WORKBENCH_HOME to another folder."
        ) from error
    return engine


def _tune_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()
