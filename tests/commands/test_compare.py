"""`runs compare`: who beats whom, in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.terminal import Terminal, terminal
from tests.screens.results import add_results
from workbench import settings
from workbench.workspace.workbench import Workbench


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(home, capsys, monkeypatch)


@pytest.fixture
def identity(run: Terminal) -> str:
    return add_results(Workbench(settings.load()))


def test_every_other_run_is_compared_with_the_best(run: Terminal, identity: str) -> None:
    told = run("runs", "compare", identity, "--metric", "char3_recall", "--json").json
    assert told["first"] == "crossrag run"
    (found,) = told["differences"]
    assert (found["run"], found["mean"], found["n"], found["left_out"]) == ("multirag run", -0.5, 1, 1)


def test_a_second_run_is_compared_in_each_language(run: Terminal, identity: str) -> None:
    words = ("--metric", "char3_recall", "--first", "MultiRAG", "--second", "crossrag")
    told = run("runs", "compare", identity, *words, "--json").json
    assert (told["first"], told["second"]) == ("multirag run", "crossrag run")
    assert [(item["language"], item["n"]) for item in told["differences"]] == [("all", 1), ("en", 1), ("fi", 0)]
    lines = run("runs", "compare", identity, *words).out.splitlines()
    assert lines[0] == "char3_recall: crossrag run minus multirag run"
    assert "not told apart" in lines[1] and lines[3].startswith("nothing to compare")


def test_the_best_run_is_compared_with_the_next(run: Terminal, identity: str) -> None:
    told = run("runs", "compare", identity, "--metric", "char3_recall", "--second", "crossrag", "--json").json
    assert (told["first"], told["second"]) == ("multirag run", "crossrag run")


def test_modes_are_compared_over_the_runs_that_differ_in_nothing_else(run: Terminal, identity: str) -> None:
    told = run("runs", "compare", identity, "--metric", "char3_recall", "--what", "mode", "--json").json
    assert (told["first"], [item["mode"] for item in told["differences"]]) == ("crossrag", ["multirag"])


def test_runs_of_two_experiments_can_be_compared(run: Terminal, identity: str) -> None:
    other = add_results(Workbench(settings.load()), name="Other", modes=("trag", "drag"))
    told = run("runs", "compare", identity, other, "--metric", "char3_recall", "--json").json
    assert len(told["differences"]) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--metric", "clr", "--what", "colour"), "Unknown comparison “colour”."),
        (("--metric", "clr", "--what", "scope"), "Nothing can be compared with “all”."),
        (("--metric", "rouge_9"), "Unknown metric “rouge_9”. Allowed: char3_recall, clr."),
        (("--metric", "clr", "--first", "run"), "Several have “run” in the title."),
        (("--metric", "clr", "--first", "rag"), "None has “rag” in the title."),
        (("--metric", "clr", "--first", "multirag", "--second", "multirag"), "or are the same."),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_sentence(
    words: tuple[str, ...], sentence: str, run: Terminal, identity: str
) -> None:
    done = run("runs", "compare", identity, *words)
    assert done.code == 2
    assert sentence in done.err
