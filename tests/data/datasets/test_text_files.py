"""Lines and rows of files: no text is lost, and errors state their place."""

from __future__ import annotations

import csv
import tracemalloc
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.data.datasets.forms import write
from workbench.core.errors import DataError, UsageError
from workbench.data.datasets.records import checked_file, delimited_records, json_records, lines
from workbench.data.datasets.workbook import workbook_records
from workbench.workspace.csv_safety import safe_cell


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.gz"])
def test_lines_are_numbered_and_empty_ones_left_out(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, "\ufeffone\r\n\n \nfour\u2028still four")
    assert list(lines(path)) == [(1, "one"), (4, "four\u2028still four")]
    assert [text for _, text in lines(path, blank=True)] == ["one", "", " ", "four\u2028still four"]


def test_a_gzipped_file_is_recognised_by_its_bytes(tmp_path: Path) -> None:
    packed = write(tmp_path, "a.gz", "one\n")
    renamed = packed.rename(tmp_path / "a.jsonl")
    assert list(lines(renamed)) == [(1, "one")]


def test_a_line_of_the_limit_is_read_and_one_over_it_is_not(tmp_path: Path) -> None:
    assert list(lines(write(tmp_path, "a", "x" * 9 + "\n"), limit=10)) == [(1, "x" * 9)]
    with pytest.raises(DataError, match="a, line 2 is longer than 10 bytes"):
        list(lines(write(tmp_path, "a", "x\n" + "x" * 11), limit=10))


def test_a_huge_line_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = write(tmp_path, "a.gz", b"0" * (60 << 20))
    tracemalloc.start()
    with pytest.raises(DataError, match="longer than 1 MiB"):
        list(lines(path, limit=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_a_path_that_is_not_a_file_is_refused_with_its_end(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 80) / "mkqa.jsonl"
    with pytest.raises(UsageError, match=r"There is no file “….*mkqa\.jsonl”"):
        checked_file(long)
    with pytest.raises(UsageError, match="is not an ordinary file"):
        checked_file(Path("/dev/null"))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_with_one_sentence(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(body)
    for read in (json_records, delimited_records):
        try:
            list(read(path))
        except DataError as error:
            assert "a.csv" in str(error) and "\n" not in str(error)


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12).filter(
    lambda text: not text.startswith("'")
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(cells, min_size=1, max_size=5))
def test_what_is_exported_as_csv_is_read_back(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *(("x", safe_cell(text)) for text in texts)])
    assert [record.values["b"] for record in delimited_records(path)] == texts


def test_semicolons_and_cells_of_several_lines_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", '\ufeffid;text\r\n1;"two\n\nlines; ""quoted"""\r\n\r\n2;x\r\n')
    assert [(record.where, dict(record.values)) for record in delimited_records(path)] == [
        ("a.csv, row 2", {"id": "1", "text": 'two\n\nlines; "quoted"'}),
        ("a.csv, row 4", {"id": "2", "text": "x"}),
    ]


def test_a_workbook_gives_numbers_dates_and_texts_as_texts(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    book.active.append(["a", "b", "c", "d", None])
    book.active.append([1954, 2.5, date(2020, 1, 2), "'=1+1"])
    book.active.append([])
    book.active.append(["last"])
    book.create_sheet("other").append(["z"])
    book.save(tmp_path / "a.xlsx")
    read = [(record.where, dict(record.values)) for record in workbook_records(tmp_path / "a.xlsx")]
    assert read == [
        ("a.xlsx, row 2", {"a": "1954", "b": "2.5", "c": "2020-01-02", "d": "=1+1"}),
        ("a.xlsx, row 4", {"a": "last", "b": "", "c": "", "d": ""}),
    ]
    assert list(workbook_records(tmp_path / "a.xlsx", "other")) == []
    with pytest.raises(UsageError, match=r"Unknown sheet of a\.xlsx “third”"):
        list(workbook_records(tmp_path / "a.xlsx", "third"))
