"""The command line of a store: pushing, returning, and where a corpus is searched, also in doctor and on Data."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal, refused, terminal
from tests.data.corpora.test_changes import BASE, document
from workbench.app.workbench import Workbench
from workbench.data.corpora.corpus import LEFT, STORE
from workbench.jobs.indexing.store_push import push
from workbench.ui.data import data_view
from workbench.workspace import settings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    bench = Workbench(settings.load(tmp_path / "workspace"))
    bench.library.add("mine", BASE, source="s", licence="l")
    return bench.settings.home


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(home, capsys, monkeypatch)


def check(run: Terminal, name: str) -> Any:
    return next((item for item in run("doctor", "--json").json if item["name"] == name), None)


def test_a_corpus_is_pushed_shown_searched_and_returned(run: Terminal, lite: str) -> None:
    ask = ("ask", "winter ferry", "--lang", "en", "--corpus", "mine", "--encoder", "builtin", "--json")
    pushed = run("corpora", "index", "mine", "--store", lite)
    assert pushed.code == 0, pushed.err
    assert "pushing words (BM25) 24/24" in pushed.err
    assert f"The corpus “mine” is searched in {lite}: 2 indexes, 48 rows." in pushed.err
    assert f"searched in {lite}" in run("corpora", "show", "mine").out
    assert run("corpora", "show", "mine", "--json").json["store"] == {
        "address": lite,
        "pushed": ["words (BM25)", "built-in encoder"],
        "behind": [],
    }
    answer = run(*ask).json
    assert answer["passages"] and not any(step["cached"] for step in answer["steps"] if step["name"] == "retrieve")
    refused(run("corpora", "index", "mine", "--store", "files"), f"searched in {lite}: its 2 collections", "add --yes")
    returned = run("corpora", "index", "mine", "--store", "files", "--yes")
    assert returned.code == 0 and "The corpus “mine” is searched in its files." in returned.err
    assert "store" not in run("corpora", "show", "mine", "--json").json
    again = run(*ask).json
    assert again["passages"] == answer["passages"] and all(
        step["cached"] for step in again["steps"] if step["name"] == "retrieve"
    )


def test_a_change_reports_what_is_not_pushed_with_the_command(run: Terminal, home: Path, lite: str) -> None:
    run("corpora", "index", "mine", "--store", lite)
    command = f"python -m workbench corpora index mine --store {lite}"
    removed = run("corpora", "remove", "mine", "doc1")
    assert f"The corpus “mine” is searched in its files, not yet in {lite}. Push it: {command}" in removed.err
    state = check(run, "store of mine")
    assert not state["ready"] and state["remedy"] == command
    assert run("corpora", "index", "mine", "--store", lite).code == 0
    assert check(run, "store of mine")["ready"]
    (home / "new.txt").write_text(document("new", 1)[0].text)
    assert command in run("corpora", "add", "mine", home / "new.txt", "--lang", "en").err


def test_an_encoder_that_is_indexed_later_is_behind_until_it_is_pushed(run: Terminal, lite: str) -> None:
    run("corpora", "index", "mine", "--store", lite)
    indexed = run("corpora", "index", "mine", "--encoder", "e5-small")
    assert f"is searched in {lite}; not pushed yet, so searched in its files: e5-small. Push it: " in indexed.err
    pushed = run("corpora", "index", "mine", "--store", lite)
    assert "3 indexes, 72 rows" in pushed.err
    assert check(run, "store of mine")["ready"]


def test_an_address_that_is_none_and_an_unreachable_one_are_one_sentence(run: Terminal) -> None:
    refused(run("corpora", "index", "mine", "--store", "postgres://x"), "is not the address of a Milvus", "Allowed: ")
    result = run("corpora", "index", "mine", "--store", "milvus://127.0.0.1:1")
    assert result.code == 1
    assert result.err.splitlines()[-1] == (
        "Error: Milvus at milvus://127.0.0.1:1 cannot be reached: start it, or correct its address."
    )
    assert "store" not in run("corpora", "show", "mine", "--json").json


def test_doctor_names_missing_packages_damaged_files_and_collections_that_are_left(
    run: Terminal, home: Path, lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(Workbench(settings.load(home)), "mine", lite, lambda *_: None)
    (home / "corpora" / LEFT).write_text(json.dumps([["milvus://127.0.0.1:1", "mrag_x"]]))
    assert "1 collection could not be deleted at milvus://127.0.0.1:1" in check(run, "collections in Milvus")["state"]
    find = importlib.util.find_spec
    with monkeypatch.context() as patch:
        patch.setattr(importlib.util, "find_spec", lambda name: None if name == "pymilvus" else find(name))
        assert check(run, "store of mine")["remedy"] == "pip install -r requirements-scale.txt"
    (home / "corpora" / "mine" / STORE).write_text("{")
    assert "is damaged" in check(run, "store of mine")["state"]
    assert Workbench(settings.load(home)).stores() == {}


def test_the_data_screen_shows_where_a_corpus_is_searched(home: Path, lite: str) -> None:
    bench = Workbench(settings.load(home))
    manifests = bench.library.list()
    assert "Store" not in data_view.corpora_frame(manifests, {})
    push(bench, "mine", lite, lambda *_: None)
    stores = {name: state.words for name, state in bench.stores().items()}
    frame = data_view.corpora_frame(manifests, {}, stores=stores)
    assert f"searched in {lite}" in dict(zip(frame["Corpus"], frame["Store"], strict=True))["mine"]
