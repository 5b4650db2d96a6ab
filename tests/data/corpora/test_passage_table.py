"""The passage table: any row is read back as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from workbench.core.records import Passage
from workbench.data.corpora.passage_table import ROWS_PER_BATCH, PassageTable, write_table


def passage(number: int, language: str = "en") -> Passage:
    return Passage(
        id=f"p{number}.{language}",
        document="d",
        title=f"Title {number}",
        language=language,
        text=f"Text {number}",
        position=number,
        previous=f"p{number - 1}.{language}" if number else "",
        next=f"p{number + 1}.{language}",
        group=f"g{number}",
    )


def test_rows_come_back_in_the_requested_order(tmp_path: Path) -> None:
    assert write_table(tmp_path / "t", map(passage, range(5))) == 5
    table = PassageTable(tmp_path / "t")
    assert len(table) == 5
    assert table.passages([3, 0, 3]) == [passage(3), passage(0), passage(3)]
    assert list(table) == [passage(number) for number in range(5)]


def test_rows_on_both_sides_of_a_batch_border_are_read(tmp_path: Path) -> None:
    count = 2 * ROWS_PER_BATCH + 3
    write_table(tmp_path / "t", map(passage, range(count)))
    rows = [0, ROWS_PER_BATCH - 1, ROWS_PER_BATCH, 2 * ROWS_PER_BATCH - 1, 2 * ROWS_PER_BATCH, count - 1]
    assert PassageTable(tmp_path / "t").passages(rows) == [passage(row) for row in rows]


def test_passages_may_be_a_stream(tmp_path: Path) -> None:
    def stream() -> Iterator[Passage]:
        yield passage(0)
        yield passage(1, "fi")

    assert write_table(tmp_path / "t", stream()) == 2


def test_languages_are_counted_most_first_then_by_code(tmp_path: Path) -> None:
    codes = ["fi", "th", "en", "th", "fi", "ar"]
    write_table(tmp_path / "t", (passage(number, code) for number, code in enumerate(codes)))
    assert list(PassageTable(tmp_path / "t").languages().items()) == [("fi", 2), ("th", 2), ("ar", 1), ("en", 1)]


def test_an_empty_table_is_a_table(tmp_path: Path) -> None:
    write_table(tmp_path / "t", [])
    table = PassageTable(tmp_path / "t")
    assert len(table) == 0 and list(table) == [] and table.languages() == {}


def test_a_row_beyond_the_table_is_an_error(tmp_path: Path) -> None:
    write_table(tmp_path / "t", [passage(0)])
    with pytest.raises(IndexError):
        PassageTable(tmp_path / "t").passages([1])


def test_a_table_is_read_on_after_its_file_is_gone(tmp_path: Path) -> None:
    write_table(tmp_path / "t", map(passage, range(10)))
    table = PassageTable(tmp_path / "t")
    (tmp_path / "t").unlink()
    assert table.passages([9]) == [passage(9)]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_as_it_was(tmp_path: Path, title: str, text: str) -> None:
    original = Passage("i", "d", title, "xx", text)
    write_table(tmp_path / "t", [original])
    assert PassageTable(tmp_path / "t").passages([0]) == [original]


def on_page(number: int) -> Passage:
    return replace(passage(number), page=number + 1, page_end=number + 2, heading=f"Part {number}")


def test_the_page_and_the_heading_of_a_passage_come_back(tmp_path: Path) -> None:
    write_table(tmp_path / "t", map(on_page, range(3)))
    assert list(PassageTable(tmp_path / "t")) == [on_page(number) for number in range(3)]


@pytest.mark.parametrize("plain", [1, ROWS_PER_BATCH, 2 * ROWS_PER_BATCH + 1])
def test_passages_with_pages_may_follow_others_without(tmp_path: Path, plain: int) -> None:
    count = plain + ROWS_PER_BATCH + 1
    passages = [passage(row) if row < plain else on_page(row) for row in range(count)]
    assert write_table(tmp_path / "t", iter(passages)) == count
    table = PassageTable(tmp_path / "t")
    assert list(table) == passages
    rows = [0, plain - 1, plain, count - 1]
    assert table.passages(rows) == [passages[row] for row in rows]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]
