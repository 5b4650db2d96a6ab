"""The SQL database of a workspace: SQLite in WAL mode by default, PostgreSQL where the URL names it.

All tables are created at once under one version number. A database of version 1 or 2 is brought up to date when it is
opened; one of another version is not read.

Transactions that read what they then write take turns: nobody else writes alone until they end. SQLite has one writer
anyway. On PostgreSQL they share a lock that other writers and all readers pass by. A statement that stands for itself
needs no turn.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Integer,
    PoolProxiedConnection,
    QueuePool,
    Table,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.engine import ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, TimeoutError as PoolTimeoutError

from workbench.core import MissingError, UsageError, shorten
from workbench.languages import search_form
from workbench.workspace import annotation_tables, result_tables  # noqa: F401 - each puts its tables on `metadata`
from workbench.workspace.permissions import verb
from workbench.workspace.tables import demonstration_drafts, demonstration_sets, metadata, schema_version

ALONE = {"alone": True}
"""Execution options of a connection whose transactions take turns."""
WRITERS_LOCK = 7_140_923
"""PostgreSQL's advisory lock of those who write alone: any number that nothing else locks."""


@contextmanager
def alone(engine: Engine, *, keep: bool = True) -> Iterator[Connection]:
    """A transaction that has its turn. What it wrote stays if the block ends, `keep` False takes it back: a rehearsal.

    Raises MissingError where the turn does not come in time, or the database is out of reach.
    """
    with engine.connect().execution_options(**ALONE) as connection, connection.begin() as transaction:
        yield connection
        if not keep:
            transaction.rollback()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that reads nothing which it then writes: SQLite has it wait for its turn, PostgreSQL need not.

    Raises MissingError as `alone` does.
    """
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


def is_alone(connection: Connection) -> bool:
    """Whether the transactions of a connection take turns."""
    return bool(connection.get_execution_options().get("alone"))


def begin_on_sqlite(connection: Connection) -> None:
    """Begins a transaction, which Python's driver does not do by itself for every statement.

    SQLite never waits where a transaction that has read begins to write and another has written meanwhile: those that
    write state it at once.
    """
    is_writing = is_alone(connection) or connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def wait_on_postgres(connection: Connection) -> None:
    """Waits for the turn of a transaction that has just begun."""
    if is_alone(connection):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})")


DRIVER = "postgresql+psycopg"
"""How the address of a PostgreSQL database begins."""
SERVER_REMEDY = "see that its server runs and can be reached, then try again."
SPARE_SECONDS = 30.0
"""How long whoever needs a connection waits for one to spare."""
LIMITS = {"connect_timeout": 10, "tcp_user_timeout": 30_000, "options": "-c lock_timeout=60000"}
"""Libpq's seconds to connect, milliseconds that a server may be silent, and the server's milliseconds for a lock.

What an address states itself counts."""


class _Pool(QueuePool):
    """Connections, of which there may be none left."""

    def connect(self) -> PoolProxiedConnection:
        try:
            return super().connect()
        except PoolTimeoutError as error:
            raise MissingError(
                f"The database has had no connection to spare for {self.timeout():g} s: {SERVER_REMEDY}"
            ) from error


def is_postgres(url: URL) -> bool:
    """Whether an address is one of PostgreSQL. Raises UsageError where it names another driver than psycopg."""
    if url.get_backend_name() != "postgresql":
        return False
    if url.drivername != DRIVER:
        raise UsageError(
            f"The database's address begins with {shorten(url.drivername, 40)}://, but PostgreSQL is used by the "
            f"driver psycopg alone. Begin it with {DRIVER}://"
        )
    return True


def engine_options(url: URL) -> dict[str, Any]:
    """What `create_engine` is given for PostgreSQL."""
    arguments = {key: value for key, value in LIMITS.items() if key not in url.query}
    return {"poolclass": _Pool, "pool_timeout": SPARE_SECONDS, "connect_args": arguments}


def prepare(engine: Engine) -> None:
    """Has every connection read numbers as SQLite's does, and those who write alone take turns."""
    event.listen(engine, "connect", _read_numbers)
    event.listen(engine, "begin", wait_on_postgres)


def is_out_of_reach(engine: Engine, error: BaseException) -> bool:
    """Whether the server, and not a statement, is why something failed: gone, full, shutting down, or locked."""
    driver = engine.dialect.loaded_dbapi
    return isinstance(error, (driver.OperationalError, driver.InterfaceError))


def _read_numbers(connection: Any, _record: Any) -> None:
    """Reads PostgreSQL's numeric values, which its sums of integers are, as the integers or floats of SQLite."""
    from psycopg.adapt import Loader

    class NumberLoader(Loader):
        def load(self, data: Any) -> int | float:
            number = float(bytes(data))
            return int(number) if number.is_integer() else number

    connection.adapters.register_loader("numeric", NumberLoader)


VERSION = 3
"""Increased with every change of a table. Version 2 had no demonstrations."""


def create_schema(engine: Engine) -> None:
    """Creates the tables in a new database; in one that has them, checks their version.

    Processes that do so at once take turns, and one that is killed leaves nothing behind. Raises MissingError for a
    database of another version.
    """
    with alone(engine) as connection:
        present = metadata.tables.keys() & set(inspect(connection).get_table_names())
        if not present:
            metadata.create_all(connection)
            connection.execute(insert(schema_version).values(number=VERSION))
            return
        stored = schema_version.name in present and connection.execute(select(schema_version.c.number)).scalar()
        if stored == 2:
            metadata.create_all(connection, tables=[demonstration_sets, demonstration_drafts])
            connection.execute(update(schema_version).values(number=VERSION))
            return
    if stored != VERSION:
        label = f"version {stored}" if stored else "a version without a number"
        raise MissingError(
            f"The tables of the database are of {label}, and this workbench uses version {VERSION}: open it with the "
            "workbench that made it, or set WORKBENCH_HOME to another folder."
        )


BUSY_MS = 60_000
"""How long SQLite waits for a lock, in milliseconds: as long as PostgreSQL does (`LIMITS`)."""
DAMAGE = (sqlite3.DatabaseError, sqlite3.OperationalError, UnicodeDecodeError)
REMEDY = "move the file away, or set WORKBENCH_HOME to another folder."


def open_store(url: str) -> Engine:
    """An engine on a database, whose tables are created where it is new.

    Raises UsageError for a URL that is not one or names a driver that is not installed or not used, MissingError for a
    database that cannot be opened, is not a database, or is of another version.
    """
    try:
        target = make_url(url)
        options = engine_options(target) if is_postgres(target) else {}
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
    elif is_postgres(target):
        prepare(engine)
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
    remedy = SERVER_REMEDY if is_postgres(engine.url) else REMEDY
    return MissingError(f"The database {address} cannot be used ({shorten(reason)}): {remedy}")


def rows_of(engine: Engine, query: str, values: tuple[str, ...]) -> list[Any]:
    """The rows of a query in the driver's own words: an answer asks four, and SQLAlchemy takes most of their time.

    Raises MissingError as `open_store` does.
    """
    try:
        with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(query, values)
            return list(cursor.fetchall())
    except Exception as error:
        _raise_sentence(error, engine)
        raise


def _as_sentence(context: ExceptionContext) -> None:
    if context.engine is not None and not context.is_pre_ping:
        _raise_sentence(context.original_exception, context.engine)


def _raise_sentence(error: BaseException, engine: Engine) -> None:
    """Raises MissingError for a damaged file, a full disk, a lock that is not released, and a server out of reach.

    A text that is no UTF-8, such as a column's name, is damage, too: everything is written as UTF-8.
    """
    if _is_busy(error):
        raise MissingError(
            f"Another process has been writing to the database for more than {BUSY_MS // 1000} s: see on Home what is "
            "at work, or type: mrag jobs list. Then try again."
        ) from error
    if is_out_of_reach(engine, error) if is_postgres(engine.url) else type(error) in DAMAGE:
        raise _unusable(engine, error) from error


def _is_busy(error: BaseException) -> bool:
    # The low byte is the kind of error; the others tell its variants apart.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _tune_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # By itself, Python's driver opens no transaction for CREATE TABLE; `begin_on_sqlite` opens one for everything.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    try:
        to_wal(cursor)
    except UnicodeDecodeError as error:
        # SQLite's message quotes the damaged schema, and Python cannot read that message.
        raise sqlite3.DatabaseError("malformed database schema") from error
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()
    connection.create_function("search_form", 1, search_form, deterministic=True)


def to_wal(cursor: sqlite3.Cursor) -> None:
    """Has a file's readers and writer not wait for each other, which is a change once in the file's life.

    SQLite itself does not wait while another process makes it.
    """
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


ROWS_AT_ONCE = 2_000
NUL, REPLACEMENT = "\x00", "\ufffd"
"""PostgreSQL's texts cannot hold the first; it is replaced by the second."""

TABLES = [table for table in metadata.sorted_tables if table is not schema_version]
"""Those that others refer to first; the version is in both databases already."""

OnTable = Callable[[str, int], None]
"""Is called with a table's name and its number of rows once they are copied."""


@verb("database.move")
def move_database(source: Engine, target: Engine, on_table: OnTable = lambda _name, _rows: None) -> Mapping[str, int]:
    """Copies all rows of one database into another that is empty, in one transaction; rows by table.

    The source stays as it is. Raises UsageError where the target has rows, is the source, or cannot hold a value.
    """
    if source.url == target.url:
        raise UsageError("The database is that of the workspace already; name another one to move to.")
    counts: dict[str, int] = {}
    # On PostgreSQL each statement sees what is there when it begins, unless all shall see the same.
    same = {"isolation_level": "REPEATABLE READ"} if is_postgres(source.url) else {}
    with (
        source.connect().execution_options(**same) as reader,
        alone(target) as writer,
    ):
        if taken := [table.name for table in TABLES if writer.execute(select(table).limit(1)).first() is not None]:
            raise UsageError(
                f"The database to move to has rows already, in: {', '.join(taken)}. Name an empty one, made for this "
                "workspace alone."
            )
        for table in TABLES:
            counts[table.name] = _copy(reader, writer, table)
            on_table(table.name, counts[table.name])
    return counts


def _copy(reader: Connection, writer: Connection, table: Table) -> int:
    count = 0
    names = table.columns.keys()
    rows = reader.execution_options(yield_per=ROWS_AT_ONCE).execute(select(table))
    for some in rows.partitions():
        try:
            writer.execute(insert(table), [dict(zip(names, _plain(row), strict=True)) for row in some])
        except DataError as error:
            raise UsageError(
                f"The table {table.name} has a value that the other database cannot hold ({shorten(error.orig)}). "
                "Nothing was moved."
            ) from error
        count += len(some)
    if writer.dialect.name == "postgresql":
        _continue_numbers(writer, table)
    return count


def _plain(row: Sequence[Any]) -> Iterator[Any]:
    return (value.replace(NUL, REPLACEMENT) if isinstance(value, str) else value for value in row)


def _continue_numbers(connection: Connection, table: Table) -> None:
    """Lets the numbers that PostgreSQL gives to new rows begin after the copied ones."""
    for column in inspect(connection).get_columns(table.name):
        sequence = connection.execute(select(func.pg_get_serial_sequence(table.name, column["name"]))).scalar()
        if sequence and isinstance(column["type"], Integer):
            last = connection.execute(select(func.max(table.c[column["name"]]))).scalar()
            if last is not None:
                connection.execute(text("SELECT setval(:sequence, :last)"), {"sequence": sequence, "last": last})


def row_counts(engine: Engine) -> Mapping[str, int]:
    """How many rows each table has."""
    with engine.connect() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one() for table in TABLES
        }
