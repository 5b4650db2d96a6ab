"""`runs compare`: who beats whom, in a terminal."""

from __future__ import annotations

import pytest

from tests.annotation.labelled import add_scored, noisy
from tests.cli.terminal import Terminal
from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings


@pytest.fixture
def experiment_id(run: Terminal) -> str:
    return add_results(Workbench(settings.load()))


def test_every_other_run_is_compared_with_the_best(run: Terminal, experiment_id: str) -> None:
    result = run("runs", "compare", experiment_id, "--metric", "char3_recall", "--json").json
    assert result["first"] == "crossrag run"
    (difference,) = result["differences"]
    assert (difference["run"], difference["mean"], difference["n"], difference["left_out"]) == (
        "multirag run",
        -0.5,
        1,
        1,
    )


def test_a_second_run_is_compared_in_each_language(run: Terminal, experiment_id: str) -> None:
    words = ("--metric", "char3_recall", "--first", "MultiRAG", "--second", "crossrag")
    result = run("runs", "compare", experiment_id, *words, "--json").json
    assert (result["first"], result["second"]) == ("multirag run", "crossrag run")
    assert [(item["language"], item["n"]) for item in result["differences"]] == [("all", 1), ("en", 1), ("fi", 0)]
    lines = run("runs", "compare", experiment_id, *words).out.splitlines()
    assert lines[0] == "char3_recall: crossrag run minus multirag run"
    assert "not significant" in lines[1] and "\tn 1 of 1 questions, 1 left out\tall" in lines[1]
    assert lines[3].startswith("nothing to compare")


def test_the_best_run_is_compared_with_the_next(run: Terminal, experiment_id: str) -> None:
    result = run("runs", "compare", experiment_id, "--metric", "char3_recall", "--second", "crossrag", "--json").json
    assert (result["first"], result["second"]) == ("multirag run", "crossrag run")


def test_modes_are_compared_over_the_runs_that_differ_in_nothing_else(run: Terminal, experiment_id: str) -> None:
    result = run("runs", "compare", experiment_id, "--metric", "char3_recall", "--what", "mode", "--json").json
    assert (result["first"], [item["mode"] for item in result["differences"]]) == ("crossrag", ["multirag"])


def test_runs_of_two_experiments_can_be_compared(run: Terminal, experiment_id: str) -> None:
    other = add_results(Workbench(settings.load()), name="Other", modes=("trag", "drag"))
    result = run("runs", "compare", experiment_id, other, "--metric", "char3_recall", "--json").json
    assert len(result["differences"]) == 3


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
def test_what_cannot_be_compared_is_reported_in_one_sentence(
    words: tuple[str, ...], sentence: str, run: Terminal, experiment_id: str
) -> None:
    result = run("runs", "compare", experiment_id, *words)
    assert result.code == 2
    assert sentence in result.err


def test_a_judge_that_was_asked_in_both_languages_is_compared_with_itself(run: Terminal) -> None:
    scored = {"correctness@m": noisy(1, 0.7), "correctness@m+ul": noisy(2, 0.9)}
    store = ResultStore.at(settings.load().database_url)
    stored_run = add_scored(store, ["th"], 60, scored)[0]
    experiment = next(item.experiment_id for item in store.of().runs() if item.id == stored_run)
    rows = run("runs", "judges", experiment, "--json").json
    assert [(row["language"], row["n"]) for row in rows] == [("", 60), ("th", 60)]
    assert rows[1]["difference"]["low"] < rows[1]["difference"]["value"] < rows[1]["difference"]["high"]
    assert "correctness@m\tth\tEnglish 0." in run("runs", "judges", experiment).out


def test_without_both_languages_the_judge_s_comparison_says_how_to_get_them(run: Terminal, experiment_id: str) -> None:
    result = run("runs", "judges", experiment_id)
    assert result.code == 2 and "judge_language: both" in result.err
