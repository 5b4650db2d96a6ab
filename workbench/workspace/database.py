"""The SQL database of a workspace: SQLite in WAL mode by default, PostgreSQL where the URL names it."""

from __future__ import annotations

import sqlite3
import time
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from workbench.core import MissingError, UsageError, shorten
from workbench.languages import search_form
from workbench.workspace import postgres
from workbench.workspace.schema import create_schema
from workbench.workspace.write_turns import begin_on_sqlite

BUSY_MS = 10_000
DAMAGE = (sqlite3.DatabaseError, sqlite3.OperationalError, UnicodeDecodeError)
REMEDY = "move the file away, or set WORKBENCH_HOME to another folder."


def open_store(url: str) -> Engine:
    """An engine on a database, whose tables are created where it is new.

    Raises UsageError for a URL that is not one or names a driver that is not installed or not used, MissingError for a
    database that cannot be opened, is not a database, or is of another version.
    """
    try:
        target = make_url(url)
        options = postgres.engine_options(target) if postgres.is_postgres(target) else {}
        # Messages of errors are logged, and values may be digests of passwords and keys.
        engine = create_engine(target, pool_pre_ping=True, hide_parameters=True, **options)
        event.listen(engine, "handle_error", _as_sentence)
    except (ArgumentError, ImportError, ValueError) as error:
        scheme = url.partition("://")[0]
        raise UsageError(
            f"WORKBENCH_DATABASE_URL, which begins “{shorten(scheme, 20)}”, is not a database address that this "
            "workbench can use. For example: sqlite:////home/me/workbench.db"
        ) from error
    address = target.render_as_string(hide_password=True)
    if target.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _tune_sqlite)
        event.listen(engine, "begin", begin_on_sqlite)
    elif postgres.is_postgres(target):
        postgres.prepare(engine)
    try:
        if target.get_backend_name() == "sqlite" and target.database and not target.database.startswith("file:"):
            Path(target.database).parent.mkdir(parents=True, exist_ok=True)
        create_schema(engine)
    except OSError as error:
        raise MissingError(
            f"The folder of the database {address} cannot be created ({error.strerror}): {REMEDY}"
        ) from error
    except DBAPIError as error:
        raise _unusable(engine, error.orig) from error
    return engine


@cache
def opened_store(url: str) -> Engine:
    """The engine of `open_store`, opened once per URL: for callers that come back every second, as screens do."""
    return open_store(url)


def problem(engine: Engine) -> str:
    """What SQLite's own check of the complete database reports; "" for a sound one, and for another database."""
    if engine.dialect.name != "sqlite":
        return ""
    with engine.connect() as connection:
        report = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    return "" if report == "ok" else shorten(report, 200)


def check_sound(engine: Engine) -> None:
    """Raises MissingError where SQLite's own check fails: for callers to whom an empty table is a surprise."""
    if report := problem(engine):
        raise _unusable(engine, report)


def _unusable(engine: Engine, reason: object) -> MissingError:
    address = engine.url.render_as_string(hide_password=True)
    remedy = postgres.REMEDY if postgres.is_postgres(engine.url) else REMEDY
    return MissingError(f"The database {address} cannot be used ({shorten(reason)}): {remedy}")


def _as_sentence(context: ExceptionContext) -> None:
    """Makes a MissingError of a damaged file, a full disk, a lock that is not released, and a server out of reach.

    A text that is no UTF-8, such as a column's name, is damage, too: everything is written as UTF-8.
    """
    error, engine = context.original_exception, context.engine
    if engine is None or context.is_pre_ping:
        return
    if postgres.is_out_of_reach(engine, error) if postgres.is_postgres(engine.url) else type(error) in DAMAGE:
        raise _unusable(engine, error) from error


def _tune_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # By itself, Python's driver opens no transaction for CREATE TABLE; `begin_on_sqlite` opens one for everything.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    try:
        _to_wal(cursor)
    except UnicodeDecodeError as error:
        # SQLite's message quotes the damaged schema, and Python cannot read that message.
        raise sqlite3.DatabaseError("malformed database schema") from error
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()
    connection.create_function("search_form", 1, search_form, deterministic=True)


def _to_wal(cursor: sqlite3.Cursor) -> None:
    # SQLite does not wait while another process makes this change, which happens once in a file's life.
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return
