"""Nothing ends in a traceback: an invalid character, or an unexpected error, is a sentence with a place to look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused
from workbench.cli import last_resort


@pytest.mark.parametrize("words", [("ask", "Who?", "--lang", "\udcff"), ("recipes", "show", "a\udc80")])
def test_half_a_character_in_an_argument_is_echoed_as_its_number(run: Terminal, words: tuple[str, ...]) -> None:
    result = run(*words)
    refused(result, "Unknown", "\\udc")


@pytest.mark.parametrize("words", [("runs", "show", "\ud800"), ("runs", "stop", "\udcff")])
def test_half_a_character_that_reaches_the_database_is_a_sentence(run: Terminal, words: tuple[str, ...]) -> None:
    refused(run(*words), "an invalid character")


class PanicException(BaseException):
    """What a compiled package raises: not an Exception."""


@pytest.mark.parametrize("kind", [KeyError, RecursionError, PanicException, AssertionError])
def test_an_unexpected_error_is_one_sentence_and_its_details_are_in_the_workspace(
    run: Terminal, home: Path, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    def fail(*_: object) -> None:
        raise kind("nobody thought of this: \udcff")

    monkeypatch.setattr("workbench.cli.corpora.open_workbench", fail)
    result = run("corpora", "list")
    refused(result, f"An unexpected {kind.__name__} occurred", str(home / "errors.log"), code=1)
    log = (home / "errors.log").read_text(encoding="utf-8")
    assert "Traceback (most recent call last)" in log and "nobody thought of this" in log


def test_no_memory_is_a_sentence(run: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("workbench.cli.corpora.open_workbench", fail)
    refused(run("corpora", "list"), "memory of this machine is not enough", code=1)


def test_a_log_that_cannot_be_written_hides_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file" / "tmp"))
    sentence = last_resort.sentence(KeyError("x"))
    assert sentence == "An unexpected KeyError occurred: 'x'. The details could not be written; finished work is kept."


def test_the_log_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setattr(last_resort, "SIZE_LIMIT", 1_000)
    for _ in range(50):
        last_resort.sentence(KeyError("x" * 200))
    assert (tmp_path / "errors.log").stat().st_size < 2_000
