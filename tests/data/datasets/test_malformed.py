"""Malformed files: one sentence with file and row, exit code 2, and an unchanged workspace."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.terminal import terminal
from tests.data.datasets.forms import (
    NULL,
    autorag,
    beir,
    borderlines,
    jsonl,
    mkqa_row,
    mlqa,
    squad_form,
    tydi_row,
    write,
    xor_row,
)
from tests.trees import tree
from workbench.core.errors import DataError, MissingError, UsageError
from workbench.core.records import Question
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.workbook import workbook_records

Make = Callable[[Path], Path]


@dataclass(frozen=True)
class Case:
    """A malformed file: `make` writes it and returns the path to import with `words`; `parts` of the message."""

    name: str
    words: str
    make: Make
    parts: tuple[str, ...]


def data(name: str, body: bytes | str) -> Make:
    return lambda folder: write(folder, name, body)


def sparse(name: str, size: int) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        with path.open("wb") as file:
            file.truncate(size)
        return path

    return make


def cut(name: str, body: bytes, keep: float = 0.6) -> Make:
    packed = gzip.compress(body, 1)
    return lambda folder: _bytes(folder / name, packed[: int(len(packed) * keep)])


def _bytes(path: Path, body: bytes) -> Path:
    path.write_bytes(body)
    return path


def tydi(**annotation: int) -> dict[str, object]:
    row = tydi_row(1, "finnish", "Äiti.\nJää.", "Jää")
    row["annotations"][0]["minimal_answer"].update({key: value for key, value in annotation.items() if key != "index"})
    if "index" in annotation:
        row["annotations"][0]["passage_answer"]["candidate_index"] = annotation["index"]
    return row


def autorag_cut(folder: Path) -> Path:
    path = autorag(folder) / "qa.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    return folder


def autorag_corpus_lacks(folder: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"doc_id": ["p1"], "text": ["x"]}), autorag(folder) / "corpus.parquet")
    return folder


def mlqa_twice(folder: Path) -> Path:
    body = json.dumps(squad_form("Zug", ("Eins.", [("q1", "Wann?", "Eins")]), ("Zwei.", [("q1", "Wo?", "Zwei")])))
    write(mlqa(folder), "test/test-context-de-question-de.json", body)
    return folder


def mlqa_broken(folder: Path) -> Path:
    write(mlqa(folder), "test/test-context-en-question-de.json", '{"data": [')
    return folder


def without(name: str) -> Make:
    def make(folder: Path) -> Path:
        (beir(folder) / name).unlink()
        return folder

    return make


MKQA = jsonl(mkqa_row(number) for number in range(1, 400))
SEVENTH = jsonl(mkqa_row(number) for number in range(1, 7)) + b'{"query": "x", "answers": }\n' + jsonl([mkqa_row(8)])
TABLE = "table {} --lang fi --answers answers --id id"

# ruff: noqa: E501
CASES = [
    Case("cut gzip", "mkqa {}", cut("mkqa.jsonl.gz", MKQA), ("mkqa.jsonl.gz is a truncated gzip file", "line")),
    Case("damaged gzip", "mkqa {}", lambda f: _bytes(f / "m.gz", gzip.compress(MKQA, 1)[:40] + b"\xff" * 99), ("m.gz is a damaged gzip file after line 0",)),
    Case("bad JSON on line 7", "mkqa {}", data("m.jsonl", SEVENTH), ("m.jsonl, line 7 is not complete JSON", "column 27")),
    Case("bad JSON on line 7, gzipped", "mkqa {}", data("m.jsonl.gz", SEVENTH), ("m.jsonl.gz, line 7 is not complete JSON",)),
    Case("duplicate id", "mkqa {}", data("m.jsonl", jsonl([mkqa_row(1), mkqa_row(2), mkqa_row(1)])), ("“1” in m.jsonl, line 3 is already in m.jsonl, line 1",)),
    Case("another set's columns", "mkqa {}", data("m.jsonl", jsonl([xor_row(1)])), ("m.jsonl, line 1 lacks an id “example_id”",)),
    Case("no queries", "mkqa {}", data("m.jsonl", jsonl([{"example_id": 1, "answers": {}}])), ("line 1 lacks an object “queries”",)),
    Case("answers that are a text", "mkqa {}", data("m.jsonl", jsonl([mkqa_row(1), mkqa_row(2, fi="x")])), ("m.jsonl, line 2 lacks a list of objects “fi”",)),
    Case("aliases that are numbers", "mkqa {}", data("m.jsonl", jsonl([mkqa_row(1, fi=[{"text": "x", "aliases": [3]}])])), ("line 1 lacks a list of texts “aliases”",)),
    Case("a language lacking in one line", "mkqa {}", data("m.jsonl", jsonl([mkqa_row(1), {**mkqa_row(2), "queries": {"en": "x"}}])), ("m.jsonl, line 2 lacks a text “fi”",)),
    Case("every answer null", "mkqa {} --lang fi", data("m.jsonl", jsonl([mkqa_row(1, fi=NULL)])), ("m.jsonl holds no question", "1 without an answer")),
    Case("Latin-1", "mkqa {}", data("m.jsonl", jsonl([mkqa_row(1)]) + '{"query": "é"}\n'.encode("latin-1")), ("m.jsonl, line 2 is not UTF-8 (byte 12 of the line)",)),
    Case("UTF-16", "mkqa {}", data("m.jsonl", '{"query": "x"}'.encode("utf-16")), ("m.jsonl, line 1 is not UTF-8",)),
    Case("a line of 2 GB", "mkqa {}", sparse("m.jsonl", 2 << 30), ("m.jsonl, line 1 is longer than 16 MiB",)),
    Case("a gzip bomb", "mkqa {}", data("m.jsonl.gz", jsonl([mkqa_row(1)]) + b" " * (40 << 20)), ("m.jsonl.gz, line 2 is longer than 16 MiB",)),
    Case("an empty file", "mkqa {}", data("m.jsonl", b""), ("m.jsonl holds no question",)),
    Case("a list in a line", "mkqa {}", data("m.jsonl", jsonl([mkqa_row(1), []])), ("m.jsonl, line 2 is not a JSON object",)),
    Case("an invalid character", "mkqa {}", data("m.jsonl", b'{"query": "\\ud800"}\n'), ("m.jsonl, line 1 contains an invalid character",)),
    Case("nested too deeply", "mkqa {}", data("m.jsonl", b"[" * 200_000), ("m.jsonl, line 1 is nested too deeply",)),
    Case("a number of 5000 digits", "mkqa {}", data("m.jsonl", b'{"example_id": ' + b"9" * 5000 + b"}"), ("line 1 contains a number that is too long",)),
    Case("XOR without a question", "xor-tydi {}", data("x.jsonl", jsonl([xor_row(1), xor_row(2, question=" ")])), ("x.jsonl, line 2 has an empty “question”",)),
    Case("XOR with a language's name", "xor-tydi {}", data("x.jsonl", jsonl([xor_row(1, lang="Finnish")])), ("x.jsonl, line 1 has a “lang” that is not a language code",)),
    Case("XOR's test file", "xor-tydi {}", data("x.jsonl", jsonl([xor_row(1, answers=None)])), ("x.jsonl holds no question", "1 without an answer")),
    Case("XOR in a language it lacks", "xor-tydi {} --lang sw", data("x.jsonl", jsonl([xor_row(1)])), ("Unknown language of these files “sw”. Allowed: fi",)),
    Case("an offset past the end", "tydi-qa {}", data("t.jsonl", jsonl([tydi(plaintext_end_byte=99)])), ("t.jsonl, line 1 has the answer of annotation 1 at bytes 7 to 99 of an article of 13",)),
    Case("an offset within a character", "tydi-qa {}", data("t.jsonl", jsonl([tydi(plaintext_end_byte=9)])), ("bytes 7 to 9, which cut a character in two",)),
    Case("a passage that does not exist", "tydi-qa {}", data("t.jsonl", jsonl([tydi(index=5)])), ("t.jsonl, line 1 points in annotation 1 to passage 6",)),
    Case("a language TyDi lacks", "tydi-qa {}", data("t.jsonl", jsonl([tydi_row(1, "klingon", "Qa.", "Qa")])), ("line 1 has the language “klingon”",)),
    Case("a gold passage of no language", "tydi-qa {}", data("t.json", json.dumps(squad_form("T", ("Text.", [("q-1", "?", "x")])))), ("t.json, article 1, paragraph 1 has the question id “q-1”",)),
    Case("a split MLQA lacks", "mlqa {} --split train", mlqa, ("Unknown split of MLQA “train”. Allowed: test",)),
    Case("no MLQA at all", "mlqa {}", lambda f: f, ("has no MLQA file", "test-context-en-question-de.json")),
    Case("an MLQA file cut", "mlqa {}", mlqa_broken, ("test-context-en-question-de.json is not complete JSON",)),
    Case("an MLQA id twice", "mlqa {}", mlqa_twice, ("“q1” in test-context-de-question-de.json, article 1, paragraph 2 is already",)),
    Case("KILT and NQ-open mixed", "natural-questions {}", data("n.jsonl", jsonl([{"id": "1", "input": "?"}, {"question": "?", "answer": ["x"]}])), ("n.jsonl, line 2 differs in form",)),
    Case("NQ-open's answer an object", "natural-questions {}", data("n.jsonl", jsonl([{"question": "?", "answer": {"a": 1}}])), ("n.jsonl, line 1 lacks a list of texts “answer”",)),
    Case("territories without claimants", "borderlines {}", lambda f: borderlines(f, **{"disputed_territories.csv": "Territory,Controller\nRock,Freedonia\n"}), ("disputed_territories.csv, row 2 lacks a text “Claimants”",)),
    Case("a prompt too few", "borderlines {}", lambda f: borderlines(f, **{"translate/prompts_mc_q/prompts.fr": "Une ?\n"}), ("prompts.fr has 1 questions, choices.fr 2 and line_inds.fr.txt 2",)),
    Case("a claimant too few", "borderlines {}", lambda f: borderlines(f, **{"translate/prompts_mc_q/choices.fr": '["A"]\n["B", "C"]\n'}), ("choices.fr, line 1 should name 2 claimants of “Long_Island”",)),
    Case("a row that does not exist", "borderlines {}", lambda f: borderlines(f, **{"translate/terms/line_inds.fr.txt": "[0, 7]"}), ("line_inds.fr.txt is not a JSON list of rows",)),
    Case("countries in a list", "borderlines {}", lambda f: borderlines(f, **{"countries_info.json": '["France"]'}), ("countries_info.json is not a JSON object of countries",)),
    Case("a country that is a word", "borderlines {}", lambda f: borderlines(f, **{"countries_info.json": '{"France": "fr"}'}), ("countries_info.json is not a JSON object of countries",)),
    Case("no BORDERLINES at all", "borderlines {}", lambda f: f, ("has no disputed_territories.csv",)),
    Case("a judged document that does not exist", "beir {} --lang en", lambda f: beir(f, **{"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td9\t1\n"}), ("test.tsv, row 2 judges the document “d9”",)),
    Case("a judged question that does not exist", "beir {} --lang en", lambda f: beir(f, **{"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq9\td1\t1\n"}), ("test.tsv, row 3 judges the question “q9”",)),
    Case("a score that is not a number", "beir {} --lang en", lambda f: beir(f, **{"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\tyes\n"}), ("test.tsv, row 2 has the score “yes”",)),
    Case("qrels of TREC", "beir {} --lang en", lambda f: beir(f, **{"qrels/test.tsv": "q1\t0\td1\t1\nq2\t0\td2\t1\n"}), ("test.tsv, row 1 should name the columns query-id",)),
    Case("a document twice", "beir {} --lang en", lambda f: beir(f, **{"corpus.jsonl": jsonl([{"_id": "d", "text": "x"}] * 2)}), ("“d” in corpus.jsonl, line 2 is already",)),
    Case("BEIR without its corpus", "beir {} --lang en", without("corpus.jsonl"), ("has no corpus.jsonl",)),
    Case("Parquet cut", "autorag {} --lang en", autorag_cut, ("qa.parquet is not a complete Parquet file",)),
    Case("Parquet without a column", "autorag {} --lang en", autorag_corpus_lacks, ("corpus.parquet has no column “contents”, only doc_id, text",)),
    Case("a gold passage that does not exist", "autorag {} --lang en", lambda f: autorag(f, {"retrieval_gt": [["p1"], ["p9"]]}), ("qa.parquet, row 2 names the passage “p9”",)),
    Case("an AutoRAG row without an answer", "autorag {} --lang en", lambda f: autorag(f, {"generation_gt": [["x"], []]}), ("qa.parquet, row 2 has no answer",)),
    Case("an AutoRAG id twice", "autorag {} --lang en", lambda f: autorag(f, {"qid": ["a", "a"]}), ("“a” in qa.parquet, row 2 is already in qa.parquet, row 1",)),
    Case("a table's columns wrong", TABLE, data("t.csv", "id,frage,antwort\n1,Wer?,Ich\n"), ("t.csv, row 2 has no column “question”, only id, frage, antwort",)),
    Case("a formula in CSV", TABLE, data("t.csv", 'id,question,answers\n1,Kuka?,Minä\n2,"=HYPERLINK(""http://x"")",x\n'), ("t.csv, row 3 has a formula in column “question”",)),
    Case("a formula in TSV", TABLE, data("t.tsv", "id\tquestion\tanswers\n1\tKuka?\t =1+1\n"), ("t.tsv, row 2 has a formula in column “answers”",)),
    Case("a cell too many", TABLE, data("t.csv", "id,question,answers\n1,Kuka?,Minä\n2,Kuka, missä?,x\n"), ("t.csv, row 3 has 4 cells where the header has 3",)),
    Case("an open quotation mark", TABLE, data("t.csv", 'id,question,answers\n1,"Kuka?,Minä\n'), ("t.csv, row 2 cannot be read",)),
    Case("a row without an answer", TABLE, data("t.csv", "id,question,answers\n1,Kuka?,Minä\n2,Missä?, \n"), ("t.csv, row 3 has no answer in column “answers”",)),
    Case("a row without a question", TABLE, data("t.csv", "id,question,answers\n1,,Minä\n"), ("t.csv, row 2 has an empty “question”",)),
    Case("an id twice in a table", TABLE, data("t.csv", "id,question,answers\n1,Kuka?,x\n1,Missä?,y\n"), ("“1” in t.csv, row 3 is already in t.csv, row 2",)),
    Case("two columns of one name", TABLE, data("t.csv", "id,question,question,answers\n1,a,b,c\n"), ("t.csv, row 1 names two columns “question”",)),
    Case("CSV in UTF-16", TABLE, data("t.csv", "id,question,answers\n1,Kuka?,x\n".encode("utf-16")), ("t.csv, line 1 is not UTF-8",)),
    Case("a header alone", TABLE, data("t.csv", "id,question,answers\n"), ("t.csv holds no question",)),
    Case("NUL bytes in CSV", TABLE, data("t.csv", "id,question,answers\n1,Ku\0ka?,x\n"), ("t.csv, row 2 contains a NUL byte",)),
    Case("a CSV line of 2 GB", TABLE, sparse("t.csv", 2 << 30), ("t.csv, line 1 is longer than 16 MiB",)),
    Case("a language's name in a table", "table {} --language-column lang", data("t.csv", "lang,question\nsuomi,Kuka?\n"), ("t.csv, row 2 has “suomi” in column “lang”",)),
    Case("JSON in a cell cut", "table {} --lang fi --answers a", data("t.csv", 'question,a\nKuka?,"[""x"",]"\n'), ("t.csv, row 2, column “a” is not complete JSON",)),
    Case("a PDF", TABLE, data("t.pdf", b"%PDF-1.7"), ("“t.pdf” is not a table that can be read. Allowed: .csv",)),
    Case("an old Excel file called .xlsx", TABLE, data("t.xlsx", b"\xd0\xcf\x11\xe0" * 200), ("t.xlsx is not a complete .xlsx workbook",)),
    Case("SQuAD cut", "squad {} --lang fi", data("s.json", '{"data": [{"paragraphs": [\n{"context"'), ("s.json is not complete JSON", "line 2")),
    Case("SQuAD of 2 GB", "squad {} --lang fi", sparse("s.json", 2 << 30), ("s.json is larger than 128 MiB",)),
    Case("a folder for a file", "mkqa {}", lambda f: f, ("is a folder",)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_a_malformed_file_gives_one_sentence_and_changes_nothing(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, files = tmp_path / "home", tmp_path / "files"
    files.mkdir()
    DatasetLibrary(home / "datasets").add("mine", "", [Question("1", "Kuka?", "fi")], aligned=False)
    before = tree(home)
    path = case.make(files)
    words = [str(path) if word == "{}" else word for word in case.words.split()]
    result = terminal(home, capsys, monkeypatch)("import", *words, "--name", "mine")
    assert result.code == 2 and result.out == "", result.err
    assert result.err.startswith("Error: ") and result.err.count("\n") == 1 and len(result.err) < 500, result.err
    for part in case.parts:
        assert part in result.err
    assert tree(home) == before


def test_there_are_at_least_forty_malformed_files() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 40


def workbook(path: Path, *rows: tuple[object, ...]) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed, so no workbook can be written")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


HEAD = ("id", "question", "answers")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([HEAD, (1, "Kuka?", "x"), (2, "=A2", "y")], "t.xlsx, row 3 has a formula in column “question”"),
        ([HEAD, (1, "#REF!", "x")], "t.xlsx, row 2 has the error #REF! in column “question”"),
        ([HEAD, (1, "Kuka?", "x", "more")], "t.xlsx, row 2 has a cell to the right of the named columns"),
        ([("id", "question", "question")], "t.xlsx, row 1 names two columns “question”"),
        ([], "t.xlsx is empty"),
    ],
)
def test_a_malformed_workbook_is_reported_with_its_row(
    rows: list[tuple[object, ...]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        list(workbook_records(workbook(tmp_path / "t.xlsx", *rows)))


def test_a_workbook_without_a_sheet_of_cells_is_refused_and_a_chart_before_the_cells_passed_over(
    tmp_path: Path,
) -> None:
    path = workbook(tmp_path / "t.xlsx", HEAD, (1, "Kuka?", "x"))
    book = __import__("openpyxl").load_workbook(path)
    book.create_chartsheet("Chart", 0).add_chart(__import__("openpyxl").chart.BarChart())
    book.save(path)
    assert [record.values["question"] for record in workbook_records(path)] == ["Kuka?"]
    with pytest.raises(UsageError, match="Allowed: Sheet"):
        list(workbook_records(path, "Chart"))
    book.remove(book["Sheet"])
    book.save(path)
    with pytest.raises(DataError, match=r"t\.xlsx has no sheet with cells, .*: add one with a header and rows\.$"):
        list(workbook_records(path))


def test_a_workbook_that_unpacks_to_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/worksheets/sheet1.xml", b" " * (4 << 20))
    with pytest.raises(DataError, match=r"bomb\.xlsx unpacks to 4 MiB, more than the 1 allowed"):
        list(workbook_records(path, limit=1 << 20))


def test_a_zip_that_is_not_a_workbook_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("readme.txt", "no sheets")
    with pytest.raises(DataError, match=r"t\.xlsx is not a complete .xlsx workbook"):
        list(workbook_records(path))


def test_without_openpyxl_the_message_states_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("x", "y")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingError, match="pip install openpyxl"):
        list(workbook_records(path))
