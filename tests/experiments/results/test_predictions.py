"""Bring your own run: predictions from elsewhere become a run like any other, or are refused with file and row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.components.endpoint_file import NamedEndpoint, save_endpoint
from workbench.core.errors import UsageError, WorkbenchError
from workbench.data.corpora import sample
from workbench.experiments.results.predictions import NO_PREDICTION, ImportedPredictions, import_predictions
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.metrics.judged.judge import NO_INSTRUCTIONS, NO_PASSAGES

QUESTIONS = len(sample.questions("en"))


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(workbench: Workbench, path: Path, language: str = "en") -> ImportedPredictions:
    return import_predictions(workbench, path, "sample", title="My system", language=language)


def results(workbench: Workbench, predictions: ImportedPredictions) -> ResultView:
    return ResultStore.at(workbench.settings.database_url).of(predictions.experiment_id)


def test_predictions_are_scored_and_questions_without_one_count_as_failed(workbench: Workbench, tmp_path: Path) -> None:
    row = {"id": "q01", "answer": "It was Guglielmo Marconi.", "passages": ["radio.en.1", "no-such.en.1"]}
    done = imported(workbench, lines(tmp_path / "mine.jsonl", row))
    assert (done.predictions, done.missing) == (1, QUESTIONS - 1)
    view = results(workbench, done)
    (cell,) = view.instances(failed=False)
    assert cell.run.title == "My system" and cell.answer_language == "en"
    assert cell.scores["flexible_em"] == 1.0 and cell.scores["hit@5"] == 1.0
    assert [(name, code) for name, code, _ in cell.passages] == [("radio.en.1", "en"), ("no-such.en.1", "")]
    assert view.failures() == [(NO_PREDICTION, QUESTIONS - 1)]


def test_a_csv_may_hold_several_languages_and_no_passages(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,language,answer\nq01,fi,Marconi\nq01,th,มาร์โกนี\n", encoding="utf-8")
    done = imported(workbench, path, language="")
    assert (done.predictions, done.missing) == (2, 2 * (QUESTIONS - 1))
    cells = results(workbench, done).instances(failed=False)
    assert {cell.language: cell.scores["hit@5"] for cell in cells} == {"fi": None, "th": None}


@pytest.mark.parametrize("value", ["radio.en.1; radio.en.2", '["radio.en.1", "radio.en.2"]'])
def test_passages_in_a_cell_are_a_json_list_or_parted_by_semicolons(
    workbench: Workbench, tmp_path: Path, value: str
) -> None:
    done = imported(workbench, lines(tmp_path / "mine.jsonl", {"id": "q01", "answer": "x", "passages": value}))
    (cell,) = results(workbench, done).instances(failed=False)
    assert [name for name, _, _ in cell.passages] == ["radio.en.1", "radio.en.2"]


def test_a_judge_sees_the_passages_as_the_corpus_has_them(workbench: Workbench, tmp_path: Path) -> None:
    rows = [
        {"id": "q01", "answer": "Marconi", "passages": ["radio.en.1"]},
        {"id": "q02", "answer": "nobody", "passages": ["radio.en.1", "no-such.en.1"]},
    ]
    path = lines(tmp_path / "mine.jsonl", *rows)
    metrics = ("flexible_em", "correctness", "context_precision", "instruction_following")
    with misbehaving() as server:
        server.script = lambda user: "Verdict: 1"
        save_endpoint(workbench.settings.home, "judges", NamedEndpoint(url=server.url("says")))
        judge = "openai-like:m@judges"
        done = import_predictions(workbench, path, "sample", title="Mine", language="en", metrics=metrics, judge=judge)
        again = import_predictions(
            workbench, path, "sample", title="Again", language="en", metrics=metrics, judge=judge
        )
        prompts = [one.body["messages"][-1]["content"] for one in server.requests]
    (passage,) = workbench.corpus("sample").table.passages(
        list(workbench.corpus("sample").lexical.rows_of({"radio.en.1"}).values())
    )
    assert len(prompts) == 3 and sum(f"Passage: <<<{passage.searchable}>>>" in user for user in prompts) == 1
    for predictions in (done, again):
        view = results(workbench, predictions)
        cells = {cell.question: cell.scores for cell in view.instances(failed=False)}
        assert [cell[f"correctness@{judge}+ul"] for cell in cells.values()] == [1.0, 1.0]
        assert cells["q01"][f"context_precision@{judge}+ul"] == 1.0
        assert view.unscored(f"context_precision@{judge}+ul") == [(NO_PASSAGES.reason, 1)]
        assert view.unscored(f"instruction_following@{judge}+ul") == [(NO_INSTRUCTIONS.reason, 2)]


def test_a_judged_metric_without_a_judge_is_refused_before_the_file_is_read(
    workbench: Workbench, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="correctness needs a judge"):
        import_predictions(workbench, tmp_path / "none", "sample", title="Mine", metrics=["correctness"])


GOOD = {"id": "q01", "answer": "Marconi"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([GOOD, GOOD], "line 2 answers question “q01” a second time"),
        ([GOOD, {"id": "q99", "answer": "x"}], "answers question “q99” (en), which dataset “sample” does not have"),
        ([{"answer": "x"}], "line 1 lacks an id “id”"),
        ([{"id": "q01"}], "line 1 lacks “answer”"),
        ([{"id": "q01", "answer": 7}], "line 1 has an “answer” that is not a text"),
        ([{**GOOD, "passages": 7}], "line 1 has “passages” that are not a list of ids"),
        ([{**GOOD, "passages": "[1"}], "line 1 has “passages” that are not a complete JSON list"),
        ([{**GOOD, "passages": [str(n) for n in range(999)]}], "line 1 has 999 passages"),
        ([{**GOOD, "language": "sv"}], "line 1 is in “sv”, which dataset “sample” does not have"),
        ([["q01", "x"]], "line 1 is not a JSON object"),
        ([], "holds no predictions"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_imported(
    workbench: Workbench, tmp_path: Path, rows: list[Any], message: str
) -> None:
    with pytest.raises(WorkbenchError) as caught:
        imported(workbench, lines(tmp_path / "mine.jsonl", *rows))
    assert message in str(caught.value) and "nothing was imported" in str(caught.value)
    assert ResultStore.at(workbench.settings.database_url).experiments() == []


def test_a_language_is_needed(workbench: Workbench, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="states no language"):
        imported(workbench, lines(tmp_path / "mine.jsonl", GOOD), language="")


def test_what_another_systems_model_thinks_is_neither_scored_nor_shown(workbench: Workbench, tmp_path: Path) -> None:
    row = {"id": "q01", "answer": "<think>Is it Bell?</think>\n\nGuglielmo Marconi"}
    done = imported(workbench, lines(tmp_path / "mine.jsonl", row, {"id": "q02", "answer": "x"}))
    cell = next(cell for cell in results(workbench, done).instances(failed=False) if cell.question == "q01")
    assert (done.thoughts, cell.output, cell.scores["flexible_em"]) == (1, "Guglielmo Marconi", 1.0)
