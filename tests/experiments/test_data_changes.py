"""Datasets and corpora are not renamed or deleted under a job, and results outlive them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.datasets.test_importing import over
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.datasets.importing import import_collection
from workbench.errors import UsageError
from workbench.experiments.data_changes import (
    corpus_use,
    dataset_use,
    delete_corpus,
    delete_dataset,
    rename_dataset,
    rename_library_corpus,
)
from workbench.experiments.experiment import make_experiment
from workbench.experiments.jobs import control
from workbench.experiments.jobs.control import Jobs
from workbench.experiments.jobs.worker import work
from workbench.processes import lock
from workbench.results.result_store import ResultStore
from workbench.settings import Settings
from workbench.workspace.workbench import Workbench

EXPERIMENT = make_experiment({"name": "Trains", "datasets": ["mine"], "languages": ["en"], "modes": ["multirag"]})


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A workspace with the dataset “mine” over the corpus “mine”."""
    bench = Workbench(Settings(tmp_path, f"sqlite:///{tmp_path / 'workbench.db'}"))
    texts = ("The train leaves at nine.", "It has beds.")
    import_collection(bench.library, DatasetLibrary(bench.settings.datasets), over("en", *texts), "mine")
    return bench


def run_to_its_end(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the experiment in this process; returns its id."""
    jobs = Jobs(bench.settings)
    experiment_id = jobs.create(bench, EXPERIMENT)
    monkeypatch.setattr(control.Jobs, "_spawn", lambda self, job_id, _: work(self.settings, job_id))
    jobs.start(experiment_id)
    return experiment_id


def test_without_experiments_nothing_is_reported(bench: Workbench) -> None:
    assert dataset_use(bench, "mine").effect == "" == corpus_use(bench, "mine").effect
    assert rename_dataset(bench, "mine", "trains") == ""


def test_finished_experiments_keep_their_results(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment_id = run_to_its_end(bench, monkeypatch)
    assert delete_dataset(bench, "mine") == "1 experiment keeps its questions, answers and scores."
    delete_corpus(bench, "mine")
    (instance,) = ResultStore.at(bench.settings.database_url).of(experiment_id).instances()
    assert instance.text == "When does the train leave?" and instance.golds == ("nine",)


def test_an_unfinished_experiment_is_named_as_lost(bench: Workbench) -> None:
    Jobs(bench.settings).create(bench, EXPERIMENT)
    assert dataset_use(bench, "mine").effect.endswith("It is not finished and cannot be resumed any more.")


@pytest.mark.parametrize("delete", [delete_dataset, delete_corpus])
def test_what_a_job_at_work_needs_is_not_deleted(
    delete: Callable[[Workbench, str], str], bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(bench.settings)
    experiment_id = jobs.create(bench, EXPERIMENT)
    monkeypatch.setattr(control.Jobs, "_spawn", lambda *_: None)
    monkeypatch.setattr(lock, "is_locked", lambda _: True)
    jobs.start(experiment_id)
    with pytest.raises(
        UsageError, match=r"The experiment “Trains” is running over the (dataset|corpus) “mine”. Stop it"
    ):
        delete(bench, "mine")
    for rename in (rename_dataset, rename_library_corpus):
        with pytest.raises(UsageError, match="is running over"):
            rename(bench, "mine", "trains")


def test_an_experiment_over_a_former_name_of_a_corpus_counts(bench: Workbench) -> None:
    Jobs(bench.settings).create(bench, EXPERIMENT)
    assert rename_library_corpus(bench, "mine", "trains")
    assert corpus_use(bench, "trains").others == 1


def test_a_corpus_with_the_gold_passages_of_a_dataset_is_not_deleted(bench: Workbench) -> None:
    with pytest.raises(UsageError, match=r"The dataset “mine” has its gold passages in the corpus “mine”. Delete it"):
        delete_corpus(bench, "mine")
    assert bench.library.open("mine").manifest.passages == 2
