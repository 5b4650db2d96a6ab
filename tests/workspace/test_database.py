"""The workspace's database: opened, created, and shared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, insert, inspect, select, text

from tests.databases import database_url
from tests.processes import FORKED
from workbench.core.errors import MissingError, UsageError, WorkbenchError
from workbench.workspace import database, result_tables as t
from workbench.workspace.database import VERSION, alone, check_sound, open_store, problem, writing
from workbench.workspace.tables import metadata, schema_version, steps

pytestmark = pytest.mark.usefixtures("files_that_begin_empty")


def url(folder: Path) -> str:
    return database_url(folder / "workbench.db")


def test_a_new_database_gets_every_table_once_and_its_version(tmp_path: Path) -> None:
    open_store(url(tmp_path)).dispose()
    engine = open_store(url(tmp_path))
    assert set(inspect(engine).get_table_names()) == set(metadata.tables)
    with engine.connect() as connection:
        assert connection.execute(select(schema_version.c.number)).scalars().all() == [VERSION]


@pytest.mark.sqlite
def test_the_folder_is_created(tmp_path: Path) -> None:
    open_store(url(tmp_path / "deep" / "home"))
    assert (tmp_path / "deep" / "home" / "workbench.db").exists()


@pytest.mark.sqlite
def test_sqlite_is_opened_in_wal_mode_with_patience(tmp_path: Path) -> None:
    with open_store(url(tmp_path)).connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("PRAGMA busy_timeout")).scalar_one() == 60_000


@pytest.mark.parametrize(
    "driver", ["postgresql", "postgresql+psycopg2", "postgresql+asyncpg", "postgresql+psycopg_async"]
)
def test_another_driver_of_postgresql_is_refused_in_one_sentence(driver: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_store(f"{driver}://me:secret@host/workbench")
    assert f"begins with {driver}://" in str(caught.value) and "secret" not in str(caught.value)
    assert str(caught.value).endswith("Begin it with postgresql+psycopg://")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    {
        "another number": ("UPDATE schema_version SET number = 99", "are of version 99, and"),
        "no number": ("DELETE FROM schema_version", "are of a version without a number, and"),
        "no table of it": ("DROP TABLE schema_version", "are of a version without a number, and"),
    }.values(),
)
def test_a_database_of_another_version_is_refused_in_one_sentence(
    statement: str, sentence: str, tmp_path: Path
) -> None:
    engine = open_store(url(tmp_path))
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
    with pytest.raises(MissingError, match=rf"{sentence} this workbench uses version {VERSION}: open it with"):
        open_store(url(tmp_path))


def test_tables_of_others_in_the_database_are_left_alone(tmp_path: Path) -> None:
    with create_engine(url(tmp_path)).begin() as connection:
        connection.execute(text("CREATE TABLE theirs (number INTEGER)"))
    assert "theirs" in inspect(open_store(url(tmp_path))).get_table_names()


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


def test_a_schema_that_fails_half_way_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("the light went out")

    with monkeypatch.context() as patch:
        patch.setattr(database, "insert", fails)
        with pytest.raises(RuntimeError):
            open_store(url(tmp_path))
    assert inspect(create_engine(url(tmp_path))).get_table_names() == []
    assert "steps" in inspect(open_store(url(tmp_path))).get_table_names()


def _open(address: str) -> str:
    try:
        open_store(address).dispose()
    except Exception as error:
        return repr(error)
    return ""


def test_processes_that_open_a_new_database_at_once_all_succeed(tmp_path: Path) -> None:
    with FORKED.Pool(3) as pool:
        for round_ in range(3):
            folder = tmp_path / str(round_)
            folder.mkdir()
            assert pool.map(_open, [url(folder)] * 3, chunksize=1) == [""] * 3


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


def _count_up(address: str) -> None:
    engine = open_store(address)
    for _ in range(50):
        with writing(engine) as connection:
            count = connection.execute(select(func.count()).select_from(steps)).scalar_one()
            connection.execute(insert(steps).values(key=str(count), stage="retrieve", output=b"", made=0, corpus=""))
        with engine.connect() as connection:
            assert connection.execute(select(func.count()).select_from(steps)).scalar_one() > count


@pytest.mark.sqlite
def test_two_processes_that_read_before_they_write_wait_for_each_other(tmp_path: Path) -> None:
    with FORKED.Pool(2) as pool:
        pool.map(_count_up, [url(tmp_path)] * 2, chunksize=1)
    with open_store(url(tmp_path)).connect() as connection:
        assert connection.execute(select(func.count()).select_from(steps)).scalar_one() == 100


@pytest.mark.sqlite
def test_a_lock_that_is_not_released_is_told_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_MS", 50)
    engine = open_store(url(tmp_path))
    failure = pytest.raises(MissingError, match=r"Another process has been writing .*: see on Home .* Then try again")
    with alone(engine), failure, writing(engine):
        pass


def test_whoever_writes_begins_by_waiting_for_the_turn() -> None:
    files = Path(database.__file__).parents[1].rglob("*.py")
    assert [file.name for file in files if "engine.begin()" in file.read_text(encoding="utf-8")] == []


@pytest.mark.sqlite
def test_a_schema_whose_names_are_no_text_is_refused_in_one_sentence(tmp_path: Path) -> None:
    open_store(url(tmp_path)).dispose()
    with sqlite3.connect(tmp_path / "workbench.db") as connection:
        connection.execute("PRAGMA writable_schema=1")
        connection.execute("UPDATE sqlite_master SET name = CAST(X'FF20' AS TEXT), sql = 'no' WHERE name = 'steps'")
    connection.close()
    with pytest.raises(MissingError, match=r"cannot be used \(malformed database schema\)") as caught:
        open_store(url(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.sqlite
def test_a_file_that_another_program_keeps_to_itself_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_MS", 30)
    other = sqlite3.connect(tmp_path / "workbench.db", isolation_level=None)
    other.execute("CREATE TABLE theirs (number INTEGER)")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(MissingError, match="Another process has been writing to the database"):
        open_store(url(tmp_path))
    other.execute("COMMIT")
    other.close()
    assert "steps" in inspect(open_store(url(tmp_path))).get_table_names()
