"""`score`: predictions of a file, scored; what is wrong in a file is reported with its line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal, refused
from tests.servers.misbehaving import misbehaving
from workbench.components import factory
from workbench.retrieval.encoders.builtin_encoder import BuiltinEncoder

ROWS: list[dict[str, Any]] = [
    {"id": "1", "prediction": "It was Sofia Kovalevskaia", "answers": ["Sofya Kovalevskaya"], "language": "en"},
    {"id": "2", "prediction": "anything", "answers": ["The", "?"], "language": "en"},
    {"id": "3", "prediction": "答案是北京。", "answers": ["北京"], "language": "zh"},
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def write(folder: Path, *rows: object) -> Path:
    path = folder / "predictions.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_means_intervals_and_counts_come_over_all_and_by_language(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, *ROWS)
    result = run("score", path, "--metrics", "char3_recall,clr", "--json").json
    assert result.keys() == {"metrics", "languages"}
    assert result["languages"].keys() == {"en", "zh"}
    assert result["languages"]["zh"]["char3_recall"] == {"mean": 1.0, "low": None, "high": None, "n": 1, "unscored": 0}
    overall = result["metrics"]["char3_recall"]
    assert overall["mean"] == pytest.approx((9 / 13 + 1) / 2) and (overall["n"], overall["unscored"]) == (2, 1)
    assert 0 <= overall["low"] <= overall["mean"] <= overall["high"] <= 1
    assert result["languages"]["zh"]["clr"] == {"mean": None, "low": None, "high": None, "n": 0, "unscored": 1}


def test_rows_of_one_id_are_one_question_in_several_languages(run: Terminal, tmp_path: Path) -> None:
    rows = [ROWS[0], {**ROWS[2], "id": "1"}]
    overall = run("score", write(tmp_path, *rows), "--metrics", "char3_recall", "--json").json["metrics"]
    assert (overall["char3_recall"]["n"], overall["char3_recall"]["low"]) == (2, None)


def test_the_codes_of_datasets_are_mapped_to_ours(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, *({**ROWS[0], "id": code, "language": code} for code in ("zh_cn", "pt-BR", "arb_Arab")))
    result = run("score", path, "--metrics", "char3_recall", "--json").json
    assert list(result["languages"]) == ["zh", "pt", "ar"]


def test_for_people_the_reasons_of_unscored_answers_are_listed(run: Terminal, tmp_path: Path) -> None:
    result = run("score", write(tmp_path, *ROWS), "--metrics", "flexible_em")
    assert re.search(r"flexible_em  0\.5000  \[0\.\d{4}, [01]\.\d{4}\]  \(n 2, unscored 1\)", result.out)
    assert "1 unscored. No gold answer is left after normalisation." in result.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--judge", "gpt-4o"), "A judge is named, but no metric that uses it"),
        (("--encoder", "bge-m3"), "An encoder is named, but no metric that uses it"),
    ],
)
def test_a_model_that_no_metric_uses_is_refused(
    run: Terminal, tmp_path: Path, words: tuple[str, str], expected: str
) -> None:
    refused(run("score", write(tmp_path, *ROWS), "--metrics", "flexible_em", *words), expected)


def test_the_host_of_an_encoder_is_reported(run: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = BuiltinEncoder.fit([row["prediction"] for row in ROWS])
    encoder.save(tmp_path)
    monkeypatch.setattr(factory, "dense_encoder", lambda name, home: encoder)
    result = run("score", write(tmp_path, *ROWS), "--metrics", "semscore", "--encoder", "openai-text-embedding-3-large")
    assert "Texts are sent to api.openai.com." in result.err


def test_an_answer_may_be_empty_and_golds_may_be_one_text_or_none(run: Terminal, tmp_path: Path) -> None:
    rows = [
        {"id": 1, "prediction": "", "answers": "Paris", "language": "fr"},
        {"id": 2, "prediction": "x", "answers": [], "language": "fr"},
    ]
    em = run("score", write(tmp_path, *rows), "--metrics", "em", "--json").json["metrics"]["em"]
    assert (em["mean"], em["n"], em["unscored"]) == (0.0, 1, 1)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("{", "line 4 is not complete JSON"),
        ("[]", "line 4 is not a JSON object"),
        ({"id": "3", "answers": ["a"], "language": "en"}, "line 4 lacks a text “prediction”"),
        ({"id": "3", "prediction": 7, "answers": ["a"], "language": "en"}, "line 4 lacks a text “prediction”"),
        ({"id": "3", "prediction": "a", "language": "en"}, "line 4 lacks a list of texts “answers”"),
        ({"id": "3", "prediction": "a", "answers": [1], "language": "en"}, "line 4 lacks a list of texts “answers”"),
        ({"id": "3", "prediction": "a", "answers": ["a"]}, "line 4 lacks a text “language”"),
        ({"id": "3", "prediction": "a", "answers": ["a"], "language": "English"}, "line 4 has the language “English”"),
        ({"prediction": "a", "answers": ["a"], "language": "en"}, "line 4 lacks an id “id”"),
        (ROWS[0], "line 4 has the id “1” in “en”, which predictions.jsonl, line 1 already has"),
    ],
)
def test_a_faulty_row_is_named_in_one_sentence(run: Terminal, tmp_path: Path, row: object, expected: str) -> None:
    result = run("score", write(tmp_path, *ROWS, row), "--metrics", "em", "--json")
    refused(result, "Error: predictions.jsonl", expected, "so nothing was scored")


def test_a_file_without_rows_is_refused(run: Terminal, tmp_path: Path) -> None:
    refused(run("score", write(tmp_path), "--metrics", "em"), "holds no rows")


def test_a_missing_file_is_refused(run: Terminal, tmp_path: Path) -> None:
    refused(run("score", tmp_path / "gone.jsonl", "--metrics", "em"), "no file")


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ("accuracy", "Unknown metric “accuracy”. Allowed: abstention_error, bleu,"),
        (" , ", "No metrics are named"),
        ("em,semscore", "needs an encoder"),
        ("correctness", "needs a judge"),
    ],
)
def test_unavailable_metrics_are_refused_before_the_file_is_read(
    run: Terminal, tmp_path: Path, metrics: str, expected: str
) -> None:
    refused(run("score", write(tmp_path, "{"), "--metrics", metrics), expected)


def test_a_judge_is_named_and_called_once_for_the_same_reply(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, {**ROWS[0], "question": "Who?"})
    with misbehaving() as server:
        server.script = lambda user: "Verdict: 1"
        words = (path, "--metrics", "correctness", "--judge", f"openai-like:m@{server.url('says')}")
        result = run("score", *words, "--json").json
        again = run("score", *words)
        assert len(server.requests) == 1
    assert result["metrics"]["correctness+ul"]["mean"] == 1.0
    assert (result["judge"], result["judge_language"]) == (words[-1], "answer")
    assert f"Judged by {words[-1]}, asked in the answer's language." in again.err and "Texts are sent" not in again.err


def test_a_judge_that_is_asked_in_both_languages_gives_two_figures(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, {**ROWS[0], "language": "fi", "question": "Kuka?"})
    with misbehaving() as server:
        server.script = lambda user: "Ratkaisu: kyllä" if "Kysymys:" in user else "Verdict: 0"
        words = (path, "--metrics", "correctness", "--judge", f"openai-like:m@{server.url('says')}")
        metrics = run("score", *words, "--judge-language", "both", "--json").json["metrics"]
    assert {name: figure["mean"] for name, figure in metrics.items()} == {"correctness+ul": 1.0, "correctness": 0.0}


def test_the_host_of_a_judge_is_reported(run: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = write(tmp_path, {**ROWS[0], "question": "Who?"})
    result = run("score", path, "--metrics", "correctness", "--judge", "openai-like:gpt-4o")
    assert "Texts are sent to api.openai.com." in result.err
    assert "1 unscored. The judge gave no reply:" in result.err and "OPENAI_API_KEY" in result.err


def test_both_rates_of_nomiracl_are_figured_from_marked_rows(run: Terminal, tmp_path: Path) -> None:
    marked = {"answers": [], "language": "fi", "unanswerable": True}
    rows = [
        {**marked, "id": "1", "prediction": "En tiedä."},
        {**marked, "id": "2", "prediction": "Marconi"},
        {**marked, "id": "3", "prediction": "Bell", "unanswerable": False, "answers": ["Meucci"]},
        {**marked, "id": "4", "prediction": "", "unanswerable": False, "answers": ["Meucci"]},
        # As exports write it.
        {"id": "5", "prediction": "", "answers": [], "language": "fi", "evidence_in": "none"},
    ]
    figures = run("score", write(tmp_path, *rows), "--json").json["metrics"]
    assert (figures["hallucination"]["mean"], figures["hallucination"]["n"]) == (pytest.approx(1 / 3), 3)
    assert (figures["abstention_error"]["mean"], figures["abstention_error"]["n"]) == (0.5, 2)
    assert (figures["flexible_em"]["n"], figures["flexible_em"]["unscored"]) == (2, 3)


def test_a_mark_that_is_neither_true_nor_false_is_refused(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, {**ROWS[0], "unanswerable": "maybe"})
    refused(run("score", path), "line 1 has “unanswerable”: “maybe” instead of true or false")


def test_what_a_model_thinks_is_not_scored_and_that_is_reported(run: Terminal, tmp_path: Path) -> None:
    row = {**ROWS[0], "prediction": "<think>Sofya Kovalevskaya?</think>Nobody"}
    path = write(tmp_path, row, {**row, "id": "2", "prediction": "Sofya Kovalevskaya"})
    result = run("score", path, "--metrics", "flexible_em", "--json").json
    assert (result["metrics"]["flexible_em"]["mean"], result["thinking_left_out"]) == (0.5, 1)
    assert "(<think> …) was left out of 1 of the predictions." in run("score", path).err


def test_the_level_of_chance_is_shown_by_language_for_metrics_against_golds(run: Terminal, tmp_path: Path) -> None:
    endings = ("alking", "eading", "riting", "inging")
    rows = [{"id": text, "prediction": "x", "answers": [text], "language": "en"} for text in endings]
    path = write(tmp_path, *rows, {**ROWS[2], "id": "z"})
    words = (path, "--metrics", "char3_recall,clr", "--chance")
    # Each gold shares the last gram of its four; Chinese has one question, which leaves nothing to compare.
    assert run("score", *words, "--json").json["chance"] == {"en": {"char3_recall": 0.25}, "zh": {}}
    assert "  en  char3_recall  by chance 0.2500" in run("score", *words).out
    assert "chance" not in run("score", *words[:-1], "--json").json
