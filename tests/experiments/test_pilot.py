"""What a pilot measures, and what the whole will take by it."""

from __future__ import annotations

from threading import Event

import pytest

from tests.experiments.experiments import small
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.errors import UsageError
from workbench.experiments import pilot
from workbench.experiments.cells import StepCounts, StoppedError
from workbench.experiments.pilot import PilotMeasurement, estimate, measure, pilot_experiment
from workbench.experiments.plan import ExperimentPlan, plan
from workbench.experiments.runner import Runner
from workbench.records import Question
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.instances import count
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench


def test_a_pilot_measures_every_stage_and_stores_no_result(workbench: Workbench) -> None:
    made = measure(workbench, pilot_experiment(small(questions=10), 1))
    assert (made.cells, made.failed, made.reasons) == (8, 0, {})
    assert {"retrieve", "translate passages", "compose", "generate"} <= set(made.each)
    engine = opened_store(workbench.settings.database_url)
    assert result_store.experiments(engine) == [] and count(engine, Filter()) == 0


def test_what_the_first_question_of_a_language_takes_is_not_charged_to_the_others(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[tuple[int | None, int]] = []

    class Watched(Runner):
        def run(self) -> StepCounts:
            tally = super().run()
            worked.append((self.material.experiment.questions, tally.run["generate"]))
            return tally

    monkeypatch.setattr(pilot, "Runner", Watched)
    made = measure(workbench, pilot_experiment(small(questions=10), 2))
    (warm, first), (asked, measured) = worked
    assert (warm, asked, made.cells) == (1, 2, 16)
    # The second pass finds what the first one did, and so measures the second question alone.
    assert first == measured > 0


def test_an_estimate_multiplies_the_seconds_of_a_step_and_scales_the_tokens() -> None:
    whole = ExperimentPlan(2, 40, {"retrieve": 10, "generate": 40, "translate answer": 5}, {}, {})
    measured = PilotMeasurement(8, 1, {"retrieve": 0.5, "generate": 2.0}, 100, 11, {"No answer.": 1})
    made = estimate(whole, measured)
    assert made.seconds == 10 * 0.5 + 40 * 2.0
    assert (made.prompt_tokens, made.completion_tokens) == (500, 55)
    assert made.unmet == ("translate answer",)
    assert (made.cells, made.failed, made.reasons) == (8, 1, {"No answer.": 1})


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
    made = measure(workbench, pilot_experiment(small(datasets=["odd"], languages=["en"]), 1))
    ((reason, cells),) = made.reasons.items()
    assert made.failed == cells == 4 and "no letter or digit" in reason


def test_a_pilot_asks_no_more_than_its_experiment(workbench: Workbench) -> None:
    assert pilot_experiment(small(questions=1), 5).questions == 1
    assert pilot_experiment(small(questions=None), 5).questions == 5


def test_a_pilot_stops_when_it_is_asked_to(workbench: Workbench) -> None:
    stop = Event()
    with pytest.raises(StoppedError):
        measure(workbench, pilot_experiment(small(), 1), stop=stop, on_batch=lambda *_: stop.set())


def test_a_pilot_of_no_questions_is_refused(workbench: Workbench) -> None:
    DatasetLibrary(workbench.settings.datasets).add("empty", "sample", [], aligned=False)
    with pytest.raises(UsageError, match="has no cells"):
        measure(workbench, pilot_experiment(small(datasets=["empty"], languages=["all"]), 1))
