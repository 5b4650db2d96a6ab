"""What a pilot measures, and what the whole will take by it."""

from __future__ import annotations

from threading import Event

import pytest

from tests.experiments.experiments import small
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.core.stopping import JobStopped
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments import planning
from workbench.experiments.planning import ExperimentPlan, PilotMeasurement, estimate, measure, pilot_experiment, plan
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.runner import Runner
from workbench.pipeline.executor import StepCounts


def test_a_pilot_measures_every_stage_and_stores_no_result(workbench: Workbench) -> None:
    measurement = measure(workbench, pilot_experiment(small(questions=10), 1))
    assert (measurement.cells, measurement.failed, measurement.reasons) == (8, 0, {})
    assert {"retrieve", "translate passages", "compose", "generate"} <= set(measurement.each)
    store = ResultStore.at(workbench.settings.database_url)
    assert store.experiments() == [] and store.of().count() == 0


def test_what_the_first_question_of_a_language_takes_is_not_charged_to_the_others(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[tuple[int | None, int]] = []

    class Watched(Runner):
        def run(self) -> StepCounts:
            counts = super().run()
            passes.append((self.inputs.experiment.questions, counts.ran["generate"]))
            return counts

    monkeypatch.setattr(planning, "Runner", Watched)
    measurement = measure(workbench, pilot_experiment(small(questions=10), 2))
    (first_questions, first_steps), (questions, steps) = passes
    assert (first_questions, questions, measurement.cells) == (1, 2, 16)
    # The second pass reads the steps of the first from the cache, and so measures the second question alone.
    assert first_steps == steps > 0


def test_an_estimate_multiplies_the_seconds_of_a_step_and_scales_the_tokens() -> None:
    whole = ExperimentPlan(2, 40, {"retrieve": 10, "generate": 40, "translate answer": 5}, {}, {})
    measured = PilotMeasurement(8, 1, {"retrieve": 0.5, "generate": 2.0}, 100, 11, {"No answer.": 1})
    estimated = estimate(whole, measured)
    assert estimated.seconds == 10 * 0.5 + 40 * 2.0
    assert (estimated.prompt_tokens, estimated.completion_tokens) == (500, 55)
    assert estimated.unmet == ("translate answer",)
    assert (estimated.cells, estimated.failed, estimated.reasons) == (8, 1, {"No answer.": 1})


def test_an_estimate_counts_the_start_once_and_what_a_cell_takes_besides_its_steps() -> None:
    whole = ExperimentPlan(2, 40, {"generate": 40}, {}, {})
    measured = PilotMeasurement(8, 0, {"generate": 2.0}, startup=15.0, overhead=0.25)
    assert estimate(whole, measured).seconds == 15.0 + 40 * 0.25 + 40 * 2.0


def test_a_pilot_measures_its_start_with_what_its_process_has_spent_before(workbench: Workbench) -> None:
    measurement = measure(workbench, pilot_experiment(small(questions=10), 2), spent=100.0)
    assert measurement.startup >= 100.0 and measurement.overhead > 0.0


def test_what_a_pilot_computed_is_in_the_cache_for_the_experiment(workbench: Workbench) -> None:
    measure(workbench, pilot_experiment(small(), 2))
    before = workbench.cache.count()
    measure(workbench, pilot_experiment(small(), 2))
    assert workbench.cache.count() == before > 0


def test_a_pilot_run_again_still_knows_the_stages_that_are_in_the_cache(workbench: Workbench) -> None:
    first, again = (measure(workbench, pilot_experiment(small(), 1)) for _ in range(2))
    assert set(again.each) == set(first.each)
    assert all(seconds > 0 for seconds in again.each.values())
    assert estimate(plan(workbench, small()), again).unmet == ()


def test_a_pilot_counts_its_failed_cells_by_reason(workbench: Workbench) -> None:
    library = DatasetLibrary(workbench.settings.datasets)
    library.add("odd", "sample", [Question("a", "?!", "en")], aligned=False)
    measurement = measure(workbench, pilot_experiment(small(datasets=["odd"], languages=["en"]), 1))
    ((reason, cells),) = measurement.reasons.items()
    assert measurement.failed == cells == 4 and "no letter or digit" in reason


def test_a_pilot_asks_no_more_than_its_experiment(workbench: Workbench) -> None:
    assert pilot_experiment(small(questions=1), 5).questions == 1
    assert pilot_experiment(small(questions=None), 5).questions == 5


def test_a_pilot_can_be_stopped(workbench: Workbench) -> None:
    stop = Event()
    with pytest.raises(JobStopped):
        measure(workbench, pilot_experiment(small(), 1), stop=stop, on_batch=lambda *_: stop.set())


def test_a_pilot_of_no_questions_is_refused(workbench: Workbench) -> None:
    DatasetLibrary(workbench.settings.datasets).add("empty", "sample", [], aligned=False)
    with pytest.raises(UsageError, match="has no cells"):
        measure(workbench, pilot_experiment(small(datasets=["empty"], languages=["all"]), 1))
