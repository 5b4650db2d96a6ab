"""The workspace's database: opened, migrated, and shared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, insert, inspect, select, text

from tests.databases import database_url
from workbench.core.errors import MissingError, UsageError, WorkbenchError
from workbench.experiments.results.writer import Writer
from workbench.workspace import result_tables as t
from workbench.workspace import schema
from workbench.workspace.annotation_tables import labels
from workbench.workspace.database import check_sound, open_store, problem


def url(folder: Path) -> str:
    return database_url(folder / "workbench.db")


def numbers(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.execute(select(schema.migrations_done.c.number)).scalars())


def test_a_new_database_gets_every_migration_once(tmp_path: Path) -> None:
    open_store(url(tmp_path)).dispose()
    engine = open_store(url(tmp_path))
    assert numbers(engine) == list(range(1, len(schema.MIGRATIONS) + 1))
    assert {"migrations", "steps"} <= set(inspect(engine).get_table_names())


@pytest.mark.sqlite
def test_the_folder_is_created(tmp_path: Path) -> None:
    open_store(url(tmp_path / "deep" / "home"))
    assert (tmp_path / "deep" / "home" / "workbench.db").exists()


@pytest.mark.sqlite
def test_sqlite_is_opened_in_wal_mode_with_patience(tmp_path: Path) -> None:
    with open_store(url(tmp_path)).connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("PRAGMA busy_timeout")).scalar_one() == 10_000


@pytest.mark.parametrize(
    "driver", ["postgresql", "postgresql+psycopg2", "postgresql+asyncpg", "postgresql+psycopg_async"]
)
def test_another_driver_of_postgresql_is_refused_in_one_sentence(driver: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_store(f"{driver}://me:secret@host/workbench")
    assert f"begins with {driver}://" in str(caught.value) and "secret" not in str(caught.value)
    assert str(caught.value).endswith("Begin it with postgresql+psycopg://")


def test_a_database_from_the_future_is_refused_in_one_sentence(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    with engine.begin() as connection:
        connection.execute(insert(schema.migrations_done).values(number=99))
    engine.dispose()
    with pytest.raises(MissingError, match=r"is at version 99, this workbench knows [0-9]+: get the newer workbench"):
        open_store(url(tmp_path))


@pytest.mark.sqlite
def test_a_file_that_is_no_database_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "workbench.db").write_text("This is no database, but a letter. " * 100)
    with pytest.raises(MissingError, match="cannot be used") as caught:
        open_store(url(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", ["nonsense", "nosuch://host/name", "sqlite:///{home}/is/a/file/workbench.db", ""])
def test_an_address_that_leads_nowhere_is_refused_in_one_sentence(given: str, tmp_path: Path) -> None:
    (tmp_path / "is").write_text("a file, not a folder")
    with pytest.raises(WorkbenchError) as caught:
        open_store(given.format(home=tmp_path))
    assert "\n" not in str(caught.value) and "WORKBENCH_" in str(caught.value)


def test_a_password_is_not_repeated_in_an_error() -> None:
    with pytest.raises(WorkbenchError) as caught:
        open_store("nosuch://anna:s3cret@host/name")
    assert "s3cret" not in str(caught.value)


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(url(tmp_path)).dispose()

    def halfway(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (number INTEGER)"))
        raise RuntimeError("the light went out")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, halfway))
    with pytest.raises(RuntimeError):
        open_store(url(tmp_path))
    tables = inspect(create_engine(url(tmp_path))).get_table_names()
    assert "half" not in tables


def test_a_later_migration_runs_on_an_older_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(url(tmp_path)).dispose()

    def further(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE further (number INTEGER)"))

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, further))
    engine = open_store(url(tmp_path))
    assert "further" in inspect(engine).get_table_names()
    assert numbers(engine) == list(range(1, len(schema.MIGRATIONS) + 1))


def _open(address: str) -> str:
    try:
        open_store(address).dispose()
    except Exception as error:
        return repr(error)
    return ""


def test_processes_that_open_a_new_database_at_once_all_succeed(tmp_path: Path) -> None:
    with get_context("spawn").Pool(3) as pool:
        for round_ in range(3):
            folder = tmp_path / str(round_)
            folder.mkdir()
            assert pool.map(_open, [url(folder)] * 3, chunksize=1) == [""] * 3


def test_phases_that_were_numbered_are_named(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    kinds = {"e": "matrix", "p": "predictions"}
    with engine.begin() as connection:
        for experiment_id, kind in kinds.items():
            row = {"name": "Old", "kind": kind, "spec": "", "created": 0.0, "cells": 1, "material": ""}
            connection.execute(insert(t.experiments).values(id=experiment_id, **row))
        connection.execute(text("DROP TABLE batches"))
        connection.execute(
            text(
                "CREATE TABLE batches (experiment VARCHAR(12) NOT NULL, phase INTEGER NOT NULL, batch INTEGER NOT NULL,"
                " PRIMARY KEY (experiment, phase, batch), FOREIGN KEY(experiment) REFERENCES experiments (id))"
            )
        )
        old = [("e", phase, batch) for phase in range(6) for batch in (0, 1)] + [("p", 0, 0)]
        for row_ in old:
            connection.execute(text(f"INSERT INTO batches VALUES {row_}"))
        connection.execute(text("DELETE FROM migrations WHERE number >= 4"))
    engine.dispose()
    engine = open_store(url(tmp_path))
    names = ("translate question", "retrieve", "rerank", "perturb", "translate passages", "detect language")
    with engine.connect() as connection:
        rows = {tuple(row) for row in connection.execute(select(t.batches))}
        assert rows == {*(("e", name, batch) for name in names for batch in (0, 1)), ("p", "detect language", 0)}
    assert Writer(engine, "e", []).done("rerank") == {0, 1}
    assert numbers(engine) == list(range(1, len(schema.MIGRATIONS) + 1))


def test_labels_from_before_translations_were_noted_are_labels_on_the_original(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    row = {"queue": "q", "number": 1, "annotator": "Anna", "showing": 1, "part": "answer", "labels": "[]"}
    row |= {"comment": "", "spans": "[]", "taxonomy": "t", "version": 1, "saved": 0.0}
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE annotation_labels DROP COLUMN translated"))
        old = ", ".join(f":{name}" for name in row)
        connection.execute(text(f"INSERT INTO annotation_labels ({', '.join(row)}) VALUES ({old})"), row)
        connection.execute(text("DELETE FROM migrations WHERE number >= 6"))
    engine.dispose()
    with open_store(url(tmp_path)).connect() as connection:
        assert connection.execute(select(labels.c.translated)).scalars().all() == [False]


@pytest.mark.sqlite
def test_a_database_that_is_damaged_while_it_is_open_is_one_sentence(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    path = tmp_path / "workbench.db"
    with engine.begin() as connection:
        connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    engine.dispose()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with (
        pytest.raises(MissingError, match=r"cannot be used \(.*\): move the file away") as caught,
        engine.connect() as connection,
    ):
        connection.execute(select(t.experiments)).all()
    assert "\n" not in str(caught.value)
    assert problem(open_store(url(tmp_path / "sound"))) == ""


def zero_cells_of(path: Path, table: str) -> None:
    """Damages the first page of a table so that SQLite reads it as an empty one."""
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    content = bytearray(path.read_bytes())
    start = (page - 1) * size
    content[start : start + 8] = bytes([13, 0, 0, 0, 0, 0, 0, 0])
    path.write_bytes(content)


@pytest.mark.sqlite
def test_a_table_that_looks_empty_because_of_damage_is_noticed(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    with engine.begin() as connection:
        row = {"name": "Mine", "kind": "matrix", "spec": "x" * 9000, "created": 0.0, "cells": 1, "material": ""}
        connection.execute(insert(t.experiments).values(id="e", **row))
    engine.dispose()
    check_sound(open_store(url(tmp_path)))
    zero_cells_of(tmp_path / "workbench.db", "experiments")
    with pytest.raises(MissingError, match="cannot be used"):
        check_sound(open_store(url(tmp_path)))


@pytest.mark.sqlite
def test_a_name_that_is_no_utf8_is_damage(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    with (
        pytest.raises(MissingError, match="cannot be used"),
        engine.connect() as connection,
    ):
        connection.execute(text("SELECT CAST(x'ff41' AS TEXT) AS broken")).all()


@pytest.mark.sqlite
def test_a_schema_that_is_no_utf8_is_one_sentence(tmp_path: Path) -> None:
    open_store(url(tmp_path)).dispose()
    path = tmp_path / "workbench.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    assert content.count(b"CREATE TABLE experiments") == 1
    path.write_bytes(content.replace(b"CREATE TABLE experiments", b"CREATE TABLE \xff\x8bperiment("))
    with pytest.raises(MissingError, match="cannot be used"):
        open_store(url(tmp_path))


def test_a_database_that_did_not_record_corpora_gets_the_columns(tmp_path: Path) -> None:
    engine = open_store(url(tmp_path))
    with engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_steps_corpus"))
        connection.execute(text("ALTER TABLE steps DROP COLUMN corpus"))
        connection.execute(text("ALTER TABLE runs DROP COLUMN corpus_version"))
        connection.execute(text("INSERT INTO steps VALUES ('a', 'retrieve', 'x', 0)"))
        connection.execute(text("DELETE FROM migrations WHERE number >= 6"))
    engine.dispose()
    engine = open_store(url(tmp_path))
    with engine.connect() as connection:
        assert connection.execute(select(schema.steps.c.corpus)).scalars().all() == [None]
        assert connection.execute(select(t.runs.c.corpus_version)).scalars().all() == []
    assert "ix_steps_corpus" in {index["name"] for index in inspect(engine).get_indexes("steps")}
