"""Whole experiments over the sample: what they find, what they share, and that they go on where they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.experiments.experiments import answer_rows, small, stored
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.core.stopping import JobStopped
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import Writer, forget_failed, remove
from workbench.experiments.runner import Runner
from workbench.pipeline.executor import StepCounts


def test_each_cell_is_the_answer_to_its_question_alone(workbench: Workbench) -> None:
    experiment_id, runner = stored(workbench, small(modes=["trag", "crossrag", "drag", "pivot"], languages=["fi"]))
    runner.run()
    cells = ResultStore.at(workbench.settings.database_url).of(experiment_id).instances(limit=100)
    assert len(cells) == 14, "D-RAG has a prompt of its own, so its runs under both variants are one"
    recipes = {run.number: run.recipe for run in runner.inputs.runs}
    for cell in cells:
        alone = workbench.ask(cell.text, cell.language, recipes[cell.run.number], cached=False)
        assert cell.output == alone.text
        assert cell.answer_language == alone.answer_language
        assert [name for name, _, _ in cell.passages] == [item.passage.id for item in alone.evidence]


def test_the_steps_run_are_the_distinct_ones_and_a_second_experiment_runs_none_again(workbench: Workbench) -> None:
    _, runner = stored(workbench, small())
    seen: list[tuple[str, str]] = []
    runner.executor.on_key = lambda stage, key: seen.append((stage, key))
    counts = runner.run()
    assert sum(counts.ran.values()) == len(set(seen))
    assert counts.ran["retrieve"] == counts.ran["rerank"] == 4  # two modes and two prompts share them
    _, again = stored(workbench, small(name="Again"))
    second = again.run()
    assert {name for name, number in second.ran.items() if number} == {"compose", "read answer"}


def test_stopped_anywhere_and_resumed_it_finds_what_an_unbroken_one_finds(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.inputs.QUESTIONS_PER_BATCH", 1)
    whole, runner = stored(workbench, small())
    runner.run()
    workbench.cache.forget()
    broken, first = stored(workbench, small())
    rounds = 0

    def stop_now(_phase: str, _done: int, _total: int, _counts: StepCounts) -> None:
        current.stop.set()

    current = first
    while True:
        current.on_batch = stop_now
        rounds += 1
        try:
            current.run()
            break
        except JobStopped:
            current = replace(current)
            current.stop.clear()
    assert rounds > 8
    assert answer_rows(workbench.settings, broken) == answer_rows(workbench.settings, whole)


def test_a_phase_that_is_marked_is_not_run_again(workbench: Workbench) -> None:
    """As in a workspace whose experiment was stopped half-way, before or after marks were names of stages."""
    experiment_id, runner = stored(workbench, small(modes=["crossrag"], prompts=["reply-short-en"], languages=["en"]))
    (batch,) = runner.inputs.batches()
    writer = Writer(ResultStore.at(workbench.settings.database_url).engine, experiment_id, runner.inputs.metrics)
    for phase in ("retrieve", "rerank"):
        writer.write(phase, batch.number, batch.dataset, [])
    titles: list[str] = []
    runner.on_batch = lambda phase, _done, _total, _counts: titles.append(phase)
    runner.run()
    assert titles == ["translating passages", "answering"]
    assert len(answer_rows(workbench.settings, experiment_id)) == 2
    assert writer.done("translate passages") == writer.done("detect language") == {batch.number}


def test_an_experiment_without_retrieval_has_one_phase(workbench: Workbench) -> None:
    _, runner = stored(workbench, small(modes=["baseline"]))
    assert [phase.title for phase in runner.phases] == ["answering"]
    counts = runner.run()
    assert set(counts.ran) == {"compose", "generate", "read answer", "detect language"}


def test_a_finished_experiment_has_nothing_more_to_do(workbench: Workbench) -> None:
    experiment_id, runner = stored(workbench, small())
    runner.run()
    before = answer_rows(workbench.settings, experiment_id)
    again = replace(runner)
    assert sum(again.run().ran.values()) == 0
    assert answer_rows(workbench.settings, experiment_id) == before


def test_a_scope_without_passages_fails_its_cells_alone_with_the_reason(workbench: Workbench) -> None:
    library = DatasetLibrary(workbench.settings.datasets)
    library.add("nordic", "sample", [Question("a", "Vem uppfann radion?", "sv", ("Marconi",))], aligned=False)
    experiment_id, runner = stored(
        workbench, small(datasets=["nordic"], languages=["all"], scopes=["ul", "en"], modes=["multirag", "baseline"])
    )
    runner.run()
    results = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    assert results.count() == 6  # without retrieval once for both scopes
    assert [cell.run.mode for cell in results.instances(failed=True)] == ["multirag", "multirag"]
    ((reason, cells),) = results.failures()
    assert cells == 2 and "scope “ul” holds nothing" in reason


def test_failed_cells_are_tried_again_and_the_others_are_left_alone(workbench: Workbench) -> None:
    library = DatasetLibrary(workbench.settings.datasets)
    library.add(
        "mixed", "sample", [Question("a", "?!", "en"), Question("b", "Who invented radio?", "en")], aligned=False
    )
    experiment_id, runner = stored(workbench, small(datasets=["mixed"], languages=["en"], modes=["multirag"]))
    runner.run()
    results = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    before = {cell.answer for cell in results.instances(failed=False)}
    assert results.count(failed=True) == 2
    assert forget_failed(results.engine, experiment_id) == 2
    replace(runner).run()
    assert results.count(failed=True) == 2  # a question without a letter fails again
    assert {cell.answer for cell in results.instances(failed=False)} == before


def test_progress_names_the_stage_and_counts_its_batches(workbench: Workbench) -> None:
    _, runner = stored(workbench, small(modes=["crossrag"], prompts=["reply-short-en"]))
    progress: list[tuple[str, int, int]] = []
    runner.on_batch = lambda phase, done, total, _counts: progress.append((phase, done, total))
    runner.run()
    titles = ("retrieving", "reranking", "translating passages", "answering")
    assert progress == [(title, done, 2) for title in titles for done in (1, 2)]


def test_perturbed_runs_hold_the_same_passages_in_another_order(workbench: Workbench) -> None:
    experiment_id, runner = stored(
        workbench,
        small(
            modes=["multirag"], prompts=["reply-short-en"], languages=["fi"], perturbations=["none", "english-first"]
        ),
    )
    runner.run()
    cells = ResultStore.at(workbench.settings.database_url).of(experiment_id).instances()
    passages = {(cell.run.perturbation, cell.question): [name for name, _, _ in cell.passages] for cell in cells}
    for (kind, question), names in passages.items():
        assert sorted(names) == sorted(passages["none", question])
        if kind == "english-first":
            assert names == sorted(passages["none", question], key=lambda name: ".en." not in name)


def test_parallel_languages_have_the_same_sample(sample_workbench: Workbench) -> None:
    inputs = ExperimentInputs(sample_workbench, small(questions=5, seed=3))
    ids = [[question.id for question in inputs.questions("sample", language)] for language in ("en", "fi")]
    assert ids[0] == ids[1] and len(ids[0]) == 5
    other = ExperimentInputs(sample_workbench, small(questions=5, seed=4))
    assert [question.id for question in other.questions("sample", "en")] != ids[0]


def test_removing_an_experiment_leaves_no_row_of_it(workbench: Workbench) -> None:
    other, first = stored(workbench, small())
    first.run()
    experiment_id, runner = stored(workbench, small())
    runner.run()
    store = ResultStore.at(workbench.settings.database_url)
    remove(store.engine, experiment_id)
    assert [row.id for row in store.experiments()] == [other]
    assert store.of().count() == first.inputs.cells


def test_a_batch_is_written_whole_or_not_at_all(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment_id, runner = stored(workbench, small(modes=["multirag"]))

    def light_out(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("workbench.experiments.results.writer.add_flows", light_out)
        with pytest.raises(KeyboardInterrupt):
            runner.run()
    assert answer_rows(workbench.settings, experiment_id) == []
    again: Runner = replace(runner)
    again.run()
    assert len(answer_rows(workbench.settings, experiment_id)) == again.inputs.cells


def test_a_step_that_a_later_stage_reads_again_is_counted_once(workbench: Workbench) -> None:
    _, runner = stored(workbench, small())
    counts = runner.run()
    assert len(runner.phases) > 2
    assert (counts.ran["retrieve"], counts.from_cache["retrieve"]) == (4, 0)
    _, again = stored(workbench, small())
    assert again.run().from_cache["retrieve"] == 4
