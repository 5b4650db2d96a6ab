"""The Dashboard's view of territories over invented answers, its empty state, and the command beside it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.data.datasets.forms import borderlines
from tests.screens.conftest import html, open_page
from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.cli.command_line import app as program
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.formats.borderlines import read_borderlines
from workbench.data.datasets.importing import import_collection
from workbench.experiments.experiment import experiment_from_file, experiment_to_yaml, make_experiment
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import opened_store

HOSTILE = "![x](https://stranger.example/a.png) <b>Freedonia</b>"
TEXTS = {
    ("Long_Island", "en"): ("A) Freedonia", "It is disputed."),
    ("Long_Island", "fr"): ("A) Fridonie", HOSTILE),
    ("Long_Island", "zh"): ("A", "B"),
    ("Far_Rock", "en"): ("Formosa", "Not Formosa"),
    ("Far_Rock", "zh"): ("B) 福尔摩沙", ""),
}
"""The answers of two runs."""


def add_territories(bench: Workbench, folder: Path) -> str:
    """Imports invented territories and stores answers of two runs about them; returns the experiment's id."""
    datasets = DatasetLibrary(bench.settings.datasets)
    import_collection(CorpusLibrary(bench.settings.corpora), datasets, read_borderlines(borderlines(folder)), "borders")
    engine = opened_store(bench.settings.database_url)
    prompt = "answer-from-evidence-en"
    rows = [
        RunRow(number, mode, "borders", "", mode, "all", prompt, "extractive", 5, "none", "", mode)
        for number, mode in enumerate(("multirag", "drag"))
    ]
    spec = experiment_to_yaml(make_experiment({"datasets": ["borders"], "modes": ["multirag", "drag"]}))
    experiment_id = add_experiment(engine, "Territories", "matrix", spec, 10, "none", rows)
    cells = [
        CellResult(run, question, texts[run], question.language, scores={"clr": Score(1.0)})
        for (name, code), texts in TEXTS.items()
        for question in datasets.questions("borders", code)
        if question.id == name
        for run in range(2)
    ]
    Writer(engine, experiment_id, ("clr",)).write("detect language", 0, "borders", cells)
    return experiment_id


def test_the_view_shows_figures_the_printed_ones_and_every_territory(bench: Workbench, tmp_path: Path) -> None:
    experiment = add_territories(bench, tmp_path)
    app = open_page("dashboard", experiment=experiment, view="territories")
    assert not app.exception
    shown = html(app)
    # MultiRAG names the controller in English in both, D-RAG in neither that is read: one of the two is unreadable.
    assert "English names the controller: MultiRAG 1.00 (95 %: 0.34 to 1.00, n = 2) and D-RAG 0.00 (n = 1)." in shown
    assert "“% Agreement X, Y, En” is next to" in shown
    assert "<b>Freedonia</b>" not in shown
    assert app.selectbox(key="dash_reference").options == ["Table 2, GPT-4o", "Table 2, Llama3-8B", "None"]
    by_language, by_region, each = (frame.value for frame in app.dataframe)
    drag = by_language[(by_language["Run"] == "D-RAG") & by_language["Language"].str.contains("Chinese")].iloc[0]
    assert (drag["No answer"], drag["A claimant"], drag["Unscored"]) == (1, 1, 1)
    assert set(by_region["Region"]) == {"Sea"}
    assert sorted(each["English"]) == ["Formosa", "Freedonia", "disputed, or several", "unreadable"]
    app.selectbox(key="dash_reference").set_value("none").run()
    assert "“% Agreement X, Y, En” is next to" not in html(app)


def test_a_dataset_without_territories_says_how_to_get_one(bench: Workbench) -> None:
    app = open_page("dashboard", experiment=add_results(bench), view="territories")
    assert not app.exception
    assert "No answer here is about a territory." in html(app)
    assert "mrag run borderlines" in html(app)


def test_the_command_gives_figures_and_every_answer_as_read(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = add_territories(bench, tmp_path / "borderlines")
    monkeypatch.setenv("WORKBENCH_HOME", str(bench.settings.home))
    out = tmp_path / "read.csv"
    result = CliRunner().invoke(program, ["runs", "territories", experiment, "--json", "--out", str(out)])
    assert result.exit_code == 0, result.output
    tables = json.loads(result.stdout)
    figures = {(row["run"], row["figure"]): row for row in tables["figures"]}
    assert (figures["multirag", "agreement_all"]["value"], figures["multirag", "consistency"]["n"]) == (1.0, 0)
    assert (figures["drag", "agreement_answers"]["value"], figures["drag", "agreement_answers"]["unscored"]) == (
        1 / 3,
        2,
    )
    rows = list(csv.DictReader(out.read_text(encoding="utf-8-sig").splitlines()))
    assert len(rows) == 10
    assert {row["reading"] for row in rows if row["run"] == "drag"} >= {
        "disputed, or several",
        "unreadable",
        "no answer",
    }
    plain = CliRunner().invoke(program, ["runs", "territories", experiment])
    assert "English names the controller\t1.000" in plain.output
    other = CliRunner().invoke(program, ["runs", "territories", add_results(bench)])
    assert other.exit_code == 1 and "about a territory" in str(other.exception)


def test_the_shipped_experiment_is_one_and_a_file_of_its_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    experiment = experiment_from_file(Path("borderlines"))
    assert (experiment.modes, experiment.datasets) == (("baseline", "multirag", "drag"), ("borderlines",))
    assert "models" not in experiment.model_fields_set
    (tmp_path / "borderlines").write_text("name: Mine\n", encoding="utf-8")
    assert experiment_from_file(Path("borderlines")).name == "Mine"
