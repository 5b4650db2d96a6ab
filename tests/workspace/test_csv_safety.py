"""Cells that a spreadsheet does not execute, and back."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, strategies as st

from workbench.workspace.csv_safety import STARTS, csv_text, plain_text, safe_cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t1", "  =1", "\r1", "\n1", "＝1", "\u00a0@x"])
def test_a_cell_that_a_spreadsheet_would_execute_gets_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("blank", ["\ufeff", "\u200b", "\0", "\u2060", "\u00ad", "\ufeff \u200b\0", "\u200e"])
def test_characters_that_a_spreadsheet_drops_hide_no_formula(blank: str) -> None:
    text = f"{blank}=1+1"
    assert safe_cell(text) == f"'{text}" and plain_text(safe_cell(text)) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("foo;=1+1", "foo;'=1+1"),
        ("foo; \u200b=1+1;", "foo;' \u200b=1+1;"),
        ("foo\t+1", "foo\t'+1"),
        ("foo\r\n@SUM(A1)", "foo\r\n'@SUM(A1)"),
        ("\n;-1", "'\n;'-1"),
        ("\t=1", "'\t'=1"),
        (" \n=1", "' \n'=1"),
        ("foo; bar = 1", "foo; bar = 1"),
    ],
)
def test_no_formula_follows_what_may_begin_another_cell(text: str, cell: str) -> None:
    assert safe_cell(text) == cell and plain_text(cell) == text


FORMULAS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
NASTY = st.text("a'\";,=+-@ \t\r\n\0\ufeff\u200b＝", max_size=12)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@given(cells=st.lists(NASTY, min_size=1, max_size=4))
def test_whatever_separates_cells_none_is_a_formula(delimiter: str, cells: list[str]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([map(safe_cell, cells)] * 2)
    for row in csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter):
        assert not [cell for cell in row if cell.lstrip(" \t\r\n\0\ufeff\u200b").startswith(FORMULAS)]


@pytest.mark.parametrize("text", ["Radio = 1896", "", "'tis", "東京", "1-2"])
def test_a_plain_cell_stays_as_it_is(text: str) -> None:
    assert safe_cell(text) == text


@given(st.text())
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert not safe_cell(text).lstrip().startswith(STARTS)


@given(st.text() | NASTY)
def test_an_exported_text_is_imported_unchanged(text: str) -> None:
    assert plain_text(safe_cell(text)) == text


def test_a_table_has_safe_texts_plain_numbers_and_empty_cells() -> None:
    rows = [("name", "=head"), ("=1+1", -0.1234567), (None, -2)]
    assert list(csv.reader(io.StringIO(csv_text(rows, digits=3)))) == [
        ["name", "'=head"],
        ["'=1+1", "-0.123"],
        ["", "-2"],
    ]
    assert '"-0.1234567"' in csv_text(rows)


@pytest.mark.parametrize("end", ["\v", "\f", "\x85", "\u2028", "\u2029"])
def test_no_formula_follows_a_rare_end_of_a_line(end: str) -> None:
    assert safe_cell(f"foo{end}=1") == f"foo{end}'=1"
    assert plain_text(safe_cell(f"{end}=1")) == f"{end}=1"
