"""Any table under a mapping: columns, answers in their many forms, languages, gold passages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.data.datasets.forms import jsonl, write
from workbench.core.errors import DataError, UsageError
from workbench.data.corpora.corpus import Corpus
from workbench.data.datasets.formats.table import Columns, read_table

CSV = "nr,kieli,kysymys,vastaus\n7,fi,Kuka?,Minä|Sinä\n7,sv,Vem?,Jag\n"


def test_columns_are_taken_as_the_mapping_says(tmp_path: Path) -> None:
    columns = Columns("kysymys", "vastaus", "nr", "kieli", separator="|")
    read = read_table(write(tmp_path, "t.csv", CSV), columns)
    assert [(q.id, q.language, q.text, q.answers) for q in read.questions] == [
        ("7", "fi", "Kuka?", ("Minä", "Sinä")),
        ("7", "sv", "Vem?", ("Jag",)),
    ]
    assert read.parallel


def test_languages_with_other_ids_are_not_parallel(tmp_path: Path) -> None:
    read = read_table(
        write(tmp_path, "t.csv", CSV.replace("7,sv", "8,sv")), Columns("kysymys", id="nr", language="kieli")
    )
    assert not read.parallel and read.languages() == {"fi": 1, "sv": 1}


def test_only_the_languages_named_are_taken(tmp_path: Path) -> None:
    read = read_table(write(tmp_path, "t.csv", CSV), Columns("kysymys", language="kieli"), languages=["sv"])
    assert [question.id for question in read.questions] == ["row000002"]


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("Minä", ("Minä",)),
        (" Minä ; Sinä ;; Minä", ("Minä", "Sinä")),
        ('["Minä; minä", "Sinä"]', ("Minä; minä", "Sinä")),
        (["Minä", " ", "Sinä"], ("Minä", "Sinä")),
        ({"text": ["Minä"], "answer_start": [3]}, ("Minä",)),
        ([{"text": "Minä", "answer_start": 3}], ("Minä",)),
        (1954, ("1954",)),
    ],
)
def test_answers_come_in_many_forms(value: Any, answers: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path, "t.jsonl", jsonl([{"question": "Kuka?", "a": value}]))
    assert read_table(path, Columns(answers="a", separator=";"), languages=["fi"]).questions[0].answers == answers


def test_a_tsv_and_a_gzipped_csv_are_read(tmp_path: Path) -> None:
    tsv = write(tmp_path, "t.tsv", "question\tother\nKuka, missä?\tx\n")
    packed = write(tmp_path, "t.csv.gz", 'question,other\n"Kuka, missä?",x\n')
    for path in (tsv, packed):
        assert read_table(path, Columns(), languages=["fi"]).questions[0].text == "Kuka, missä?"


def _corpus(*ids: str) -> Corpus:
    """A corpus of which only its name and the ids of its passages are known."""
    lexical = SimpleNamespace(rows_of=lambda names: {name: 0 for name in names if name in ids})
    return cast(Corpus, SimpleNamespace(lexical=lexical, manifest=SimpleNamespace(name="mine")))


def test_gold_passages_are_looked_up_in_their_corpus(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "question,gold\nKuka?,p1 p2\nMissä?,p3\n")
    columns = Columns(gold="gold", separator=" ")
    read = read_table(path, columns, languages=["fi"], corpus=_corpus("p1", "p2", "p3"))
    assert [question.gold for question in read.questions] == [("p1", "p2"), ("p3",)]
    with pytest.raises(DataError, match=r"t.csv, row 3 names the passage “p3”, which the corpus does not have"):
        read_table(path, columns, languages=["fi"], corpus=_corpus("p1", "p2"))


@pytest.mark.parametrize("languages", [[], ["fi", "sv"], ["all"]])
def test_a_table_whose_rows_state_no_language_needs_the_one_of_all(languages: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="A table needs its language"):
        read_table(write(tmp_path, "t.csv", CSV), Columns("kysymys"), languages=languages)


def test_a_sheet_goes_with_a_workbook_only(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"t\.csv has no sheets"):
        read_table(write(tmp_path, "t.csv", CSV), Columns(), languages=["fi"], sheet="one")


ROWS = "question,a,u,gold\nKuka?,Minä,{},p1\nMiksi?,{},{},\n"
MARKED = Columns(answers="a", unanswerable="u", separator="|")


@pytest.mark.parametrize(("answer", "mark"), [("", "yes"), ("", "TRUE"), ("", "unanswerable"), ("Unanswerable", "")])
def test_a_question_that_the_corpus_does_not_answer_is_marked(answer: str, mark: str, tmp_path: Path) -> None:
    read = read_table(write(tmp_path, "t.csv", ROWS.format("no", answer, mark)), MARKED, languages=["fi"])
    assert [(q.answers, q.evidence_in) for q in read.questions] == [(("Minä",), ""), ((), "none")]


def test_squad_s_mark_in_json_lines_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "t.jsonl", jsonl([{"question": "Miksi?", "a": {"text": []}, "u": True}]))
    (question,) = read_table(path, MARKED, languages=["fi"]).questions
    assert question.evidence_in == "none"


def test_a_question_marked_unanswerable_with_gold_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", ROWS.format("yes", "x", "no"))
    with pytest.raises(DataError, match=r"t.csv, row 2 is marked unanswerable and has “Minä” as gold"):
        read_table(path, MARKED, languages=["fi"])


def test_a_mark_that_is_neither_yes_nor_no_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", ROWS.format("perhaps", "x", "no"))
    with pytest.raises(DataError, match=r"row 2 has “perhaps” in column “u”, which is neither yes nor no"):
        read_table(path, MARKED, languages=["fi"])


def test_a_row_without_an_answer_says_how_to_mark_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"row 3 has no answer in column “a” \(write “unanswerable” where"):
        read_table(write(tmp_path, "t.csv", ROWS.format("", "", "")), MARKED, languages=["fi"])


def test_gold_passages_that_are_unanswerable_are_none(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "question,gold\nMiksi?,unanswerable\n")
    (question,) = read_table(path, Columns(gold="gold"), languages=["fi"], corpus=_corpus()).questions
    assert (question.gold, question.evidence_in) == ((), "none")


@pytest.mark.parametrize(
    ("separator", "warnings"),
    [
        ("|", ("1 answer cell holds “;”, which is not the separator: what it separates counts as one answer.",)),
        (";", ("2 answer cells hold “|”, which is not the separator: what it separates counts as one answer.",)),
    ],
)
def test_cells_with_a_separator_that_is_not_in_use_are_counted(
    separator: str, warnings: tuple[str, ...], tmp_path: Path
) -> None:
    rows = [["a|b"], "a|b", "a|b", "a;b", '["a;b"]']
    path = write(tmp_path, "t.jsonl", jsonl([{"question": "?", "a": value} for value in rows]))
    assert read_table(path, Columns(answers="a", separator=separator), languages=["fi"]).warnings == warnings
