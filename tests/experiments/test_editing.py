"""Experiments renamed and deleted: at once or not at all, and never while a process works on them."""

from __future__ import annotations

import pytest

from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments.experiment import experiment_from_yaml
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.run_list import stored_experiment
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import lock


@pytest.fixture
def jobs(workbench: Workbench) -> ExperimentJobs:
    return ExperimentJobs(workbench.settings)


def test_a_new_name_is_in_the_list_and_in_the_yaml_and_the_answers_stay(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    experiment_id = add_results(workbench)
    assert jobs.rename(experiment_id, "  A better\nname ") == "A better name"
    row = jobs.experiment_status(experiment_id).experiment
    assert (row.id, row.name, row.answered) == (experiment_id, "A better name", 3)
    with jobs.engine.connect() as connection:
        assert experiment_from_yaml(stored_experiment(connection, experiment_id).spec).name == "A better name"


@pytest.mark.parametrize("name", ["", " \n", "x" * 201])
def test_a_name_that_is_not_allowed_changes_nothing(workbench: Workbench, jobs: ExperimentJobs, name: str) -> None:
    experiment_id = add_results(workbench)
    with pytest.raises(UsageError, match="1 to 200 characters"):
        jobs.rename(experiment_id, name)
    assert jobs.experiment_status(experiment_id).experiment.name == "Made up"


def test_a_deleted_experiment_is_gone_with_its_answers_and_no_other_is(
    workbench: Workbench, jobs: ExperimentJobs
) -> None:
    first, second = add_results(workbench), add_results(workbench)
    jobs.discard(first)
    store = ResultStore(jobs.engine)
    assert [row.id for row in store.experiments()] == [second]
    assert store.where(Filter(experiments=(first,))).count() == 0 and store.of(second).count() == 4
    assert not list(jobs.folder.glob(f"{first}*"))


@pytest.mark.parametrize("change", ["rename", "delete"])
def test_an_experiment_at_work_is_neither_renamed_nor_deleted(
    workbench: Workbench, jobs: ExperimentJobs, change: str
) -> None:
    experiment_id = add_results(workbench)
    with lock.acquired(jobs.folder / f"{experiment_id}.lock"), pytest.raises(UsageError, match="is running"):
        if change == "rename":
            jobs.rename(experiment_id, "Other")
        else:
            jobs.discard(experiment_id)
    row = jobs.experiment_status(experiment_id).experiment
    assert (row.name, row.answered) == ("Made up", 3)


def test_an_experiment_that_was_deleted_meanwhile_is_not_started(
    workbench: Workbench, jobs: ExperimentJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment_id = add_results(workbench)
    status = jobs.experiment_status(experiment_id)
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda *_: pytest.fail("it was started"))
    jobs.discard(experiment_id)
    looks = [status]
    monkeypatch.setattr(ExperimentJobs, "statuses", lambda self, *ids: [looks.pop()] if looks else [])
    with pytest.raises(UsageError, match="Unknown experiment"), jobs.undisturbed(experiment_id):
        jobs.experiment_status(experiment_id)


def test_what_does_not_exist_can_be_neither_renamed_nor_deleted(jobs: ExperimentJobs) -> None:
    for change in (lambda: jobs.rename("nothing", "Other"), lambda: jobs.discard("nothing")):
        with pytest.raises(UsageError, match="Unknown experiment “nothing”"):
            change()
