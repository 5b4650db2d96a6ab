"""Results as files: right, whole, and harmless to whoever opens them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from sqlalchemy import Engine

from workbench.errors import UsageError
from workbench.metrics.score import Score
from workbench.pipeline.workbench import Workbench
from workbench.records import Question
from workbench.storage.store import opened_store
from workbench.studies.exports import SUFFIXES, export
from workbench.studies.filters import Filter
from workbench.studies.writing import Given, RunRow, Writer, add_experiment

EVIL = '=HYPERLINK("http://x")'
SCRIPT = "<script>alert(1)</script>"
EVERYTHING = Filter()


@pytest.fixture
def engine(workbench: Workbench) -> Engine:
    """Two runs on one Thai question; the answers are a formula and a script."""
    made = opened_store(workbench.settings.database_url)
    rows = [
        RunRow(n, f"run {n}", "sample", "sample", "multirag", "all", "p", "m", 5, "none", "", str(n)) for n in (0, 1)
    ]
    identity = add_experiment(made, SCRIPT, "matrix", "", 2, "", rows)
    question = Question("q 1", "ใคร?", "th", ("มาร์โกนี",), ("radio.en.1", "radio.th.1"))
    passages = (("radio.en.1", "en", 1.0), ("radio.fi.1", "fi", 0.5))
    scores = {"char3_recall": Score(-0.5), "clr": Score(None, "Too short.")}
    Writer(made, identity, list(scores)).write(
        5,
        0,
        "sample",
        [Given(run, question, text, "th", passages, 1.0, scores=scores) for run, text in enumerate((EVIL, SCRIPT))],
    )
    return made


def written(workbench: Workbench, engine: Engine, kind: str, folder: Path) -> Path:
    path = folder / f"out{SUFFIXES[kind]}"
    assert export(workbench, engine, EVERYTHING, kind, path) == 2
    assert [item.name for item in folder.iterdir()] == [path.name]
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "exports"
    place.mkdir()
    return place


def test_csv_holds_no_formula_and_keeps_figures(workbench: Workbench, engine: Engine, folder: Path) -> None:
    with written(workbench, engine, "csv", folder).open(encoding="utf-8-sig", newline="") as file:
        first, _ = csv.DictReader(file)
    assert first["answer"] == f"'{EVIL}"
    assert first["char3_recall"] == "-0.5" and first["clr"] == ""
    assert first["question"] == "ใคร?" and json.loads(first["answers"]) == ["มาร์โกนี"]


def test_json_lines_hold_every_cell_whole(workbench: Workbench, engine: Engine, folder: Path) -> None:
    lines = written(workbench, engine, "jsonl", folder).read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert first["answer"] == EVIL and first["passages"][1] == {"id": "radio.fi.1", "language": "fi", "score": 0.5}
    assert first["scores"] == {"char3_recall": -0.5, "clr": None} and first["unscored"] == {"clr": "Too short."}


def test_parquet_has_a_column_a_metric(workbench: Workbench, engine: Engine, folder: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(written(workbench, engine, "parquet", folder))
    assert table.column("char3_recall").to_pylist() == [-0.5, -0.5] and table.column("clr").null_count == 2
    assert table.column("answer").to_pylist() == [EVIL, SCRIPT]


def test_trec_files_name_a_question_by_its_language_too(workbench: Workbench, engine: Engine, folder: Path) -> None:
    import ir_measures

    run_path = written(workbench, engine, "trec-run", folder)
    lines = run_path.read_text().splitlines()
    assert lines[0].split()[:5] == ["sample-th-q_1", "Q0", "radio.en.1", "1", "2"] and len(lines) == 4
    run_path.unlink()
    judged = written(workbench, engine, "trec-qrels", folder).read_text()
    assert judged == "sample-th-q_1 0 radio.en.1 1\nsample-th-q_1 0 radio.th.1 1\n"
    first = "".join(f"{line}\n" for line in lines[:2])
    measured = ir_measures.calc_aggregate(
        [ir_measures.parse_measure("RR")],
        list(ir_measures.read_trec_qrels(judged)),
        list(ir_measures.read_trec_run(first)),
    )
    assert list(measured.values()) == [1.0]


def test_inspector_raget_has_an_evaluation_of_every_model_on_every_task(
    workbench: Workbench, engine: Engine, folder: Path
) -> None:
    made = json.loads(written(workbench, engine, "inspectorraget", folder).read_text(encoding="utf-8"))
    assert len(made["evaluations"]) == len(made["models"]) * len(made["tasks"]) == 2
    kinds = {metric["name"]: metric["type"] for metric in made["metrics"]}
    assert kinds == {"char3_recall": "numerical", "clr": "text"}
    documents = {item["document_id"]: item["text"] for item in made["documents"]}
    assert all(documents[item["document_id"]] for task in made["tasks"] for item in task["contexts"])
    assert made["evaluations"][0]["annotations"]["clr"]["system"]["value"] == "unscored"


def test_the_report_runs_and_fetches_nothing(workbench: Workbench, engine: Engine, folder: Path) -> None:
    page = written(workbench, engine, "html", folder).read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "src=" not in page and "href=" not in page and "url(" not in page
    assert "unscored 2" in page and "ใคร?" in page


def test_an_unknown_format_and_empty_results_are_said(workbench: Workbench, engine: Engine, folder: Path) -> None:
    with pytest.raises(UsageError, match="Unknown export format “pdf”"):
        export(workbench, engine, EVERYTHING, "pdf", folder / "x.pdf")
    with pytest.raises(UsageError, match="no results to export"):
        export(workbench, engine, Filter(modes=("drag",)), "csv", folder / "x.csv")
    assert list(folder.iterdir()) == []
