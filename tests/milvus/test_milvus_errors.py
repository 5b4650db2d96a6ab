"""What goes wrong with a Milvus is one sentence with what to type; the server is that of Milvus Lite, behind a gate."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.milvus.milvus_server import TOKEN, Gate, server
from workbench.core.errors import DataError, MissingError
from workbench.retrieval.milvus.collection import MilvusCollection, MilvusHit
from workbench.retrieval.milvus.connection import TOKEN_VARIABLE, MilvusAddress, MilvusUnreachable

REMEDY = "Push it again: python -m workbench corpora index mine --store milvus://host:1"
VECTOR = [1.0, 0.0]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Gate]]:
    with server(tmp_path_factory.mktemp("server") / "data") as address_and_gate:
        yield address_and_gate


@pytest.fixture
def gate(running: tuple[str, Gate]) -> Iterator[Gate]:
    yield running[1]
    running[1].needs_token, running[1].slow = False, ""


@pytest.fixture(scope="module")
def collection(running: tuple[str, Gate]) -> MilvusCollection:
    full = MilvusCollection(MilvusAddress.of(running[0]), "mrag_full", remedy=REMEDY)
    full.create(2)
    full.put([("en", 1, VECTOR), ("fi", 2, [0.5, 0.0])])
    assert full.finish() == 2
    return full


def test_a_server_is_searched_within_the_scope(collection: MilvusCollection) -> None:
    assert collection.search([VECTOR], ["en"], 5) == [[MilvusHit(1, "en", 1.0)]]
    assert collection.search([VECTOR], ["fi", "en"], 5) == [[MilvusHit(1, "en", 1.0), MilvusHit(2, "fi", 0.5)]]


def test_an_unreachable_host(tmp_path: Path) -> None:
    nowhere = MilvusCollection(MilvusAddress.of("milvus://127.0.0.1:1"), "mrag_x")
    with pytest.raises(MilvusUnreachable, match=r"milvus://127\.0\.0\.1:1 cannot be reached: start it, or correct its"):
        nowhere.search([VECTOR], ["en"], 5)


def test_a_wrong_token_and_a_right_one(running: tuple[str, Gate], gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    gate.needs_token = True
    anew = MilvusAddress.of(running[0].replace("127.0.0.1", "localhost"))
    monkeypatch.setenv(TOKEN_VARIABLE, "root:another")
    with pytest.raises(MilvusUnreachable, match="refuses access: the token") as caught:
        MilvusCollection(anew, "mrag_full").search([VECTOR], ["en"], 5)
    assert f"export {TOKEN_VARIABLE}=" in str(caught.value) and "another" not in str(caught.value)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert MilvusCollection(anew, "mrag_full").search([VECTOR], ["en"], 5) == [[MilvusHit(1, "en", 1.0)]]


def test_an_answer_that_does_not_come_in_time(
    collection: MilvusCollection, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.retrieval.milvus.collection.SEARCH_SECONDS", 0.2)
    gate.slow = "Search"
    with pytest.raises(MilvusUnreachable, match="did not answer in time"):
        collection.search([VECTOR], ["en"], 5)


def test_a_collection_that_is_gone(running: tuple[str, Gate]) -> None:
    gone = MilvusCollection(MilvusAddress.of(running[0]), "mrag_gone", remedy=REMEDY)
    with pytest.raises(MissingError, match=r"has no collection mrag_gone any more\. Push it again: python"):
        gone.search([VECTOR], ["en"], 5)


def test_vectors_of_another_length(collection: MilvusCollection) -> None:
    with pytest.raises(DataError, match=r"another length than the encoder's\. Push it again: python"):
        collection.search([[1.0, 0.0, 0.0]], ["en"], 5)


def test_a_database_that_does_not_exist(running: tuple[str, Gate]) -> None:
    with pytest.raises(MissingError, match="does not have this database: create it there, or name another one"):
        MilvusCollection(MilvusAddress.of(f"{running[0]}/nowhere"), "mrag_x").create(2)


def test_packages_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(MissingError, match=r"pip install -r requirements-scale\.txt"):
        MilvusCollection(MilvusAddress.of("milvus://127.0.0.1:2"), "mrag_x").search([VECTOR], ["en"], 5)


def test_a_lite_file_that_another_process_uses(tmp_path: Path) -> None:
    file = tmp_path / "busy.db"
    file.mkdir()
    holder = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print('locked', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(file / "LOCK")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline()
        with pytest.raises(MilvusUnreachable, match="is in use by another process: a file serves one at a time"):
            MilvusCollection(MilvusAddress.of(f"milvus://{file}"), "mrag_x").search([VECTOR], ["en"], 5)
        process.kill()


def test_a_file_that_is_no_milvus_lite_file(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("SQLite format 3")
    with pytest.raises(MilvusUnreachable, match="is not a Milvus Lite file of this version"):
        MilvusCollection(MilvusAddress.of(f"milvus://{tmp_path}/x.db"), "mrag_x").search([VECTOR], ["en"], 5)
