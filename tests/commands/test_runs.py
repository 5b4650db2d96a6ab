"""`run` and `runs`: an experiment from a file to its results in a terminal."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands.terminal import Terminal, terminal
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.components.endpoints import NamedEndpoint, save_endpoint
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.experiments.experiment import experiment_from_file
from workbench.experiments.jobs import control, worker
from workbench.experiments.jobs.pilot_jobs import Pilots
from workbench.records import Question
from workbench.settings import load

MATRIX = """
name: Small
modes: [multirag, monorag]
prompts: [reply-short-en]
languages: [en]
questions: 2
"""


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr(control, "LOOK_AGAIN", 0.02)
    return terminal(home, capsys, monkeypatch)


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "matrix.yaml"
    path.write_text(MATRIX, encoding="utf-8")
    return path


def test_an_experiment_is_run_listed_shown_and_exported(run: Terminal, matrix: Path, tmp_path: Path) -> None:
    done = run("run", matrix, "--json").json
    assert done["state"] == "done"
    identity = done["experiment"]
    (listed,) = run("runs", "list", "--json").json
    assert (listed["id"], listed["state"], listed["answered"], listed["failed"]) == (identity, "done", 4, 0)
    shown = run("runs", "show", identity, "--metrics", "char3_recall", "--json").json
    assert [(item["metric"], item["n"]) for item in shown["means"]] == [("char3_recall", 2)] * 2
    assert all(item["low"] <= item["mean"] <= item["high"] for item in shown["means"])
    assert "Unknown metric “rouge_9”" in run("runs", "show", identity, "--metrics", "rouge_9").err
    assert run("runs", "show", identity).code == 0
    out = tmp_path / "results.jsonl"
    assert run("runs", "export", identity, "--out", out).code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4
    assert run("runs", "resume", identity, "--json").json["state"] == "done"
    assert "not running" in run("runs", "stop", identity).err


def test_an_experiment_ends_with_what_came_of_it(run: Terminal, matrix: Path) -> None:
    assert "4 of 4 cells have an answer. See more: runs show " in run("run", matrix).err


def test_an_experiment_whose_cells_failed_says_why(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "sparse.yaml"
    path.write_text(f"{MATRIX}recipe: {{retriever: sparse}}\n", encoding="utf-8")
    said = run("run", path)
    assert "4 cells failed: “builtin” gives dense vectors only" in said.err
    assert "0 of 4 cells have an answer." in said.err


def test_a_workspace_without_experiments_says_how_to_start_one(run: Terminal) -> None:
    said = run("runs", "list")
    assert (said.code, said.out) == (0, "")
    assert "python -m workbench run FILE" in said.err


@pytest.mark.parametrize("place", ["", "file/results.csv"])
def test_where_no_file_can_be_written_nothing_is_exported(
    run: Terminal, matrix: Path, tmp_path: Path, place: str
) -> None:
    identity = run("run", matrix, "--json").json["experiment"]
    (tmp_path / "file").write_text("x")
    said = run("runs", "export", identity, "--format", "csv", "--out", tmp_path / place)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "Type the path of a file, for example: --out results.csv" in said.err


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
    done = run("run", path, "--json").json
    assert done["state"] == "done" and len(judges.requests) > 0
    metric = "correctness@openai-like:m@judges"
    shown = run("runs", "show", done["experiment"], "--metrics", metric, "--json").json
    assert [(item["metric"], item["mean"], item["n"]) for item in shown["means"]] == [(metric, 1.0, 2)] * 2
    assert shown["job"]["run"]["judge"] == len(judges.requests)


def test_a_run_says_where_texts_are_sent(run: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = tmp_path / "judged.yaml"
    path.write_text(f"{MATRIX}metrics: [correctness]\njudge: openai-like:gpt-4o\n", encoding="utf-8")
    assert "Texts are sent" not in run("run", path, "--plan").err
    assert "Texts are sent to api.openai.com." in run("run", path, "--pilot", 1).err


def test_a_plan_says_cells_and_shared_steps_and_runs_nothing(run: Terminal, matrix: Path) -> None:
    planned = run("run", matrix, "--plan", "--json").json["plan"]
    assert planned["cells"] == 4 and planned["unshared"]["retrieve"] == 4
    assert run("runs", "list", "--json").json == []


def test_a_pilot_estimates_and_leaves_no_experiment(run: Terminal, matrix: Path) -> None:
    made = run("run", matrix, "--pilot", 1, "--json").json["estimate"]
    assert made["cells"] == 2 and made["seconds"] > 0
    assert run("runs", "list", "--json").json == []


def test_a_pilot_says_why_its_cells_failed(run: Terminal, tmp_path: Path) -> None:
    matrix = tmp_path / "odd.yaml"
    DatasetLibrary(load().datasets).add("odd", "sample", [Question("a", "?!", "en")], aligned=False)
    matrix.write_text("datasets: [odd]\nprompts: [reply-short-en]\n", encoding="utf-8")
    ended = run("run", matrix, "--pilot", 1)
    assert ended.code == 0
    assert "1 of its cells failed: The question “?!” holds no letter or digit" in ended.err
    assert "not counted, since the pilot never got there: retrieve" in ended.err


def test_a_pilot_of_a_screen_is_no_experiment_in_the_list(
    run: Terminal, matrix: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load(home)
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: worker.work(settings, words[3]))
    Pilots(settings).start(experiment_from_file(matrix), 1)
    assert run("runs", "list", "--json").json == []


def test_predictions_become_a_run(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"id": "q01", "answer": "Marconi"}) + "\n", encoding="utf-8")
    words: tuple[Any, ...] = ("runs", "import", path, "--dataset", "sample", "--name", "Mine", "--lang", "en", "--json")
    taken = run(*words).json
    assert (taken["predictions"], taken["missing"]) == (1, 51)
    assert "holds imported predictions" in run("runs", "resume", taken["experiment"]).err


def test_predictions_may_be_judged(run: Terminal, tmp_path: Path, judges: MisbehavingServer) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"id": "q01", "answer": "Marconi"}) + "\n", encoding="utf-8")
    words: tuple[Any, ...] = ("runs", "import", path, "--dataset", "sample", "--name", "Mine", "--lang", "en", "--json")
    taken = run(*words, "--metrics", "correctness", "--judge", "openai-like:m@judges").json
    (mean,) = run("runs", "show", taken["experiment"], "--json").json["means"]
    assert (mean["metric"], mean["mean"]) == ("correctness@openai-like:m@judges", 1.0)
    refused = run(*words, "--metrics", "correctness")
    assert refused.code == 2 and "needs a judge" in refused.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "nowhere.yaml"), "There is no file “nowhere.yaml”"),
        (("runs", "show", "nothing"), "Unknown experiment “nothing”"),
        (("runs", "resume", "nothing"), "Unknown experiment “nothing”"),
        (("runs", "stop", "nothing"), "Unknown experiment “nothing”"),
        (("runs", "export", "nothing", "--out", "x.csv"), "Unknown experiment “nothing”"),
    ],
)
def test_what_is_not_there_is_named(run: Terminal, words: tuple[str, ...], said: str) -> None:
    ended = run(*words)
    assert ended.code == 2 and said in ended.err and "Traceback" not in ended.err
