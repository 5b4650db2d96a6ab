"""Datasets of the hub: rows under a mapping, and one sentence if they cannot be loaded."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.data.datasets.forms import jsonl, write
from tests.data.datasets.hub_of_rows import DATASET, Hub, directed, hub_of_rows
from workbench.core.errors import DataError, MissingError, UsageError
from workbench.data.datasets.formats.hub import host, read_hub
from workbench.data.datasets.formats.table import Columns

Serve = Callable[[Any], list[tuple[Any, ...]]]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Makes the library give rows, or raise an error; returns its calls."""

    def serve(outcome: Any) -> list[tuple[Any, ...]]:
        calls: list[tuple[Any, ...]] = []

        def load_dataset(name: str, config: str | None, *, split: str, streaming: bool) -> Iterator[Any]:
            calls.append((name, config, split, streaming))
            if isinstance(outcome, Exception):
                raise outcome
            return iter(outcome)

        hub = SimpleNamespace(dataset_info=lambda name, timeout: None)
        monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
        monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(HfApi=lambda: hub))
        return calls

    return serve


def test_rows_of_the_hub_are_read_as_a_table(serve: Serve) -> None:
    calls = serve([{"question": "Kuka?", "answers": {"text": ["Minä"], "answer_start": [0]}, "id": "a"}])
    columns = Columns(answers="answers", id="id")
    read = read_hub("maker/set", columns, config="fi", split="validation", languages=["fi"])
    assert calls == [("maker/set", "fi", "validation", True)]
    assert [(q.id, q.answers) for q in read.questions] == [("a", ("Minä",))]
    assert read.source == "Hugging Face hub: maker/set/fi/validation"


def test_a_wrong_column_is_reported_with_the_row(serve: Serve) -> None:
    serve([{"question": "Kuka?"}, {"text": "Missä?"}])
    with pytest.raises(DataError, match="maker/set/test, row 2 has no column “question”, only text"):
        read_hub("maker/set", Columns(), languages=["fi"])


@pytest.mark.parametrize(
    "error", [ConnectionError("no\nnetwork"), FileNotFoundError("no set"), ValueError("bad split"), [3]]
)
def test_a_failure_is_one_sentence_with_a_remedy(serve: Serve, error: Any) -> None:
    serve(error)
    with pytest.raises(MissingError, match=r"“maker/set” could not be loaded .*import that as a table") as caught:
        read_hub("maker/set", Columns(), languages=["fi"])
    assert "\n" not in str(caught.value)


def test_an_impossible_name_sends_no_request(serve: Serve) -> None:
    calls = serve([])
    with pytest.raises(UsageError, match="is not the name of a dataset on the hub"):
        read_hub("two words", Columns(), languages=["fi"])
    assert calls == []


# The real libraries, over a hub on this machine


ROWS = jsonl([{"question": "Kuka?", "answers": ["Minä"]}, {"question": "Missä?", "answers": ["Täällä"]}])


@pytest.fixture
def loopback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub_of_rows({"test.jsonl": ROWS}) as running:
        directed(monkeypatch, running.url, tmp_path / "cache")
        yield running


def test_a_dataset_is_read_over_http(loopback: Hub) -> None:
    read = read_hub(DATASET, Columns(answers="answers"), languages=["fi"])
    assert [(q.text, q.answers) for q in read.questions] == [("Kuka?", ("Minä",)), ("Missä?", ("Täällä",))]
    assert any(path.endswith("/test.jsonl") for path in loopback.requests)


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("maker/other", {}, "404"),
        (DATASET, {"split": "dev"}, "Bad split: dev"),
        (DATASET, {"config": "de"}, "'de' not found"),
        ("../maker/set", {}, "Repo id must"),
    ],
)
def test_the_reason_is_the_hubs(loopback: Hub, name: str, changes: dict[str, str], reason: str) -> None:
    with pytest.raises(MissingError, match=reason) as caught:
        read_hub(name, Columns(), languages=["fi"], **changes)
    assert "could not be loaded" in str(caught.value)


def test_an_unreachable_hub_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        directed(monkeypatch, f"http://127.0.0.1:{free.getsockname()[1]}", tmp_path)
        with pytest.raises(MissingError, match="“maker/set” could not be loaded from the Hugging Face hub"):
            read_hub(DATASET, Columns(), languages=["fi"])


def test_a_local_folder_is_never_read_instead_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Hub
) -> None:
    write(tmp_path, f"{DATASET}/test.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is also a folder on this machine"):
        read_hub(DATASET, Columns(), languages=["fi"])
    assert loopback.requests == []


def test_the_host_is_the_hub_or_its_mirror(loopback: Hub) -> None:
    assert f"http://{host()}" == loopback.url
