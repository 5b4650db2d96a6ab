"""`labels`: queues, agreement and files of labels, in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.labelled import add_scored, label_all as label_by_rule, noisy
from tests.cli.terminal import Terminal, refused, terminal
from tests.screens.results import add_results
from workbench.annotation.files.label_files import LABEL_FORMATS
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(tmp_path, capsys, monkeypatch)


@pytest.fixture
def store(run: Terminal) -> ResultStore:
    return ResultStore.at(settings.load().database_url)


@pytest.fixture
def experiment_id(store: ResultStore) -> str:
    return add_results(Workbench(settings.load()))


@pytest.fixture
def queue(run: Terminal, experiment_id: str) -> str:
    """A queue of the three answers of the experiment."""
    words = ("--run", experiment_id, "--taxonomy", "answer-faithfulness", "--per-language", "5", "--seed", "3")
    assert run("labels", "queue", "Mine", *words, "--annotators", "2").code == 0
    return "Mine"


def label_all(store: ResultStore, name: str) -> None:
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.queue(name)
    for person in ("Anna", "Bela"):
        while item := queues.next_item(queue.id, person):
            labels.save(item, person, ["unclear" if person == "Bela" and item.number == 1 else "supported"])
            labels.complete(item, person)


def test_a_queue_is_created_from_an_experiment(run: Terminal, experiment_id: str) -> None:
    words = ("--run", experiment_id, "--taxonomy", "abstention", "--per-language", "1", "--json")
    result = run("labels", "queue", "Mine", *words).json
    assert (result["items"], result["taxonomy"], result["runs"]) == (
        2,
        "abstention",
        [f"{experiment_id}/0", f"{experiment_id}/1"],
    )


def test_a_queue_is_created_from_one_run(run: Terminal, experiment_id: str) -> None:
    words = ("--run", f"{experiment_id}/1", "--taxonomy", "abstention", "--json")
    assert run("labels", "queue", "Mine", *words).json["runs"] == [f"{experiment_id}/1"]


def test_queues_are_listed_with_their_progress(run: Terminal, queue: str, store: ResultStore) -> None:
    label_all(store, queue)
    assert run("labels", "list", "--json").json[0]["progress"]["complete"] == 6
    assert "Mine\tanswer-faithfulness version 2\t6 of 6 complete" in run("labels", "list").out


def test_without_queues_the_list_says_how_to_create_one(run: Terminal) -> None:
    assert "labels queue NAME" in run("labels", "list").err


def test_agreement_is_shown_per_label_and_language(run: Terminal, queue: str, store: ResultStore) -> None:
    label_all(store, queue)
    rows = run("labels", "agreement", queue, "--json").json["agreement"]
    assert [(row["label"], row["language"]) for row in rows][:4] == [
        ("", ""),
        ("", "en"),
        ("", "fi"),
        ("supported", ""),
    ]
    assert rows[0]["raw"]["value"] == pytest.approx(2 / 3) and rows[0]["n"] == 3
    assert run("labels", "agreement", queue).out.startswith("all labels\tall\traw 0.67 (95 %: ")


def test_the_metric_to_trust_is_shown_with_the_corrected_means_and_exchanged_labels(
    run: Terminal, store: ResultStore
) -> None:
    scored = {"em": noisy(1, 0.95), "correctness@m": noisy(2, 0.6)}
    label_by_rule(store, add_scored(store, ["th"], 120, scored), 60)
    result = run("labels", "trust", "Verdicts", "--json").json
    rows = {(row["metric"], row["language"]): row for row in result["trust"]}
    assert rows["em", "th"]["trusted"] and not rows["correctness@m", "th"]["trusted"]
    assert {row["labelled"] for row in result["corrected"]} == {60} and result["exchanged"] == []
    assert "em\tth\tAUC 0.9" in run("labels", "trust", "Verdicts").out


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "labelstudio", "argilla", "inspectorraget"])
def test_labels_go_out_and_in(kind: str, run: Terminal, queue: str, store: ResultStore, tmp_path: Path) -> None:
    label_all(store, queue)
    out = tmp_path / f"out{LABEL_FORMATS[kind].suffix}"
    assert "6 labels written" in run("labels", "export", queue, "--format", kind, "--out", out).err
    assert run("labels", "import", out, "--json").json == {"added": 0, "unchanged": 6, "older": 0}


@pytest.mark.parametrize(
    ("words", "sentences"),
    [
        (("queue", "Mine", "--run", "x", "--taxonomy", "abstention"), ("“x”",)),
        (("queue", "Mine", "--run", "{id}", "--taxonomy", "x"), ("Unknown taxonomy “x”.",)),
        (("queue", "Mine", "--run", "{id}/9", "--taxonomy", "abstention"), ("has no run “9”. Its runs are: 0, 1.",)),
        (
            ("queue", "Mine", "--run", "{id}", "--taxonomy", "abstention", "--per-language", "0"),
            ("The answers per language cannot be 0",),
        ),
        (("agreement", "x"), ("Unknown queue “x”.",)),
        (("export", "x", "--format", "csv", "--out", "{home}/a.csv"), ("Unknown queue “x”.",)),
        (("export", "x", "--format", "csv", "--out", "{home}"), ("is a folder",)),
        (("import", "{home}/no.csv"), ("There is no file",)),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    words: tuple[str, ...], sentences: tuple[str, ...], run: Terminal, experiment_id: str, tmp_path: Path
) -> None:
    refused(run("labels", *(word.format(id=experiment_id, home=tmp_path) for word in words)), *sentences)


def test_what_a_project_of_label_studio_is_set_up_with_is_written_too(
    run: Terminal, queue: str, store: ResultStore, tmp_path: Path
) -> None:
    label_all(store, queue)
    out, setup = tmp_path / "tasks.json", tmp_path / "config.xml"
    run("labels", "export", queue, "--format", "labelstudio", "--out", out, "--setup", setup)
    assert setup.read_text(encoding="utf-8").startswith("<View>")


def test_a_format_without_a_set_up_refuses_one(run: Terminal, queue: str, tmp_path: Path) -> None:
    words = ("labels", "export", queue, "--format", "csv", "--out", tmp_path / "a.csv", "--setup", tmp_path / "b")
    refused(run(*words), "The format csv needs no set-up")


def test_every_wrong_row_of_an_import_is_named(run: Terminal, queue: str, store: ResultStore, tmp_path: Path) -> None:
    label_all(store, queue)
    out = tmp_path / "labels.jsonl"
    run("labels", "export", queue, "--format", "jsonl", "--out", out)
    out.write_text(
        out.read_text(encoding="utf-8").replace('"labels": ["supported"]', '"labels": ["x"]'), encoding="utf-8"
    )
    error = run("labels", "import", out).err
    assert error.count("Unknown label “x”") > 1 and "Nothing was imported." in error
