"""`run` and `runs`: an experiment from a file to its results in a terminal."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal, terminal
from tests.jobs.waiting import work_on
from tests.screens.results import add_results
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.components.endpoint_file import NamedEndpoint, save_endpoint
from workbench.core.records import Question
from workbench.data.corpora import sample
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments.experiment import experiment_from_file
from workbench.experiments.jobs.pilot_jobs import Pilots
from workbench.workspace.jobs import jobs
from workbench.workspace.settings import load

MATRIX = """
name: Small
modes: [multirag, monorag]
prompts: [reply-short-en]
languages: [en]
questions: 2
"""


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr(jobs, "LOOK_AGAIN", 0.02)
    return terminal(home, capsys, monkeypatch)


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "matrix.yaml"
    path.write_text(MATRIX, encoding="utf-8")
    return path


def test_an_experiment_is_run_listed_shown_and_exported(run: Terminal, matrix: Path, tmp_path: Path) -> None:
    outcome = run("run", matrix, "--json").json
    assert outcome["state"] == "done"
    experiment_id = outcome["experiment"]
    (listed,) = run("runs", "list", "--json").json
    assert (listed["id"], listed["state"], listed["answered"], listed["failed"]) == (experiment_id, "done", 4, 0)
    shown = run("runs", "show", experiment_id, "--metrics", "char3_recall", "--json").json
    assert [(item["metric"], item["n"]) for item in shown["means"]] == [("char3_recall", 2)] * 2
    assert all(item["low"] <= item["mean"] <= item["high"] for item in shown["means"])
    assert "Unknown metric “rouge_9”" in run("runs", "show", experiment_id, "--metrics", "rouge_9").err
    assert run("runs", "show", experiment_id).code == 0
    out = tmp_path / "results.jsonl"
    assert run("runs", "export", experiment_id, "--out", out).code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4
    assert run("runs", "resume", experiment_id, "--json").json["state"] == "done"
    assert "not running" in run("runs", "stop", experiment_id).err


def test_an_experiment_ends_with_its_outcome(run: Terminal, matrix: Path) -> None:
    assert "4 of 4 cells have an answer. See more: runs show " in run("run", matrix).err


def test_an_experiment_whose_cells_failed_states_why(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "sparse.yaml"
    path.write_text(f"{MATRIX}recipe: {{retriever: sparse, encoder: builtin}}\n", encoding="utf-8")
    result = run("run", path)
    assert "4 cells failed: “builtin” gives dense vectors only" in result.err
    assert "0 of 4 cells have an answer." in result.err


def test_a_workspace_without_experiments_says_how_to_start_one(run: Terminal) -> None:
    result = run("runs", "list")
    assert (result.code, result.out) == (0, "")
    assert "python -m workbench run FILE" in result.err


@pytest.mark.parametrize("name", ["", "file/results.csv"])
def test_where_no_file_can_be_written_nothing_is_exported(run: Terminal, tmp_path: Path, name: str) -> None:
    experiment_id = add_results(Workbench(load()))
    (tmp_path / "file").write_text("x")
    result = run("runs", "export", experiment_id, "--format", "csv", "--out", tmp_path / name)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "Type the path of a file, for example: --out results.csv" in result.err


@pytest.fixture
def judges() -> Iterator[MisbehavingServer]:
    """A server whose models say yes."""
    with misbehaving() as server:
        server.script = lambda user: "Verdict: 1"
        save_endpoint(load().home, "judges", NamedEndpoint(url=server.url("says")))
        yield server


def test_an_experiment_with_a_judge_ends_with_its_means(
    run: Terminal, tmp_path: Path, judges: MisbehavingServer
) -> None:
    path = tmp_path / "judged.yaml"
    path.write_text(f"{MATRIX}metrics: [correctness]\njudge: openai-like:m@judges\n", encoding="utf-8")
    outcome = run("run", path, "--json").json
    assert outcome["state"] == "done" and len(judges.requests) > 0
    metric = "correctness@openai-like:m@judges+ul"
    shown = run("runs", "show", outcome["experiment"], "--metrics", metric, "--json").json
    assert [(item["metric"], item["mean"], item["n"]) for item in shown["means"]] == [(metric, 1.0, 2)] * 2
    assert shown["job"]["run"]["judge"] == len(judges.requests)


def test_a_run_states_where_texts_are_sent(run: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = tmp_path / "judged.yaml"
    path.write_text(f"{MATRIX}metrics: [correctness]\njudge: openai-like:gpt-4o\n", encoding="utf-8")
    assert "Texts are sent" not in run("run", path, "--plan").err
    assert "Texts are sent to api.openai.com." in run("run", path, "--pilot", 1).err


def test_a_plan_states_cells_and_shared_steps_and_runs_nothing(run: Terminal, matrix: Path) -> None:
    plan = run("run", matrix, "--plan", "--json").json["plan"]
    assert plan["cells"] == 4 and plan["unshared"]["retrieve"] == 4
    assert run("runs", "list", "--json").json == []


def test_a_pilot_estimates_and_leaves_no_experiment(run: Terminal, matrix: Path) -> None:
    estimate = run("run", matrix, "--pilot", 1, "--json").json["estimate"]
    assert estimate["cells"] == 2 and estimate["seconds"] > 0
    assert run("runs", "list", "--json").json == []


def test_a_pilot_states_why_its_cells_failed(run: Terminal, tmp_path: Path) -> None:
    matrix = tmp_path / "odd.yaml"
    DatasetLibrary(load().datasets).add("odd", "sample", [Question("a", "?!", "en")], aligned=False)
    matrix.write_text("datasets: [odd]\nprompts: [reply-short-en]\n", encoding="utf-8")
    result = run("run", matrix, "--pilot", 1)
    assert result.code == 0
    assert "1 of its cells failed: The question “?!” holds no letter or digit" in result.err
    assert "not counted, since the pilot did not reach them: retrieve" in result.err


def test_a_screens_pilot_is_not_in_the_list(
    run: Terminal, matrix: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load(home)
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: work_on(settings, words[3]))
    Pilots(settings).start(experiment_from_file(matrix), 1)
    assert run("runs", "list", "--json").json == []


def test_predictions_become_a_run(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"id": "q01", "answer": "Marconi"}) + "\n", encoding="utf-8")
    words: tuple[Any, ...] = ("runs", "import", path, "--dataset", "sample", "--name", "Mine", "--lang", "en", "--json")
    imported = run(*words).json
    assert (imported["predictions"], imported["missing"]) == (1, len(sample.questions("en")) - 1)
    assert "holds imported predictions" in run("runs", "resume", imported["experiment"]).err


def test_predictions_may_be_judged(run: Terminal, tmp_path: Path, judges: MisbehavingServer) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"id": "q01", "answer": "Marconi"}) + "\n", encoding="utf-8")
    words: tuple[Any, ...] = ("runs", "import", path, "--dataset", "sample", "--name", "Mine", "--lang", "en", "--json")
    imported = run(*words, "--metrics", "correctness", "--judge", "openai-like:m@judges").json
    (mean,) = run("runs", "show", imported["experiment"], "--json").json["means"]
    assert (mean["metric"], mean["mean"]) == ("correctness@openai-like:m@judges+ul", 1.0)
    result = run(*words, "--metrics", "correctness")
    assert result.code == 2 and "needs a judge" in result.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "nowhere.yaml"), "There is no file “nowhere.yaml”"),
        (("runs", "show", "nothing"), "Unknown experiment “nothing”"),
        (("runs", "resume", "nothing"), "Unknown experiment “nothing”"),
        (("runs", "stop", "nothing"), "Unknown experiment “nothing”"),
        (("runs", "export", "nothing", "--out", "x.csv"), "Unknown experiment “nothing”"),
    ],
)
def test_what_does_not_exist_is_named(run: Terminal, words: tuple[str, ...], expected: str) -> None:
    result = run(*words)
    assert result.code == 2 and expected in result.err and "Traceback" not in result.err
