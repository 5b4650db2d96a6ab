"""Transactions that read what they then write take turns: nobody else writes alone until they end.

SQLite has one writer anyway, and such a transaction takes its place as it begins. On PostgreSQL they share a lock that
other writers and all readers pass by. A statement that stands for itself needs no turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

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


def is_alone(connection: Connection) -> bool:
    """Whether the transactions of a connection take turns."""
    return bool(connection.get_execution_options().get("alone"))


def begin_on_sqlite(connection: Connection) -> None:
    """Begins a transaction, which Python's driver does not do by itself for every statement."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_alone(connection) else "BEGIN")


def wait_on_postgres(connection: Connection) -> None:
    """Waits for the turn of a transaction that has just begun."""
    if is_alone(connection):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})")
