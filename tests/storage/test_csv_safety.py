"""Cells that a spreadsheet does not execute, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.storage.csv_safety import STARTS, plain_text, safe_cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "\r=1", "\n=1", "＝1", "\u00a0@x"])
def test_a_cell_that_a_spreadsheet_would_execute_gets_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["Radio = 1896", "", "'tis", "東京", "1-2"])
def test_a_plain_cell_stays_as_it_is(text: str) -> None:
    assert safe_cell(text) == text


@given(st.text())
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert not safe_cell(text).lstrip().startswith(STARTS)


@given(st.text().filter(lambda text: not text.startswith("'")))
def test_an_exported_text_is_imported_unchanged(text: str) -> None:
    assert plain_text(safe_cell(text)) == text
