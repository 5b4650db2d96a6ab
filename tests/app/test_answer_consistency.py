"""Answers next to each other: the documents that they share, and how far each agrees with each."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from tests.fakes import answer, evidence
from workbench.app.answer_consistency import (
    SideAnswer,
    SideDocument,
    consistency,
    document_places,
    matrix_csv,
    shared_count,
    side_answer,
    sides_csv,
)
from workbench.app.workbench import Workbench
from workbench.core.protocols import Translator
from workbench.metrics.consistency import CONSISTENCY
from workbench.pipeline.prompts.dialectic import parse
from workbench.pipeline.recipe import BUILTIN


@pytest.fixture(scope="session")
def translator(sample_workbench: Workbench) -> Translator:
    return sample_workbench.registry.translator(BUILTIN)


def _side(name: str, code: str, text: str, golds: tuple[str, ...] = (), *units: str) -> SideAnswer:
    documents = tuple(
        SideDocument(f"{unit}.{code}", unit, unit.title(), code, rank) for rank, unit in enumerate(units, start=1)
    )
    return SideAnswer(name, code, "?", text, code, golds, documents=documents)


def test_translations_of_one_passage_are_one_document() -> None:
    first, second = _side("en", "en", "x", (), "radio", "tea"), _side("fi", "fi", "x", (), "radio", "ice")
    rows = document_places([first, second])
    assert (rows[0].unit, rows[0].places) == ("radio", ((1, "en"), (1, "fi")))
    assert shared_count(first, [first, second]) == 1


def test_a_passage_without_a_group_is_compared_by_itself() -> None:
    side = side_answer("x", answer(passages=evidence("one", "two")))
    assert side.units == ("doc.1", "doc.2")


def test_an_answer_is_scored_only_where_a_gold_is_known() -> None:
    assert side_answer("x", answer(text="Marconi"), ["Marconi"]).is_right is True
    assert side_answer("x", answer(text="Marconi")).scores == {}
    assert side_answer("x", answer(text="Marconi")).is_right is None


def test_an_answer_that_names_one_of_several_views_or_a_part_of_a_gold_is_called_that() -> None:
    inventors = ("Guglielmo Marconi", "Marconi", "Alexander Popov", "Popov", "Tesla")
    one = side_answer("x", answer(text="It was Marconi."), inventors, is_disputed=True)
    assert one.is_right and one.part == "one of several views"
    assert side_answer("x", answer(text="Marconi or Tesla."), inventors, is_disputed=True).part == ""
    assert side_answer("x", answer(text="It was Marconi."), inventors).part == ""
    half = side_answer("x", answer(text="Edmund Hillary was the first."), ["Hillary and Norgay"])
    assert half.is_right is False and half.part == "50% of a gold"
    assert side_answer("x", answer(text="Nobody knows."), ["Hillary and Norgay"]).part == ""


def test_golds_with_numbers_are_no_count_of_views() -> None:
    side = side_answer("x", answer(text="8,848 m"), ["8848 m", "29,029 feet"], is_disputed=True)
    assert side.is_right and side.part == ""


def test_an_output_without_a_labelled_answer_is_wrong_though_it_contains_the_gold() -> None:
    side = side_answer("x", replace(answer(text="Marconi"), sections=parse("Marconi")), ["Marconi"])
    assert side.is_right is False
    assert side.scores["flexible_em"].value == 0.0 and side.scores["flexible_em"].reason


def test_right_answers_in_two_languages_agree(translator: Translator) -> None:
    sides = [_side("en", "en", "It was Marconi.", ("Marconi",)), _side("ru", "ru", "Это Маркони.", ("Маркони",))]
    matrix = consistency(sides, translator)
    score = matrix.score("both_right", 1, 0)
    assert score is not None
    assert score.value == 1.0


def test_an_answer_has_no_score_with_itself(translator: Translator) -> None:
    assert consistency([_side("en", "en", "x")] * 2, translator).score("both_right", 1, 1) is None


def test_answers_are_compared_through_the_translation_memory(
    sample_workbench: Workbench, translator: Translator
) -> None:
    (finnish,) = translator.translate(["Yeast makes dough rise and gives bread a light texture."], "en", "fi")
    sides = [
        _side("en", "en", "Yeast makes dough rise and gives bread a light texture."),
        _side("fi", "fi", finnish.text),
        _side("en2", "en", "Radio waves travel through walls."),
    ]
    matrix = consistency(sides, translator)
    near, far = matrix.score("answer_overlap", 0, 1), matrix.score("answer_overlap", 1, 2)
    assert near is not None
    assert far is not None
    assert near.value is not None
    assert far.value is not None
    assert near.value > far.value + 0.3


def test_what_the_translator_does_not_know_is_unscored_and_not_zero(translator: Translator) -> None:
    sides = [_side("en", "en", "Marconi"), _side("fi", "fi", "Zzyzx qwrtp vbnml")]
    score = consistency(sides, translator).score("answer_overlap", 0, 1)
    assert score is not None
    assert score.value is None
    assert "too little" in score.reason


def test_a_failed_answer_is_unscored_in_every_measure(translator: Translator) -> None:
    sides = [_side("en", "en", "Marconi", ("Marconi",), "a"), replace(_side("fi", "fi", ""), error="It broke off.")]
    matrix = consistency(sides, translator)
    assert all(matrix.mean(name) == (None, 0, 1) for name in CONSISTENCY)


def test_the_mean_is_over_the_scored_pairs_alone(translator: Translator) -> None:
    sides = [_side("a", "en", "x", (), "p"), _side("b", "en", "y", (), "p"), _side("c", "en", "z")]
    assert consistency(sides, translator).mean("shared_documents") == (1.0, 1, 2)


def test_the_files_have_a_row_for_each_answer_and_each_pair(translator: Translator) -> None:
    sides = [_side("=a", "en", "x", (), "p"), _side("b", "en", "y", (), "p")]
    rows = list(csv.DictReader(io.StringIO(sides_csv(sides))))
    assert [row["name"] for row in rows] == ["'=a", "b"]
    assert rows[0]["shared_documents"] == "1"
    pairs = list(csv.DictReader(io.StringIO(matrix_csv(consistency(sides, translator)))))
    assert {row["measure"] for row in pairs} == set(CONSISTENCY)
    assert next(row for row in pairs if row["measure"] == "both_right")["value"] == ""
