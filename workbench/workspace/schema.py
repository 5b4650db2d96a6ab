"""The database's tables, as numbered, append-only migrations.

A database stores the number of its last migration. Opening it runs the missing ones in one transaction, during which
nobody else writes; a migration that has landed is never edited.
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
    Text,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.ext.compiler import compiles

from workbench.core import MissingError
from workbench.workspace.annotation_tables import adjudications, annotation, labels
from workbench.workspace.diagnosis_tables import diagnosis
from workbench.workspace.draft_tables import drafting
from workbench.workspace.job_tables import working
from workbench.workspace.people_tables import people
from workbench.workspace.result_migrations import create_studies, create_totals, name_phases
from workbench.workspace.result_tables import answer_totals, mapped_golds, runs
from workbench.workspace.search_tables import searching
from workbench.workspace.vote_tables import voting
from workbench.workspace.write_turns import alone

metadata = MetaData()


@compiles(String, "postgresql")
def _unlimited(_kind: String, _compiler: object, **_options: object) -> str:
    """PostgreSQL refuses a text above its column's length, which SQLite stores; what one holds, the other must hold."""
    return "TEXT"


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
    Column("corpus", String(64), nullable=True, index=True),
)
"""Cached outputs of steps: zlib-compressed JSON of what a stage added, by the fingerprint of all it depends on.

`corpus`: the name of the one that was searched, as the recipe has it; "" for none, NULL where it was not recorded."""

saved_filters = Table(
    "saved_filters",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("screen", String(20), primary_key=True),
    Column("query", Text, nullable=False),
    Column("saved", Float, nullable=False),
)
"""The filters of a screen that people gave a name. `query`: their part of the URL."""


def _create_steps(connection: Connection) -> None:
    steps.create(connection, checkfirst=True)


def _create_annotation(connection: Connection) -> None:
    annotation.create_all(connection)


def _add_translated(connection: Connection) -> None:
    # In a new database the migration before has created the table as it is now.
    if "translated" not in {item["name"] for item in inspect(connection).get_columns(labels.name)}:
        connection.execute(text(f"ALTER TABLE {labels.name} ADD COLUMN translated BOOLEAN DEFAULT false NOT NULL"))


def _create_votes(connection: Connection) -> None:
    voting.create_all(connection)


def _create_adjudications(connection: Connection) -> None:
    adjudications.create(connection, checkfirst=True)


def _create_saved_filters(connection: Connection) -> None:
    saved_filters.create(connection, checkfirst=True)


def _create_proposals(connection: Connection) -> None:
    diagnosis.create_all(connection)


def _record_corpora(connection: Connection) -> None:
    """Adds the columns that say which corpus a step, and which version of it a run, is of."""
    for table, column in ((steps, steps.c.corpus), (runs, runs.c.corpus_version)):
        if column.name in {item["name"] for item in inspect(connection).get_columns(table.name)}:
            continue  # A new database has it.
        kind = column.type.compile(connection.dialect)
        connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))
        for index in table.indexes:
            if column in index.columns.values():
                index.create(connection)


def _create_drafts(connection: Connection) -> None:
    drafting.create_all(connection)


def _create_mapped_golds(connection: Connection) -> None:
    mapped_golds.create(connection, checkfirst=True)


def _create_searches(connection: Connection) -> None:
    searching.create_all(connection)


def _create_people(connection: Connection) -> None:
    people.create_all(connection)


def _prepare_for_size(connection: Connection) -> None:
    """On PostgreSQL, whose integers end at 2**31 and whose deletions look for what points to a row."""
    if connection.dialect.name != "postgresql":
        return
    connection.execute(text("CREATE INDEX IF NOT EXISTS scores_by_run ON scores (run)"))
    for column in (answer_totals.c.prompt_tokens, answer_totals.c.completion_tokens):
        connection.execute(text(f"ALTER TABLE {answer_totals.name} ALTER COLUMN {column.name} TYPE BIGINT"))


def _create_jobs(connection: Connection) -> None:
    working.create_all(connection)


MIGRATIONS: Sequence[Callable[[Connection], None]] = (
    *(_create_steps, create_studies, create_totals, name_phases),
    _create_annotation,
    _add_translated,
    _create_votes,
    _create_adjudications,
    _create_saved_filters,
    _create_proposals,
    _record_corpora,
    _create_drafts,
    _create_mapped_golds,
    _create_searches,
    _create_people,
    _prepare_for_size,
    _create_jobs,
)


def migrate(engine: Engine) -> int:
    """Runs the missing migrations; returns the number of the last one. Processes that do so at once take turns.

    Raises MissingError for a database that a newer workbench has written. A migration that fails changes nothing.
    """
    with alone(engine) as connection:
        migrations_done.create(connection, checkfirst=True)
        version = connection.execute(select(func.max(migrations_done.c.number))).scalar() or 0
        if version > len(MIGRATIONS):
            raise MissingError(
                f"The database is at version {version}, this workbench knows {len(MIGRATIONS)}: "
                "get the newer workbench, or set WORKBENCH_HOME to another folder."
            )
        for number, migration in enumerate(MIGRATIONS[version:], start=version + 1):
            migration(connection)
            connection.execute(insert(migrations_done).values(number=number))
    return len(MIGRATIONS)
