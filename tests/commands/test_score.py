"""`score`: predictions of a file, measured; what is wrong in a file is said with its line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from tests.servers.misbehaving import misbehaving
from workbench.commands import score
from workbench.components import makers
from workbench.errors import DataError, UsageError
from workbench.retrieval.encoders.builtin.builtin_encoder import BuiltinEncoder

ROWS: list[dict[str, Any]] = [
    {"id": "1", "prediction": "It was Sofia Kovalevskaia", "answers": ["Sofya Kovalevskaya"], "language": "en"},
    {"id": "2", "prediction": "anything", "answers": ["The", "?"], "language": "en"},
    {"id": "3", "prediction": "答案是北京。", "answers": ["北京"], "language": "zh"},
]


def written(folder: Path, *rows: object) -> Path:
    path = folder / "predictions.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run(*words: object) -> Any:
    app = typer.Typer()
    score.register(app)
    said = CliRunner().invoke(app, [str(word) for word in words])
    if said.exception and not isinstance(said.exception, SystemExit):
        raise said.exception
    assert said.exit_code == 0, said.output
    return said


def test_means_intervals_and_counts_come_over_all_and_by_language(tmp_path: Path) -> None:
    path = written(tmp_path, *ROWS)
    said = json.loads(run(path, "--metrics", "char3_recall,clr", "--json").stdout)
    assert said.keys() == {"metrics", "languages"}
    assert said["languages"].keys() == {"en", "zh"}
    assert said["languages"]["zh"]["char3_recall"] == {"mean": 1.0, "low": None, "high": None, "n": 1, "unscored": 0}
    whole = said["metrics"]["char3_recall"]
    assert whole["mean"] == pytest.approx((9 / 13 + 1) / 2) and (whole["n"], whole["unscored"]) == (2, 1)
    assert 0 <= whole["low"] <= whole["mean"] <= whole["high"] <= 1
    assert said["languages"]["zh"]["clr"] == {"mean": None, "low": None, "high": None, "n": 0, "unscored": 1}


def test_rows_of_one_id_are_one_question_in_several_languages(tmp_path: Path) -> None:
    rows = [ROWS[0], {**ROWS[2], "id": "1"}]
    whole = json.loads(run(written(tmp_path, *rows), "--metrics", "char3_recall", "--json").stdout)["metrics"]
    assert (whole["char3_recall"]["n"], whole["char3_recall"]["low"]) == (2, None)


def test_the_codes_of_datasets_are_read_as_ours(tmp_path: Path) -> None:
    path = written(tmp_path, *({**ROWS[0], "id": code, "language": code} for code in ("zh_cn", "pt-BR", "arb_Arab")))
    said = json.loads(run(path, "--metrics", "char3_recall", "--json").stdout)
    assert list(said["languages"]) == ["zh", "pt", "ar"]


def test_for_people_the_reasons_of_unscored_answers_are_said(tmp_path: Path) -> None:
    said = run(written(tmp_path, *ROWS), "--metrics", "flexible_em")
    assert re.search(r"flexible_em  0\.5000  \[0\.\d{4}, [01]\.\d{4}\]  \(n 2, unscored 1\)", said.output)
    assert "1 unscored. No gold answer is left after normalisation." in said.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "gpt-4o"), "A judge is named, but no metric that it gives"),
        (("--encoder", "bge-m3"), "An encoder is named, but not its metric"),
    ],
)
def test_a_model_that_no_metric_asks_is_refused(tmp_path: Path, words: tuple[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run(written(tmp_path, *ROWS), "--metrics", "flexible_em", *words)


def test_a_service_that_encodes_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = BuiltinEncoder.fit([row["prediction"] for row in ROWS])
    encoder.save(tmp_path)
    monkeypatch.setattr(makers, "dense_encoder", lambda name, home: encoder)
    said = run(written(tmp_path, *ROWS), "--metrics", "semscore", "--encoder", "openai-text-embedding-3-large")
    assert "Texts are sent to api.openai.com." in said.output


def test_an_answer_may_be_empty_and_golds_may_be_one_text_or_none(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "prediction": "", "answers": "Paris", "language": "fr"},
        {"id": 2, "prediction": "x", "answers": [], "language": "fr"},
    ]
    found = json.loads(run(written(tmp_path, *rows), "--metrics", "em", "--json").stdout)["metrics"]["em"]
    assert (found["mean"], found["n"], found["unscored"]) == (0.0, 1, 1)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 4 is not whole JSON"),
        ("[]", "line 4 is no JSON object"),
        ({"id": "3", "answers": ["a"], "language": "en"}, "line 4 lacks a text “prediction”"),
        ({"id": "3", "prediction": 7, "answers": ["a"], "language": "en"}, "line 4 lacks a text “prediction”"),
        ({"id": "3", "prediction": "a", "language": "en"}, "line 4 lacks a list of texts “answers”"),
        ({"id": "3", "prediction": "a", "answers": [1], "language": "en"}, "line 4 lacks a list of texts “answers”"),
        ({"id": "3", "prediction": "a", "answers": ["a"]}, "line 4 lacks a text “language”"),
        ({"id": "3", "prediction": "a", "answers": ["a"], "language": "English"}, "line 4 has the language “English”"),
        ({"prediction": "a", "answers": ["a"], "language": "en"}, "line 4 lacks an id “id”"),
        (ROWS[0], "line 4 has the id “1” in “en”, which predictions.jsonl, line 1 has already"),
    ],
)
def test_a_faulty_row_is_named_in_one_sentence(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(DataError) as error:
        run(written(tmp_path, *ROWS, row), "--metrics", "em", "--json")
    message = str(error.value)
    assert message.startswith("predictions.jsonl") and said in message and "so nothing was scored" in message
    assert "\n" not in message


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no rows"):
        run(written(tmp_path), "--metrics", "em")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        run(tmp_path / "gone.jsonl", "--metrics", "em")


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ("accuracy", "Unknown metric “accuracy”. Allowed: bleu,"),
        (" , ", "No metrics are named"),
        ("em,semscore", "needs an encoder"),
        ("correctness", "needs a judge"),
    ],
)
def test_metrics_that_cannot_be_had_are_refused_before_the_file_is_read(
    tmp_path: Path, metrics: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        run(written(tmp_path, "{"), "--metrics", metrics)


def test_a_judge_is_named_and_asked_once_for_what_it_said_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    path = written(tmp_path, {**ROWS[0], "question": "Who?"})
    with misbehaving() as server:
        server.script = lambda user: "Verdict: 1"
        words = (path, "--metrics", "correctness", "--judge", f"openai-like:m@{server.url('says')}")
        said = json.loads(run(*words, "--json").stdout)
        again = run(*words)
        assert len(server.asked) == 1
    assert said["metrics"]["correctness"]["mean"] == 1.0
    assert said["judge"] == words[-1]
    assert f"Judged by {words[-1]}." in again.stderr and "Texts are sent" not in again.stderr


def test_where_a_judge_sends_texts_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = written(tmp_path, {**ROWS[0], "question": "Who?"})
    said = run(path, "--metrics", "correctness", "--judge", "openai-like:gpt-4o")
    assert "Texts are sent to api.openai.com." in said.stderr
    assert "1 unscored. The judge gave no reply:" in said.stderr and "OPENAI_API_KEY" in said.stderr
