"""Whole experiments over the sample: what they find, what they share, and that they go on where they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.experiments.experiments import found, small, stored
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.experiments.cells import StepCounts, StoppedError
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.runner import PHASE_TITLES, Runner
from workbench.records import Question
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.instances import count, instances
from workbench.results.writer import forget_failed, remove
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench


def test_each_cell_is_what_it_is_when_asked_alone(workbench: Workbench) -> None:
    identity, runner = stored(workbench, small(modes=["trag", "crossrag", "drag", "pivot"], languages=["fi"]))
    runner.run()
    engine = opened_store(workbench.settings.database_url)
    cells = instances(engine, Filter(experiments=(identity,)), limit=100)
    assert len(cells) == 16
    recipes = {run.number: run.recipe for run in runner.material.runs}
    for cell in cells:
        alone = workbench.ask(cell.text, cell.language, recipes[cell.run.number], cached=False)
        assert cell.output == alone.text
        assert cell.answer_language == alone.answer_language
        assert [name for name, _, _ in cell.passages] == [item.passage.id for item in alone.evidence]


def test_the_steps_run_are_the_distinct_ones_and_a_second_experiment_runs_none_again(workbench: Workbench) -> None:
    _, runner = stored(workbench, small())
    seen: list[tuple[str, str]] = []
    runner.sharing.on_key = lambda stage, key: seen.append((stage, key))
    tally = runner.run()
    assert sum(tally.run.values()) == len(set(seen))
    assert tally.run["retrieve"] == tally.run["rerank"] == 4  # two modes and two prompts share them
    _, again = stored(workbench, small(name="Again"))
    second = again.run()
    assert {name for name, number in second.run.items() if number} == {"compose"}


def test_stopped_anywhere_and_resumed_it_finds_what_an_unbroken_one_finds(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.inputs.QUESTIONS_A_BATCH", 1)
    whole, runner = stored(workbench, small())
    runner.run()
    workbench.cache.forget()
    broken, first = stored(workbench, small())
    rounds = 0

    def stop_now(_phase: str, _done: int, _total: int, _tally: StepCounts) -> None:
        current.stop.set()

    current = first
    while True:
        current.on_batch = stop_now
        rounds += 1
        try:
            current.run()
            break
        except StoppedError:
            current = replace(current)
            current.stop.clear()
    assert rounds > 8
    assert found(workbench.settings, broken) == found(workbench.settings, whole)


def test_a_finished_experiment_has_nothing_more_to_do(workbench: Workbench) -> None:
    identity, runner = stored(workbench, small())
    runner.run()
    before = found(workbench.settings, identity)
    again = replace(runner)
    assert sum(again.run().run.values()) == 0
    assert found(workbench.settings, identity) == before


def test_a_scope_without_passages_fails_its_cells_alone_with_the_reason(workbench: Workbench) -> None:
    library = DatasetLibrary(workbench.settings.datasets)
    library.add("nordic", "sample", [Question("a", "Vem uppfann radion?", "sv", ("Marconi",))], aligned=False)
    identity, runner = stored(
        workbench, small(datasets=["nordic"], languages=["all"], scopes=["ul", "en"], modes=["multirag", "baseline"])
    )
    runner.run()
    engine = opened_store(workbench.settings.database_url)
    chosen = Filter(experiments=(identity,))
    assert count(engine, chosen) == 8
    assert [cell.run.mode for cell in instances(engine, chosen, failed=True)] == ["multirag", "multirag"]
    ((reason, cells),) = result_store.failures(engine, chosen)
    assert cells == 2 and "scope “ul” holds nothing" in reason


def test_failed_cells_are_tried_again_and_the_others_are_left_alone(workbench: Workbench) -> None:
    library = DatasetLibrary(workbench.settings.datasets)
    library.add(
        "mixed", "sample", [Question("a", "?!", "en"), Question("b", "Who invented radio?", "en")], aligned=False
    )
    identity, runner = stored(workbench, small(datasets=["mixed"], languages=["en"], modes=["multirag"]))
    runner.run()
    engine = opened_store(workbench.settings.database_url)
    chosen = Filter(experiments=(identity,))
    kept = {cell.answer for cell in instances(engine, chosen, failed=False)}
    assert count(engine, chosen, failed=True) == 2
    assert forget_failed(engine, identity) == 2
    replace(runner).run()
    assert count(engine, chosen, failed=True) == 2  # a question without a letter fails again
    assert {cell.answer for cell in instances(engine, chosen, failed=False)} == kept


def test_progress_names_the_stage_and_counts_its_batches(workbench: Workbench) -> None:
    _, runner = stored(workbench, small(modes=["crossrag"], prompts=["reply-short-en"]))
    said: list[tuple[str, int, int]] = []
    runner.on_batch = lambda phase, done, total, _tally: said.append((phase, done, total))
    runner.run()
    stages = ("retrieving", "reranking", "translating passages", "answering")
    assert set(stages) < set(PHASE_TITLES)
    assert said == [(stage, done, 2) for stage in stages for done in (1, 2)]


def test_perturbed_runs_hold_the_same_passages_in_another_order(workbench: Workbench) -> None:
    identity, runner = stored(
        workbench,
        small(
            modes=["multirag"], prompts=["reply-short-en"], languages=["fi"], perturbations=["none", "english-first"]
        ),
    )
    runner.run()
    cells = instances(opened_store(workbench.settings.database_url), Filter(experiments=(identity,)))
    given = {(cell.run.perturbation, cell.question): [name for name, _, _ in cell.passages] for cell in cells}
    for (kind, question), names in given.items():
        assert sorted(names) == sorted(given["none", question])
        if kind == "english-first":
            assert names == sorted(given["none", question], key=lambda name: ".en." not in name)


def test_parallel_languages_are_asked_the_same_sample(sample_workbench: Workbench) -> None:
    material = ExperimentInputs(sample_workbench, small(questions=5, seed=3))
    ids = [[question.id for question in material.questions("sample", code)] for code in ("en", "fi")]
    assert ids[0] == ids[1] and len(ids[0]) == 5
    other = ExperimentInputs(sample_workbench, small(questions=5, seed=4))
    assert [question.id for question in other.questions("sample", "en")] != ids[0]


def test_removing_an_experiment_leaves_no_row_of_it(workbench: Workbench) -> None:
    kept, first = stored(workbench, small())
    first.run()
    identity, runner = stored(workbench, small())
    runner.run()
    engine = opened_store(workbench.settings.database_url)
    remove(engine, identity)
    assert [row.id for row in result_store.experiments(engine)] == [kept]
    assert count(engine, Filter()) == first.material.cells


def test_a_batch_is_written_whole_or_not_at_all(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    identity, runner = stored(workbench, small(modes=["multirag"]))

    def light_out(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("workbench.results.totals.add_flows", light_out)
        with pytest.raises(KeyboardInterrupt):
            runner.run()
    assert found(workbench.settings, identity) == []
    again: Runner = replace(runner)
    again.run()
    assert len(found(workbench.settings, identity)) == again.material.cells
