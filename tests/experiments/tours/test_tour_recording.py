"""Recording: what a stop keeps of an answer that was just given, and of a stored one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import answer, evidence
from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Generation, Sections
from workbench.data.corpora import sample
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.tours.tour_recording import TourRequest, record, stop_of_answer, stop_of_instance
from workbench.pipeline.recipe import make_recipe, recipe_from_file

RECIPE = make_recipe({"mode": "trag"})


def test_a_stop_keeps_what_the_generator_read_and_where_it_took_the_answer_from() -> None:
    stop = stop_of_answer(answer(), RECIPE, gold_passages=["doc.1"])
    (document,) = stop.documents
    assert document.text == "Marconi is named as the inventor of radio."
    assert document.marks == ((0, 7),)
    assert document.gold
    assert (stop.system_prompt, stop.user_prompt) == ("Be brief.", "Question: Who?")
    assert [step.name for step in stop.steps] == ["retrieve", "rerank", "compose", "generate"]


def test_a_stop_is_scored_only_against_known_golds() -> None:
    scored = stop_of_answer(answer(text="Marconi"), RECIPE, ["Marconi"])
    assert {score.metric: score.value for score in scored.scores} == {"flexible_em": 1.0, "char3_recall": 1.0}
    assert stop_of_answer(answer(), RECIPE).scores == ()


def test_the_parts_of_a_dialectic_answer_are_kept() -> None:
    stop = stop_of_answer(answer(sections=Sections("one", "", "three", "Marconi")), RECIPE)
    assert stop.sections == {"extraction": "one", "argumentation": "three"}


def test_an_answer_that_is_too_long_is_refused_in_one_sentence() -> None:
    text = "x" * 50_000
    with pytest.raises(UsageError, match="does not fit into a tour"):
        stop_of_answer(answer(text=text, generation=Generation(text)), RECIPE)


def test_a_document_that_is_too_long_is_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match="does not fit into a tour"):
        stop_of_answer(answer(passages=evidence("x" * 50_000)), RECIPE)


def test_a_stored_answer_keeps_its_scores_and_says_what_is_missing(workbench: Workbench) -> None:
    experiment_id = add_results(workbench)
    item = ResultStore.at(workbench.settings.database_url).of(experiment_id).instances(limit=1)[0]
    stop = stop_of_instance(workbench, item, "Look.")
    assert {score.metric: score.value for score in stop.scores} == {"char3_recall": 0.5, "clr": None}
    assert stop.answer == item.output
    assert stop.note == "Look."
    assert "imported" in stop.missing


def test_a_tour_is_recorded_by_asking(workbench: Workbench) -> None:
    question = next(item for item in sample.questions("fi") if item.answers)
    stages: list[tuple[int, int]] = []
    tour = record(
        workbench,
        [TourRequest(question, make_recipe({"mode": "monorag", "k": 2}), "Look here.")],
        lambda count, total: stages.append((count, total)),
    )
    (stop,) = tour.stops
    assert stop.answer
    assert len(stop.documents) == 2
    assert stop.golds == question.answers
    assert stages == [(1, 1)]


def test_the_recipe_of_a_stop_can_be_run_again(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(stop_of_answer(answer(), RECIPE).recipe, encoding="utf-8")
    assert recipe_from_file(file) == RECIPE
