"""Datasets of the hub: rows under a mapping, and one sentence where they cannot be had."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.datasets.hub import read_hub
from workbench.datasets.table import Columns
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
