"""Results as files: right, whole, and harmless to whoever opens them."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments import report
from workbench.experiments.report import html_report, report_metrics
from workbench.experiments.result_files import EXPORTS, export
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.run_list import PILOT
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.csv_safety import STARTS, plain_text
from workbench.workspace.database import opened_store

EVIL = '=HYPERLINK("http://x")'
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def results(workbench: Workbench) -> ResultView:
    """Two runs on one Thai question; the answers are a formula and a script."""
    engine = opened_store(workbench.settings.database_url)
    rows = [
        RunRow(n, f"run {n}", "sample", "sample", "multirag", "all", "p", "m", 5, "none", "", str(n)) for n in (0, 1)
    ]
    experiment_id = add_experiment(engine, SCRIPT, "matrix", "", 2, "", rows)
    question = Question("q 1", "ใคร?", "th", ("มาร์โกนี",), ("radio.en.1", "radio.th.1"))
    passages = (("radio.en.1", "en", 1.0), ("radio.fi.1", "fi", 0.5))
    scores = {"char3_recall": Score(-0.5), "clr": Score(None, "Too short.")}
    Writer(engine, experiment_id, list(scores)).write(
        "detect language",
        0,
        "sample",
        [
            CellResult(run, question, text, "th", passages, 1.0, scores=scores)
            for run, text in enumerate((EVIL, SCRIPT))
        ],
    )
    return ResultStore(engine).of()


def hostile(workbench: Workbench, text: str, score: Score | None = None) -> ResultView:
    """Wherever a stranger's text is kept, it is `text`: one answered cell and one that failed, each of its own run."""
    engine = opened_store(workbench.settings.database_url)
    rows = [RunRow(n, text, text, "", text, text, text, text, 5, text, "", str(n)) for n in (0, 1)]
    experiment_id = add_experiment(engine, text, "matrix", "", 2, "", rows)
    question = Question(text, text, "th", (text,), (text,), evidence_in=text)
    scores = {"g_eval@judge": score or Score(None, text)}
    cells = [
        CellResult(0, question, text, "th", ((text, "en", 1.0),), 1.0, scores=scores),
        CellResult(1, question, error=text),
    ]
    Writer(engine, experiment_id, list(scores)).write("detect language", 0, text, cells)
    return ResultStore(engine).of()


def exported(workbench: Workbench, results: ResultView, kind: str, folder: Path) -> Path:
    path = folder / f"out{EXPORTS[kind][1]}"
    assert export(workbench, results, kind, path) == 2
    assert [item.name for item in folder.iterdir()] == [path.name]
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "exports"
    place.mkdir()
    return place


def test_csv_holds_no_formula_and_keeps_figures(workbench: Workbench, results: ResultView, folder: Path) -> None:
    with exported(workbench, results, "csv", folder).open(encoding="utf-8-sig", newline="") as file:
        first, _ = csv.DictReader(file)
    assert first["answer"] == f"'{EVIL}"
    assert first["char3_recall"] == "-0.5" and first["clr"] == ""
    assert first["question"] == "ใคร?" and json.loads(first["answers"]) == ["มาร์โกนี"]


@pytest.mark.parametrize("start", STARTS)
def test_no_text_of_a_stranger_begins_a_csv_cell_as_a_formula(workbench: Workbench, tmp_path: Path, start: str) -> None:
    evil = f"{start}cmd|' /C calc'!A0"
    results = hostile(workbench, evil)
    export(workbench, results, "csv", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    cells = [dict(zip(head, row, strict=True)) for row in rows]
    assert [cell["answer"] or cell["error"] for cell in cells] == [f"'{evil}", f"'{evil}"]
    assert not any(text.lstrip().startswith(STARTS) for cell in cells for text in cell.values())
    assert {plain_text(cell["question"]) for cell in cells} == {evil}


def test_every_csv_cell_is_quoted_and_holds_no_formula_where_semicolons_separate(
    workbench: Workbench, tmp_path: Path
) -> None:
    evil = "foo;=1+1;\n=2+2;\ufeff@x"
    results = hostile(workbench, evil)
    export(workbench, results, "csv", tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text(encoding="utf-8-sig")
    lines = text.splitlines()
    assert all(line.startswith('"') for line in lines if not line.startswith("'"))
    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=";") for cell in row]
    assert not [cell for cell in cells if cell.lstrip(" \ufeff").startswith(("=", "@"))]
    assert {plain_text(row["question"]) for row in csv.DictReader(io.StringIO(text, newline=""))} == {evil}


def test_json_lines_hold_every_cell_whole(workbench: Workbench, results: ResultView, folder: Path) -> None:
    lines = exported(workbench, results, "jsonl", folder).read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert first["answer"] == EVIL and first["passages"][1] == {"id": "radio.fi.1", "language": "fi", "score": 0.5}
    assert first["scores"] == {"char3_recall": -0.5, "clr": None} and first["unscored"] == {"clr": "Too short."}


def test_parquet_has_a_column_a_metric(workbench: Workbench, results: ResultView, folder: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(exported(workbench, results, "parquet", folder))
    assert table.column("char3_recall").to_pylist() == [-0.5, -0.5] and table.column("clr").null_count == 2
    assert table.column("answer").to_pylist() == [EVIL, SCRIPT]


def test_inspector_raget_has_an_evaluation_of_every_model_on_every_task(
    workbench: Workbench, results: ResultView, folder: Path
) -> None:
    document = json.loads(exported(workbench, results, "inspectorraget", folder).read_text(encoding="utf-8"))
    assert len(document["evaluations"]) == len(document["models"]) * len(document["tasks"]) == 2
    kinds = {metric["name"]: metric["type"] for metric in document["metrics"]}
    assert kinds == {"char3_recall": "numerical", "clr": "text"}
    documents = {item["document_id"]: item["text"] for item in document["documents"]}
    assert all(documents[item["document_id"]] for task in document["tasks"] for item in task["contexts"])
    assert document["evaluations"][0]["annotations"]["clr"]["system"]["value"] == "unscored"


def test_the_report_runs_and_fetches_nothing(workbench: Workbench, results: ResultView, folder: Path) -> None:
    page = exported(workbench, results, "html", folder).read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "src=" not in page and "href=" not in page and "url(" not in page
    assert "<h2>Findings</h2>" in page and page.count('class="bars"') == 2 and page.count('class="grid"') == 1
    assert "@page{size:A4" in page and "n 1, unscored" not in page


def test_a_report_may_hold_what_a_pilot_measured(workbench: Workbench, tmp_path: Path) -> None:
    engine = opened_store(workbench.settings.database_url)
    row = RunRow(0, "run", "d", "", "drag", "all", "p", "m", 5, "none", "", "0")
    experiment_id = add_experiment(engine, "Pilot", PILOT, "", 1, "", [row])
    Writer(engine, experiment_id, []).write(
        "detect language", 0, "d", [CellResult(0, Question("q", "?", "th", ("x",)), "x", "th")]
    )
    export(workbench, ResultStore(engine).of(), "html", tmp_path / "out.html")
    assert f"<title>{experiment_id}</title>" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_every_text_of_a_stranger_is_escaped_in_the_report(workbench: Workbench, tmp_path: Path) -> None:
    results = hostile(workbench, '"><img src=x onerror=alert(1)><!--')
    export(workbench, results, "html", tmp_path / "out.html")
    seen = _Tags()
    seen.feed((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert seen.tags <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "small", "br", "b", "ul", "li",
        "div", "i", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert seen.attributes <= {
        "lang", "charset", "http-equiv", "content", "dir", "class", "style",
    }  # fmt: skip


def test_a_report_has_three_metrics_that_are_chosen_or_say_something_of_each_step(
    workbench: Workbench, results: ResultView
) -> None:
    names = ("mrr", "em_well_formed", "em", "clr", "char3_recall", "hit@1", "hit@5")
    assert report_metrics(names) == ("char3_recall", "clr", "hit@5")
    assert report_metrics(names, ("em",)) == ("em",)
    with pytest.raises(UsageError, match="room for 3 metrics"):
        report_metrics(names, names[:4])
    with pytest.raises(UsageError, match="Unknown metric “x”"):
        html_report(results, ("x",))


def test_without_a_browser_a_sentence_says_how_to_print_the_report(
    workbench: Workbench, results: ResultView, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "BROWSERS", ())
    with pytest.raises(UsageError, match="Write the HTML report instead"):
        export(workbench, results, "pdf", folder / "x.pdf")
    assert list(folder.iterdir()) == []


def test_csv_has_the_name_of_each_run_beside_its_key_and_six_digits(
    workbench: Workbench, results: ResultView, folder: Path
) -> None:
    with exported(workbench, results, "csv", folder).open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert first["run"] == "run 0" and first["run_name"] != second["run_name"]


class _Tags(HTMLParser):
    """The names of all tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_inspector_raget_has_the_scale_of_each_metric(workbench: Workbench, tmp_path: Path) -> None:
    results = hostile(workbench, "x", Score(2.0))
    export(workbench, results.with_filter(Filter(runs=(1,))), "inspectorraget", tmp_path / "out.json")
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [metric["range"] for metric in document["metrics"]] == [[1, 5, 0.4]]


def test_an_unknown_format_and_empty_results_are_refused(
    workbench: Workbench, results: ResultView, folder: Path
) -> None:
    with pytest.raises(UsageError, match="Unknown export format “docx”"):
        export(workbench, results, "docx", folder / "x.docx")
    with pytest.raises(UsageError, match="no results to export"):
        export(workbench, results.with_filter(Filter(modes=("drag",))), "csv", folder / "x.csv")
    assert list(folder.iterdir()) == []
