"""PostgreSQL, on a real server: tables created in turn and killed, writers at once, and a workspace moved to it.

All other tests of the database run on it with `pytest --postgres`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, inspect, update
from typer.testing import CliRunner

from tests.annotation.material import SINGLE, add_answers, complete_all
from tests.databases import PostgresServer, postgres_programs
from tests.processes import FORKED
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue_store import QueueStore
from workbench.cli.command_line import app
from workbench.core.errors import MissingError, UsageError
from workbench.experiments.results.result_store import ResultStore
from workbench.jobs.question_generation.draft_store import WritingRequest
from workbench.jobs.question_generation.question_writing import WritingJobs
from workbench.jobs.set_writing import WritingParameters
from workbench.workspace import database, settings
from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.accounts.audit import AuditLog
from workbench.workspace.accounts.sign_in import Sessions
from workbench.workspace.annotation_tables import labels, queues
from workbench.workspace.cache import StepCache
from workbench.workspace.database import alone, move_database, open_store, row_counts
from workbench.workspace.permissions import Actor, Role, acting_as
from workbench.workspace.result_tables import answer_totals, answers
from workbench.workspace.tables import metadata

PROGRAMS = postgres_programs()
pytestmark = pytest.mark.skipif(PROGRAMS is None, reason="needs a PostgreSQL server, such as Debian's postgresql")

KILLED = """
import os, signal, sys
from sqlalchemy import event
from workbench.workspace.tables import metadata
from workbench.workspace.database import open_store

def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

table = list(metadata.sorted_tables)[int(sys.argv[2])]
event.listen(table, "before_create", killed)
open_store(sys.argv[1])
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    assert PROGRAMS is not None
    running = PostgresServer.start(PROGRAMS)
    yield running
    running.stop()


@pytest.fixture
def address(server: PostgresServer) -> str:
    """The address of a new, empty database."""
    return server.url(f"w{uuid4().hex[:16]}")


@pytest.fixture
def filled(tmp_path: Path) -> ResultStore:
    """A SQLite database with answers, a queue, labels and cached steps."""
    store = ResultStore.at(f"sqlite:///{tmp_path / 'workbench.db'}")
    runs = add_answers(store, questions=2)
    queue = QueueStore(store).create("Lights", SINGLE, runs, per_language=1, seed=1)
    complete_all(QueueStore(store), LabelStore(store), queue, "Ada")
    StepCache(store.engine).put("retrieve", {"a": b"\x00\xff", "b": b"two"}, "sample")
    return store


def _open(address: str) -> None:
    open_store(address).dispose()


def _put(address: str, mark: str) -> None:
    cache = StepCache(open_store(address))
    for number in range(100):
        cache.put("retrieve", {f"shared{number}": b"same", f"{mark}{number}": mark.encode()})


def test_processes_that_open_a_new_database_at_once_take_turns(address: str) -> None:
    with FORKED.Pool(3) as pool:
        pool.map(_open, [address] * 3, chunksize=1)
    assert set(inspect(open_store(address)).get_table_names()) == set(metadata.tables)


@pytest.mark.parametrize("place", [0, 3, -1])
def test_a_process_killed_as_it_creates_the_tables_leaves_none(address: str, place: int) -> None:
    finished = subprocess.run([sys.executable, "-c", KILLED, address, str(place)], timeout=120, check=False)
    assert finished.returncode == -signal.SIGKILL
    assert inspect(create_engine(address)).get_table_names() == []
    engine = open_store(address)
    assert set(inspect(engine).get_table_names()) == set(metadata.tables)
    assert sum(row_counts(engine).values()) == 0


def test_no_text_is_too_long_as_none_is_on_sqlite(address: str) -> None:
    database = inspect(open_store(address))
    kinds = {str(column["type"]) for table in database.get_table_names() for column in database.get_columns(table)}
    assert "TEXT" in kinds and not [kind for kind in kinds if kind.startswith("VARCHAR")]


def test_two_writers_lose_nothing(address: str) -> None:
    with FORKED.Pool(2) as pool:
        pool.starmap(_put, [(address, "x"), (address, "y")], chunksize=1)
    cache = StepCache(open_store(address))
    assert cache.count() == 300
    assert cache.get(["shared7", "x99", "y99"]) == {"shared7": b"same", "x99": b"x", "y99": b"y"}


def test_a_moved_database_has_every_row_and_goes_on(filled: ResultStore, address: str) -> None:
    target = open_store(address)
    counts = move_database(filled.engine, target)
    assert counts == row_counts(filled.engine) == row_counts(target)
    assert counts["answers"] == 26 and counts[labels.name] > 0
    moved = ResultStore.at(address)
    (before,), (after,) = filled.experiments(), moved.experiments()
    assert list(moved.of(after.id).all_instances()) == list(filled.of(before.id).all_instances())
    assert StepCache(target).get(["a", "b"]) == {"a": b"\x00\xff", "b": b"two"}
    # Numbers of new rows begin after the copied ones.
    queue = QueueStore(moved).create(
        "More", SINGLE, [run.id for run in moved.of(after.id).runs()], per_language=1, seed=2
    )
    assert complete_all(QueueStore(moved), LabelStore(moved), queue, "Ada") == 13


def test_a_database_with_rows_is_not_moved_to(filled: ResultStore, address: str) -> None:
    target = open_store(address)
    StepCache(target).put("retrieve", {"mine": b"1"})
    with pytest.raises(UsageError, match="has rows already, in: steps"):
        move_database(filled.engine, target)
    assert sum(row_counts(target).values()) == 1


def test_a_text_that_postgres_cannot_hold_is_moved_with_a_replacement(filled: ResultStore, address: str) -> None:
    with filled.engine.begin() as connection:
        connection.execute(update(answers).values(text="a\x00b"))
    move_database(filled.engine, open_store(address))
    (experiment,) = ResultStore.at(address).experiments()
    assert {item.output for item in ResultStore.at(address).of(experiment.id).all_instances()} == {"a\ufffdb"}


def test_one_command_moves_a_workspace(
    filled: ResultStore, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", f"sqlite:///{tmp_path / 'workbench.db'}")
    result = CliRunner().invoke(app, ["database", "move", address, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == row_counts(filled.engine)
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", address)
    shown = CliRunner().invoke(app, ["database", "show"])
    assert "steps\t2" in shown.stdout and shown.stdout.startswith("postgresql")


def test_a_workspace_is_not_moved_while_questions_are_written(
    filled: ResultStore, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", f"sqlite:///{tmp_path / 'workbench.db'}")
    parameters = WritingParameters("mine", WritingRequest("sample", "a model", "extractive"))
    with WritingJobs(settings.load()).undisturbed("writing") as claim:
        claim.record("running", parameters, title="mine")
        result = CliRunner().invoke(app, ["database", "move", address])
    assert isinstance(result.exception, UsageError) and "A job is running (“mine”)" in str(result.exception)
    assert sum(row_counts(open_store(address)).values()) == 0


def test_a_server_that_is_gone_is_one_sentence_and_work_goes_on_when_it_is_back(tmp_path: Path) -> None:
    assert PROGRAMS is not None
    server = PostgresServer.start(PROGRAMS)
    try:
        store = StepCache(open_store(server.url("gone")))
        store.put("retrieve", {"a": b"1"})
        server.crash()
        with pytest.raises(MissingError, match=r"cannot be used .*: see that its server runs and can be reached"):
            store.get(["a"])
        server.restart()
        assert store.get(["a"]) == {"a": b"1"}
    finally:
        server.stop()


def test_a_lock_that_is_not_released_is_one_sentence(address: str) -> None:
    engine = open_store(address)
    with (
        alone(engine),
        pytest.raises(MissingError, match="lock timeout"),
    ):
        open_store(f"{address}&options=-c%20lock_timeout%3D200")


def test_a_process_without_a_connection_to_spare_says_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SPARE_SECONDS", 0.1)
    engine = open_store(address)
    with ExitStack() as busy:
        for _ in range(15):
            busy.enter_context(engine.connect())
        with pytest.raises(MissingError, match="no connection to spare"):
            engine.connect()


def test_who_uses_a_session_and_the_audit_do_not_wait_for_who_writes_alone(address: str) -> None:
    engine = open_store(address)
    ada = Accounts(engine).create("Ada", Role.ADMIN, password="five words that stay secret")
    later = Sessions(engine, clock=lambda: time.time() + 3_600)
    with acting_as(Actor("Ada", Role.ADMIN)):
        token = Sessions(engine).begin(ada)
        with alone(engine):
            later.touch(token)
            AuditLog(engine).append("Ada", "queues.create", "Lights", "screen")
            Sessions(engine).end(token)
        assert AuditLog(engine).count() > 0


def test_totals_pass_two_billion_and_a_runs_scores_have_an_index(filled: ResultStore, address: str) -> None:
    with filled.engine.begin() as connection:
        connection.execute(update(answer_totals).values(prompt_tokens=3_000_000_000))
    target = open_store(address)
    move_database(filled.engine, target)
    assert "scores_by_run" in {index["name"] for index in inspect(target).get_indexes("scores")}


def test_a_number_that_postgres_cannot_hold_moves_nothing(filled: ResultStore, address: str) -> None:
    with filled.engine.begin() as connection:
        connection.execute(update(queues).values(seed=2**40))
    target = open_store(address)
    with pytest.raises(UsageError, match="annotation_queues has a value that the other database cannot hold"):
        move_database(filled.engine, target)
    assert sum(row_counts(target).values()) == 0


def test_a_move_back_copies_one_moment(filled: ResultStore, address: str, tmp_path: Path) -> None:
    served = open_store(address)
    move_database(filled.engine, served)
    target = open_store(f"sqlite:///{tmp_path / 'back.db'}")
    cache = StepCache(served)

    def write_meanwhile(table: str, _rows: int) -> None:
        if table == "experiments":
            cache.put("retrieve", {"meanwhile": b"1"})

    before = row_counts(served)
    assert move_database(served, target, write_meanwhile) == before
    assert cache.count() == before["steps"] + 1
