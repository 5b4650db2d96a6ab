from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.records import Passage
from workbench.data.corpora.passage_table import ROWS_PER_BATCH, PassageTable, aligned_groups, write_table


def table(path: Path, *members: tuple[str, str, str]) -> PassageTable:
    """A table of (group, language, text)."""
    rows = [Passage(f"p{n}", f"d{n}", "", code, text, group=group) for n, (group, code, text) in enumerate(members)]
    write_table(path / "passages.arrow", rows)
    return PassageTable(path / "passages.arrow")


def test_groups_of_several_languages_come_in_order_of_their_names(tmp_path: Path) -> None:
    rows = table(
        tmp_path,
        ("b", "fi", "1"),
        ("a", "fi", "2"),
        ("", "en", "3"),
        ("c", "en", "4"),
        ("a", "en", "5"),
        ("b", "th", "6"),
    )
    assert list(aligned_groups(rows, 9)) == [[("fi", "2"), ("en", "5")], [("fi", "1"), ("th", "6")]]


def test_a_group_gives_the_first_passage_of_each_language(tmp_path: Path) -> None:
    rows = table(tmp_path, ("a", "fi", "1"), ("a", "fi", "2"), ("a", "en", "3"), ("a", "en", "4"))
    assert list(aligned_groups(rows, 9)) == [[("fi", "1"), ("en", "3")]]


def test_two_passages_in_one_language_are_no_group(tmp_path: Path) -> None:
    assert list(aligned_groups(table(tmp_path, ("a", "fi", "1"), ("a", "fi", "2")), 9)) == []


def test_a_table_without_groups_or_passages_has_none(tmp_path: Path) -> None:
    assert list(aligned_groups(table(tmp_path, ("", "fi", "1")), 9)) == []
    write_table(tmp_path / "empty.arrow", [])
    assert list(aligned_groups(PassageTable(tmp_path / "empty.arrow"), 9)) == []


@pytest.mark.parametrize("most", [1, 7])
def test_no_more_groups_than_needed_are_read_and_always_the_same(tmp_path: Path, most: int) -> None:
    members = [(f"g{n:05d}", code, str(n)) for n in range(ROWS_PER_BATCH) for code in ("fi", "en")]
    rows = table(tmp_path, *members)
    drawn = list(aligned_groups(rows, most))
    assert len(drawn) == most
    assert drawn == list(aligned_groups(rows, most))
    assert all([code for code, _ in group] == ["fi", "en"] for group in drawn)
