"""The first phase of an experiment: the indexes that it lacks and that can be built."""

from __future__ import annotations

from threading import Event

import pytest

from tests.experiments.experiments import small, stored
from tests.jobs.indexing.corpora import ENCODER, add_corpus
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.core.stopping import JobStopped
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.phases import INDEXING, build_indexes, missing_indexes
from workbench.jobs.indexing.index_report import IndexJobs
from workbench.pipeline.executor import StepCounts


@pytest.fixture
def dataset(workbench: Workbench) -> str:
    """A question over a corpus that no further encoder has indexed."""
    add_corpus(workbench)
    library = DatasetLibrary(workbench.settings.datasets)
    library.add("mine", "mine", [Question("a", "Where is the river?", "en", answers=("market",))], aligned=False)
    return "mine"


def over(dataset: str, encoder: str = ENCODER, **choices: object) -> dict[str, object]:
    return {"datasets": [dataset], "languages": ["en"], "recipe": {"encoder": encoder}, **choices}


def test_an_experiment_builds_the_index_that_it_lacks_and_shows_it_first(workbench: Workbench, dataset: str) -> None:
    _, runner = stored(workbench, small(**over(dataset)))
    phases: list[str] = []
    runner.on_batch = lambda phase, done, total, counts: phases.append(phase)
    runner.run()
    assert phases[0] == INDEXING and phases[-1] == "answering"
    assert workbench.registry.is_indexed(workbench.corpus("mine"), ENCODER)


@pytest.mark.parametrize(
    "choices", [{"encoder": "builtin"}, {"modes": ["baseline"]}], ids=["another encoder", "no search"]
)
def test_nothing_is_indexed_that_no_run_searches(
    workbench: Workbench, dataset: str, choices: dict[str, object]
) -> None:
    inputs = ExperimentInputs(workbench, small(**over(dataset, **choices)))  # type: ignore[arg-type]
    assert missing_indexes(workbench, inputs.runs) == ()


def test_an_index_that_exists_is_not_built_again(workbench: Workbench, dataset: str) -> None:
    inputs = ExperimentInputs(workbench, small(**over(dataset)))
    assert missing_indexes(workbench, inputs.runs) == (("mine", ENCODER),)
    build_indexes(workbench, inputs.runs, stop=Event(), on_batch=lambda *_: None, counts=StepCounts())
    assert missing_indexes(workbench, inputs.runs) == ()


def test_stop_ends_the_first_phase_and_the_index_can_be_resumed(workbench: Workbench, dataset: str) -> None:
    inputs, stop = ExperimentInputs(workbench, small(**over(dataset))), Event()
    stop.set()
    with pytest.raises(JobStopped):
        build_indexes(workbench, inputs.runs, stop=stop, on_batch=lambda *_: None, counts=StepCounts())
    status = IndexJobs(workbench.settings).of(workbench.corpus("mine").manifest, ENCODER)
    assert status is not None and status.state == "stopped"
