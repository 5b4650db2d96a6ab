"""The `import` verbs: every source by one command, its languages, counts and what was left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused
from tests.data.datasets.forms import NULL, autorag, beir, borderlines, jsonl, mkqa_row, mlqa, tydi_row, write, xor_row


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def mkqa(folder: Path) -> Path:
    return write(folder, "mkqa.jsonl.gz", jsonl([*(mkqa_row(number) for number in range(9)), mkqa_row(9, fi=NULL)]))


def test_languages_and_counts_are_shown_and_what_was_left_out(run: Terminal, tmp_path: Path) -> None:
    result = run("import", "mkqa", mkqa(tmp_path), "--name", "mkqa", "--lang", "en", "--lang", "fi")
    assert result.out == "Dataset “mkqa”: en 10, fi 9 questions, parallel.\n"
    assert result.err == "Left out: 1 without an answer.\n"


def test_json_reports_the_same(run: Terminal, tmp_path: Path) -> None:
    result = run("import", "mkqa", mkqa(tmp_path), "--name", "mkqa", "--limit", 3, "--seed", 1, "--json").json
    assert result == {
        "corpus": None,
        "questions": {"en": 3, "fi": 3, "zh": 3},
        "left_out": {"without an answer": 1},
        "warnings": [],
    }


# ruff: noqa: E501
SETS: dict[str, tuple[Callable[[Path], Path], list[str], dict[str, int]]] = {
    "xor-tydi": (lambda f: write(f, "xor_dev_full.jsonl", jsonl([xor_row(1), xor_row(2, "ja")])), ["--full"], {"fi": 1, "ja": 1}),
    "tydi-qa": (lambda f: write(f, "t.jsonl", jsonl([tydi_row(1, "finnish", "Yksi.", "Yksi")])), ["--questions-only"], {"fi": 1}),
    "mlqa": (mlqa, ["--questions-only", "--lang", "de", "--context", "de"], {"de": 1}),
    "natural-questions": (lambda f: write(f, "n.jsonl", jsonl([{"question": "?", "answer": ["x"]}])), [], {"en": 1}),
    "borderlines": (borderlines, ["--lang", "fr"], {"fr": 1}),
    "beir": (beir, ["--lang", "en", "--questions-only"], {"en": 2}),
    "autorag": (autorag, ["--lang", "en", "--questions-only"], {"en": 2}),
    "table": (lambda f: write(f, "t.csv", "question,a\nKuka?,Minä\n"), ["--lang", "fi", "--answers", "a"], {"fi": 1}),
}  # fmt: skip


@pytest.mark.parametrize("verb", SETS)
def test_every_source_has_a_verb(verb: str, run: Terminal, tmp_path: Path) -> None:
    create, words, counts = SETS[verb]
    path = create(tmp_path / "files")
    result = run("import", verb, path, "--name", "mine", *words, "--json")
    assert result.json["questions"] == counts and result.json["corpus"] is None


def test_beir_provides_a_corpus(run: Terminal, tmp_path: Path) -> None:
    result = run("import", "beir", beir(tmp_path / "files"), "--lang", "en", "--name", "mine")
    assert "Corpus “mine”: 3 passages in en." in result.out and "Dataset “mine”: en 2 questions." in result.out


def test_gold_passages_of_a_table_are_in_an_existing_corpus(run: Terminal, tmp_path: Path) -> None:
    run("import", "beir", beir(tmp_path / "files"), "--lang", "en", "--name", "ferries")
    words = ("--lang", "en", "--gold", "gold", "--corpus", "ferries", "--name", "mine")
    good = run("import", "table", write(tmp_path, "t.csv", "question,gold\nWhere from?,d1\n"), *words)
    assert good.code == 0, good.err
    listed = {item["name"]: item for item in run("datasets", "list", "--json").json}
    assert listed["mine"]["corpus"] == "ferries"
    bad = run("import", "table", write(tmp_path, "t.csv", "question,gold\nWhere from?,d9\n"), *words)
    assert bad.code == 2 and "t.csv, row 2 names the passage “d9”" in bad.err


def test_gold_without_its_corpus_is_refused(run: Terminal, tmp_path: Path) -> None:
    result = run(
        "import", "table", write(tmp_path, "t.csv", "question\nx\n"), "--lang", "en", "--gold", "g", "--name", "mine"
    )
    assert result.code == 2 and "--gold COLUMN --corpus NAME" in result.err


def test_a_table_in_two_languages_needs_their_column(run: Terminal, tmp_path: Path) -> None:
    result = run(
        "import", "table", write(tmp_path, "t.csv", "question\nx\n"), "--lang", "en", "--lang", "fi", "--name", "mine"
    )
    assert result.code == 2 and "Type --lang once, for example: --lang fi" in result.err


def test_questions_that_are_there_are_neither_replaced_nor_extended_unasked(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "question,a\nKuka?,Minä\n")
    words = ("import", "table", path, "--lang", "fi", "--answers", "a", "--name", "mine")
    assert run(*words).code == 0
    refused(run(*words), "“mine” already has questions in a language of these files (1 in fi)", "--replace or --add")
    assert run(*words, "--replace", "--json").json["questions"] == {"fi": 1}
    assert run(*words, "--add", "--json").json["questions"] == {"fi": 2}


def test_answers_are_separated_unless_somebody_says_otherwise(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "question,a\nKuka?,Minä|Sinä\n")
    words = ("import", "table", path, "--lang", "fi", "--answers", "a")
    assert run(*words, "--name", "mine").err == ""
    whole = run(*words, "--separator", "", "--name", "whole")
    assert "1 answer cell holds “|”, which is not the separator" in whole.err
    shown = [run("datasets", "show", name, "--json").json["questions"][0]["answers"] for name in ("mine", "whole")]
    assert shown == [["Minä", "Sinä"], ["Minä|Sinä"]]


def test_a_question_that_the_corpus_does_not_answer_is_imported_without_gold(run: Terminal, tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "question,a,u\nKuka?,Minä,no\nMiksi?,,yes\n")
    words = ("import", "table", path, "--lang", "fi", "--answers", "a", "--unanswerable", "u", "--name", "mine")
    assert run(*words).code == 0
    assert "Miksi?\tno answer in the corpus" in run("datasets", "show", "mine").out
