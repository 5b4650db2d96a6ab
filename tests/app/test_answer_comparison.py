"""One question under several modes: shared documents, the table and the JSON."""

from __future__ import annotations

import csv
import io

import pytest

from tests.fakes import answer, evidence
from workbench.app.answer_comparison import HEAD, compare, comparison_csv, comparison_to_json, document_uses
from workbench.core.records import Answer, Evidence
from workbench.pipeline.recipe import Recipe, make_recipe

FIRST, SECOND, THIRD = evidence("one", "two", "three")


def pair(mode: str, *passages: Evidence, text: str = "Marconi") -> tuple[Answer, Recipe]:
    """An answer over these passages, ranked anew, under a mode."""
    ranked = tuple(Evidence(item.passage, rank, item.scores) for rank, item in enumerate(passages, start=1))
    return answer(passages=ranked, text=text), make_recipe({"mode": mode})


def test_documents_that_another_answer_has_too_are_counted_as_shared() -> None:
    both = compare([pair("trag", FIRST, SECOND), pair("multirag", SECOND, THIRD)])
    assert [(item.shared, item.only_here) for item in both] == [(1, 1), (1, 1)]


def test_an_answer_alone_shares_nothing() -> None:
    (only,) = compare([pair("trag", FIRST, SECOND)])
    assert (only.shared, only.only_here) == (0, 2)


def test_each_document_has_its_rank_in_every_answer_and_the_most_used_come_first() -> None:
    uses = document_uses([pair("trag", FIRST, SECOND)[0], pair("multirag", SECOND, THIRD)[0]])
    assert [(use.passage.text, use.ranks) for use in uses] == [
        ("two", (2, 1)),
        ("one", (1, None)),
        ("three", (None, 2)),
    ]


def test_an_answer_without_a_detected_language_is_not_in_the_questions() -> None:
    (item,) = compare([(answer(language="fi"), make_recipe({}))])
    assert not item.in_question_language


def test_the_json_holds_each_answer_in_full_and_the_ranks_by_mode() -> None:
    result = comparison_to_json([pair("trag", FIRST), pair("multirag", FIRST, SECOND)])
    assert [item["mode"] for item in result["answers"]] == ["trag", "multirag"]
    assert result["documents"][0]["ranks"] == {"trag": 1, "multirag": 1}
    assert result["documents"][1]["ranks"] == {"trag": None, "multirag": 2}


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one answer"):
        comparison_to_json([])


def test_the_table_has_a_row_per_answer_and_no_formula() -> None:
    rows = list(csv.reader(io.StringIO(comparison_csv([pair("trag", FIRST, text="=1+1"), pair("baseline", SECOND)]))))
    assert tuple(rows[0]) == HEAD
    assert [row[0] for row in rows[1:]] == ["trag", "baseline"]
    assert rows[1][2] != "=1+1"
    assert rows[2][1] == ""
