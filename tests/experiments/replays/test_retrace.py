"""How a stored answer came about: read from the cache, with nothing sent and no language model called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.experiments.experiments import small, stored
from workbench.app.workbench import Workbench
from workbench.components.registry import Registry
from workbench.experiments.replays import change as module
from workbench.experiments.replays.change import CHANGED, CUT_SHORT, IMPORTED, OTHER_VERSION, PERTURBED, retrace
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.answering import Generate
from workbench.pipeline.stage import State, bind
from workbench.workspace.database import opened_store


@pytest.fixture
def item(workbench: Workbench) -> Instance:
    """An answer of CrossRAG to a Finnish question."""
    experiment_id, runner = stored(workbench, small(prompts=["reply-short-en"]))
    runner.run()
    view = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    return next(row for row in view.all_instances() if row.run.mode == "crossrag" and row.language == "fi")


def test_the_documents_are_those_that_the_generator_read(workbench: Workbench, item: Instance) -> None:
    trace = retrace(workbench, item)
    assert [entry.passage.id for entry in trace.evidence] == [name for name, _, _ in item.passages]
    assert any(entry.translation for entry in trace.evidence)
    assert trace.prompt is not None
    assert item.text.strip() in trace.prompt.user
    assert trace.note == ""


def test_the_generator_is_not_called_again(
    workbench: Workbench, item: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(stage: Generate, states: Sequence[State]) -> list[State]:
        raise AssertionError("the generator was called")

    monkeypatch.setattr(Generate, "run", fail)
    assert "generate" in [step.name for step in retrace(workbench, item).steps]


def test_a_step_that_would_send_texts_is_not_run_where_it_is_not_cached(
    workbench: Workbench, item: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry, "hosts", lambda registry, recipe: ("api.example",))
    with opened_store(workbench.settings.database_url).begin() as connection:
        connection.exec_driver_sql("DELETE FROM steps WHERE stage = 'generate'")
    trace = retrace(workbench, item)
    assert trace.note == CUT_SHORT
    assert "generate" not in [step.name for step in trace.steps]
    assert trace.prompt is not None


def test_a_corpus_that_has_changed_since_is_named(workbench: Workbench, item: Instance) -> None:
    before = replace(item, passages=(("gone.en.1", "en", 1.0),))
    assert retrace(workbench, before).note == CHANGED


def test_an_imported_answer_has_no_prompt(workbench: Workbench, item: Instance) -> None:
    trace = retrace(workbench, replace(item, run=replace(item.run, recipe="")))
    assert (trace.note, trace.prompt, trace.steps) == (IMPORTED, None, ())


@pytest.mark.parametrize("recipe", ["cut", json.dumps({"mode": "a mode that no longer exists"})])
def test_a_recipe_of_another_version_is_named(workbench: Workbench, item: Instance, recipe: str) -> None:
    assert retrace(workbench, replace(item, run=replace(item.run, recipe=recipe))).note == OTHER_VERSION


def test_perturbed_documents_are_shown_as_they_were_given(workbench: Workbench, item: Instance) -> None:
    shuffled = replace(item, passages=item.passages[::-1], run=replace(item.run, perturbation="shuffle"))
    trace = retrace(workbench, shuffled)
    assert [entry.passage.id for entry in trace.evidence] == [name for name, _, _ in item.passages[::-1]]
    assert trace.note == PERTURBED


def test_a_stage_that_is_only_read_from_the_cache_is_never_run() -> None:
    class FakeGenerator:
        identity = "fake"

    (stage,) = bind([Generate(FakeGenerator())])  # type: ignore[arg-type]
    (outcome,) = module.CachedOnly().run(stage, [State("Who?", "en")])
    assert outcome.failure == CUT_SHORT
