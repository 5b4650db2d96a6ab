"""A workspace's database moved to another one: from the SQLite file that it begins with to PostgreSQL, or back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, Integer, Table, func, insert, inspect, select, text
from sqlalchemy.exc import DataError

from workbench.core import UsageError, shorten
from workbench.workspace.permissions.actor import verb
from workbench.workspace.postgres import is_postgres
from workbench.workspace.schema import schema_version
from workbench.workspace.tables import metadata
from workbench.workspace.write_turns import alone

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
