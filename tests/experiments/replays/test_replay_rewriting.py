"""Replays and diagnosis of answers whose question was expanded and whose documents were compressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.experiments.replays.stored_answers import stored_answer
from tests.pipeline.rewriting.scripted_model import ScriptedModel, scripted_model
from workbench.annotation.diagnosis.diagnosing import most_calls
from workbench.app.workbench import Workbench
from workbench.experiments.replays.change import Change, changed_recipe, reach, retrace
from workbench.experiments.replays.replay import Replay, replay
from workbench.experiments.results.queries.instances import Instance
from workbench.pipeline.recipe import make_recipe


def reply(turn: str) -> str | None:
    if "<<<" not in turn:
        return "Marconi"
    return "Notes [1]." if "[1]" in turn else "1. radio?\n2. inventor?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with scripted_model(reply) as running:
        yield running


def stored(workbench: Workbench, model: ScriptedModel, **choices: Any) -> Instance:
    shared = {"query_expansion": "decompose", "compressor": "tree-summarize", "retriever": "lexical", **choices}
    return stored_answer(workbench, models=[model.name], modes=["multirag"], recipe=shared, language="en")


def statuses(outcome: Replay) -> dict[str, str]:
    return {step.name: step.status for step in outcome.steps}


def test_a_stored_answer_is_retraced_from_the_cache_with_nothing_sent(
    workbench: Workbench, model: ScriptedModel
) -> None:
    item = stored(workbench, model)
    before = len(model.turns)
    trace = retrace(workbench, item)
    assert trace.note == ""
    assert [step.name for step in trace.steps][:2] == ["expand query", "retrieve"]
    assert trace.prompt is not None
    assert "Notes [1]." in trace.prompt.user
    assert len(model.turns) == before


def test_its_tokens_are_those_of_every_call(workbench: Workbench, model: ScriptedModel) -> None:
    item = stored(workbench, model)
    assert (item.prompt_tokens, item.completion_tokens) == (33, 6)


def test_another_generator_reads_the_same_notes_from_the_same_search(
    workbench: Workbench, model: ScriptedModel
) -> None:
    item = stored(workbench, model)
    before = len(model.turns)
    change = Change({"generator": model.name.replace("m@", "other@")})
    outcome = replay(workbench, item, change)
    steps = statuses(outcome)
    assert (outcome.answer, outcome.failure) == ("Marconi", "")
    assert (steps["expand query"], steps["retrieve"], steps["compress"]) == ("kept", "kept", "kept")
    assert steps["generate"] == "run"
    assert len(model.turns) == before + 1
    assert changed_recipe(item, change).expanding_model == model.name
    assert reach(workbench, item, change).model.count("@") == 2


def test_other_documents_are_compressed_anew_and_nothing_is_expanded(
    workbench: Workbench, model: ScriptedModel
) -> None:
    item = stored(workbench, model)
    before = len(model.turns)
    steps = statuses(replay(workbench, item, Change(evidence=retrace(workbench, item).evidence[:1])))
    assert (steps["expand query"], steps["compress"], steps["generate"]) == ("kept", "run", "run")
    assert len(model.turns) == before + 2


@pytest.mark.parametrize("fields", [{"passage_order": "reversed"}, {"query_expansion": "none"}, {"compressor": "none"}])
def test_each_of_these_choices_can_be_the_one_thing_that_changes(
    workbench: Workbench, model: ScriptedModel, fields: dict[str, str]
) -> None:
    assert replay(workbench, stored(workbench, model), Change(fields)).failure == ""


def test_an_answer_whose_models_are_gone_can_be_replayed_without_them(
    workbench: Workbench, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoints = workbench.settings.home / "endpoints.yaml"
    endpoints.write_text(f"there:\n  url: {model.server.url('says')}\n", encoding="utf-8")
    shared = {"query_expansion": "decompose", "retriever": "lexical"}
    item = stored_answer(workbench, models=["openai-like:m@there"], modes=["multirag"], recipe=shared, language="en")
    endpoints.unlink()
    change = Change({"generator": "extractive", "expander": "extractive", "query_expansion": "none"})
    outcome = replay(workbench, item, change)
    assert outcome.failure == ""
    assert statuses(outcome)["retrieve"] == "run"  # the stored answer was searched for with other queries


@pytest.mark.parametrize(
    ("choices", "calls"),
    [
        ({}, 0),
        ({"generator": "gpt-4o"}, 10),
        ({"generator": "gpt-4o", "compressor": "tree-summarize"}, 20),
        ({"generator": "gpt-4o", "compressor": "refine"}, 60),
        ({"generator": "gpt-4o", "query_expansion": "hyde"}, 11),
        ({"expander": "gpt-4o", "query_expansion": "hyde"}, 1),
    ],
)
def test_the_most_calls_of_a_diagnosis_count_every_model(choices: dict[str, Any], calls: int) -> None:
    recipe = make_recipe(choices)
    assert most_calls(recipe) == calls
