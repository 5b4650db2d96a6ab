"""Datasets of the hub: rows under a mapping, and one sentence where they cannot be had."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.datasets.forms import jsonl, write
from tests.datasets.hub_of_rows import DATASET, Hub, directed, hub_of_rows
from workbench.datasets.formats.hub import host, read_hub
from workbench.datasets.formats.table import Columns
from workbench.errors import DataError, MissingError, UsageError

Serve = Callable[[Any], list[tuple[Any, ...]]]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Makes the library give rows, or raise an error; returns what it was asked for."""

    def serve(given: Any) -> list[tuple[Any, ...]]:
        asked: list[tuple[Any, ...]] = []

        def load_dataset(name: str, config: str | None, *, split: str, streaming: bool) -> Iterator[Any]:
            asked.append((name, config, split, streaming))
            if isinstance(given, Exception):
                raise given
            return iter(given)

        hub = SimpleNamespace(dataset_info=lambda name, timeout: None)
        monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
        monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(HfApi=lambda: hub))
        return asked

    return serve


def test_rows_of_the_hub_are_read_as_a_table(serve: Serve) -> None:
    asked = serve([{"question": "Kuka?", "answers": {"text": ["Minä"], "answer_start": [0]}, "id": "a"}])
    columns = Columns(answers="answers", id="id")
    read = read_hub("maker/set", columns, config="fi", split="validation", code="fi")
    assert asked == [("maker/set", "fi", "validation", True)]
    assert [(q.id, q.answers) for q in read.questions] == [("a", ("Minä",))]
    assert read.source == "Hugging Face hub: maker/set/fi/validation"


def test_a_wrong_column_is_said_with_the_row(serve: Serve) -> None:
    serve([{"question": "Kuka?"}, {"text": "Missä?"}])
    with pytest.raises(DataError, match="maker/set/test, row 2 has no column “question” but text"):
        read_hub("maker/set", Columns(), code="fi")


@pytest.mark.parametrize(
    "error", [ConnectionError("no\nnetwork"), FileNotFoundError("no set"), ValueError("bad split"), [3]]
)
def test_what_cannot_be_had_is_one_sentence_with_a_way_on(serve: Serve, error: Any) -> None:
    serve(error)
    with pytest.raises(MissingError, match=r"“maker/set” could not be had .*type: import table FILE") as caught:
        read_hub("maker/set", Columns(), code="fi")
    assert "\n" not in str(caught.value)


def test_a_name_that_is_none_asks_nobody(serve: Serve) -> None:
    asked = serve([])
    with pytest.raises(UsageError, match="names no dataset of the hub"):
        read_hub("two words", Columns(), code="fi")
    assert asked == []


# The real libraries, over a hub on this machine


ROWS = jsonl([{"question": "Kuka?", "answers": ["Minä"]}, {"question": "Missä?", "answers": ["Täällä"]}])


@pytest.fixture
def loopback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_of_rows({"test.jsonl": ROWS}) as running:
        directed(monkeypatch, running.url, tmp_path / "cache")
        yield running


def test_a_dataset_comes_over_the_wire(loopback: Hub) -> None:
    read = read_hub(DATASET, Columns(answers="answers"), code="fi")
    assert [(q.text, q.answers) for q in read.questions] == [("Kuka?", ("Minä",)), ("Missä?", ("Täällä",))]
    assert any(path.endswith("/test.jsonl") for path in loopback.asked)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("maker/other", {}, "404"),
        (DATASET, {"split": "dev"}, "Bad split: dev"),
        (DATASET, {"config": "de"}, "'de' not found"),
        ("../maker/set", {}, "Repo id must"),
    ],
)
def test_what_the_hub_does_not_have_is_said_by_the_hub(
    loopback: Hub, name: str, changes: dict[str, str], said: str
) -> None:
    with pytest.raises(MissingError, match=said) as caught:
        read_hub(name, Columns(), code="fi", **changes)
    assert "could not be had" in str(caught.value)


def test_a_hub_that_nobody_answers_for_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        directed(monkeypatch, f"http://127.0.0.1:{free.getsockname()[1]}", tmp_path)
        with pytest.raises(MissingError, match="“maker/set” could not be had from the Hugging Face hub"):
            read_hub(DATASET, Columns(), code="fi")


def test_a_folder_of_this_machine_is_never_read_in_the_hubs_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Hub
) -> None:
    write(tmp_path, f"{DATASET}/test.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is a folder of this machine"):
        read_hub(DATASET, Columns(), code="fi")
    assert loopback.asked == []


def test_the_host_is_the_hubs_or_its_mirrors(loopback: Hub) -> None:
    assert f"http://{host()}" == loopback.url
