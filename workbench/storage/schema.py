"""The database's tables, as numbered, append-only migrations.

A database remembers the number it is at. Opening one runs what is missing in one transaction that nobody else writes
beside; a migration that has landed is never edited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    func,
    insert,
    select,
)

from workbench.errors import MissingError
from workbench.storage.result_tables import create_studies, create_totals

ALONE = "alone"
"""Execution option of a connection whose transactions take the write lock as they begin."""

POSTGRES_LOCK = 7_140_923
"""Any number, as long as nothing else locks it."""

metadata = MetaData()

migrations_done = Table(
    "migrations",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
)

steps = Table(
    "steps",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("stage", String(40), nullable=False, index=True),
    Column("output", LargeBinary, nullable=False),
    Column("made", Float, nullable=False),
)
"""Cached step results: zlib-compressed JSON of what a stage added, by the fingerprint of all that it depends on."""


def _create_steps(connection: Connection) -> None:
    steps.create(connection, checkfirst=True)


MIGRATIONS: Sequence[Callable[[Connection], None]] = (_create_steps, create_studies, create_totals)


def migrate(engine: Engine) -> int:
    """Brings the database up to date; returns the number it is at. Processes that open it at once wait for each other.

    Raises MissingError when a newer workbench has written it; a migration that fails leaves the database as it was.
    """
    with engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(POSTGRES_LOCK)))
        migrations_done.create(connection, checkfirst=True)
        at = connection.execute(select(func.max(migrations_done.c.number))).scalar() or 0
        if at > len(MIGRATIONS):
            raise MissingError(
                f"The database is at version {at}, this workbench knows {len(MIGRATIONS)}: "
                "get the newer workbench, or set WORKBENCH_HOME to another folder."
            )
        for number, migration in enumerate(MIGRATIONS[at:], start=at + 1):
            migration(connection)
            connection.execute(insert(migrations_done).values(number=number))
    return len(MIGRATIONS)
