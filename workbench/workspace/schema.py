"""The database's schema: all tables, created at once under one version number.

A database of another version is not read: there is no way from one version to another yet.
"""

from __future__ import annotations

from sqlalchemy import Column, Engine, Float, Integer, LargeBinary, String, Table, Text, insert, inspect, select

from workbench.core import MissingError
from workbench.workspace import (  # noqa: F401 - each puts its tables on `metadata`
    annotation_tables,
    diagnosis_tables,
    draft_tables,
    job_tables,
    people_tables,
    result_tables,
    search_tables,
    vote_tables,
)
from workbench.workspace.tables import metadata
from workbench.workspace.write_turns import alone

VERSION = 1
"""Increased with every change of a table."""

schema_version = Table("schema_version", metadata, Column("number", Integer, primary_key=True, autoincrement=False))

steps = Table(
    "steps",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("stage", String(40), nullable=False, index=True),
    Column("output", LargeBinary, nullable=False),
    Column("made", Float, nullable=False),
    Column("corpus", String(64), nullable=False, index=True),
)
"""Cached outputs of steps: zlib-compressed JSON of what a stage added, by the fingerprint of all it depends on.

`corpus`: the name of the one that was searched, as the recipe has it; "" for none."""

saved_filters = Table(
    "saved_filters",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("screen", String(20), primary_key=True),
    Column("query", Text, nullable=False),
    Column("saved", Float, nullable=False),
)
"""The filters of a screen that people gave a name. `query`: their part of the URL."""


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
    if stored != VERSION:
        label = f"version {stored}" if stored else "a version without a number"
        raise MissingError(
            f"The tables of the database are of {label}, and this workbench uses version {VERSION}: open it with the "
            "workbench that made it, or set WORKBENCH_HOME to another folder."
        )
