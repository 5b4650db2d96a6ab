"""Filters by name, kept in the workspace's database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.databases import database_url
from workbench.core.errors import UsageError
from workbench.experiments.results.result_store import QUERY_LIMIT, ResultStore, SavedFilters


@pytest.fixture
def filters(tmp_path: Path) -> SavedFilters:
    return SavedFilters(ResultStore.at(database_url(Path(tmp_path) / "workbench.db")), "inspect")


def test_filters_come_back_by_name(filters: SavedFilters) -> None:
    filters.save("Zwei", "language=de")
    filters.save("  Añil  ", "search=%C3%B1")
    assert [(row.name, row.query) for row in filters.all()] == [("Añil", "search=%C3%B1"), ("Zwei", "language=de")]


def test_a_filter_of_the_same_name_is_replaced(filters: SavedFilters) -> None:
    filters.save("Mine", "language=de")
    filters.save("Mine", "language=fi")
    assert [row.query for row in filters.all()] == ["language=fi"]


def test_names_that_look_the_same_are_the_same(filters: SavedFilters) -> None:
    filters.save("Añil", "language=de")
    filters.save("An\u0303il", "language=fi")
    assert [row.query for row in filters.all()] == ["language=fi"]


def test_screens_have_filters_of_their_own(tmp_path: Path, filters: SavedFilters) -> None:
    filters.save("Mine", "language=de")
    assert SavedFilters(ResultStore.at(database_url(Path(tmp_path) / "workbench.db")), "dashboard").all() == ()


def test_a_deleted_filter_is_gone_and_an_unknown_one_is_named(filters: SavedFilters) -> None:
    filters.save("Mine", "language=de")
    filters.delete("Mine")
    assert filters.all() == ()
    with pytest.raises(UsageError, match="Unknown filter “Mine”"):
        filters.delete("Mine")


@pytest.mark.parametrize(
    ("name", "query"), [(" ", "a=b"), ("x" * 81, "a=b"), ("a\nb\0", "a=b"), ("x", "a" * (QUERY_LIMIT + 1))]
)
def test_a_name_or_filter_that_cannot_be_kept_is_refused(filters: SavedFilters, name: str, query: str) -> None:
    with pytest.raises(UsageError):
        filters.save(name, query)
    assert filters.all() == ()
