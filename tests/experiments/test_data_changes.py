"""Datasets and corpora are not renamed or deleted under a job, and results outlive them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.data.datasets.test_importing import over
from tests.databases import database_url
from tests.jobs.waiting import work_on
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Passage
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.importing import import_collection
from workbench.experiments.data_changes import (
    corpus_use,
    dataset_use,
    delete_corpus,
    delete_dataset,
    drop_corpus_version,
    rename_dataset,
    rename_library_corpus,
    version_use,
)
from workbench.experiments.experiment import make_experiment
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.recipe import Recipe
from workbench.workspace import lock
from workbench.workspace.settings import Settings

EXPERIMENT = make_experiment({"name": "Trains", "datasets": ["mine"], "languages": ["en"], "modes": ["multirag"]})


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A workspace with the dataset “mine” over the corpus “mine”."""
    bench = Workbench(Settings(tmp_path, database_url(tmp_path / "workbench.db")))
    texts = ("The train leaves at nine.", "It has beds.")
    import_collection(bench.library, DatasetLibrary(bench.settings.datasets), over("en", *texts), "mine")
    return bench


def run_to_its_end(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the experiment in this process; returns its id."""
    jobs = ExperimentJobs(bench.settings)
    experiment_id = jobs.create(bench, EXPERIMENT)
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda self, job_id, *_: work_on(self.settings, job_id))
    jobs.start(experiment_id)
    return experiment_id


def test_without_experiments_nothing_is_reported(bench: Workbench) -> None:
    assert dataset_use(bench, "mine").effect == "" == corpus_use(bench, "mine").effect
    assert rename_dataset(bench, "mine", "trains") == ""


def test_finished_experiments_keep_their_results(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment_id = run_to_its_end(bench, monkeypatch)
    assert delete_dataset(bench, "mine") == "1 experiment keeps its questions, answers and scores."
    assert bench.cache.count() > 0
    delete_corpus(bench, "mine")
    assert bench.cache.count() == 0
    (instance,) = ResultStore.at(bench.settings.database_url).of(experiment_id).instances()
    assert instance.text == "When does the train leave?" and instance.golds == ("nine",)


def test_an_unfinished_experiment_is_named_as_lost(bench: Workbench) -> None:
    ExperimentJobs(bench.settings).create(bench, EXPERIMENT)
    assert dataset_use(bench, "mine").effect.endswith("It is not finished and cannot be resumed any more.")


@pytest.mark.parametrize("delete", [delete_dataset, delete_corpus])
def test_what_a_job_at_work_needs_is_not_deleted(
    delete: Callable[[Workbench, str], str], bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = ExperimentJobs(bench.settings)
    experiment_id = jobs.create(bench, EXPERIMENT)
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda *_: None)
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
    ExperimentJobs(bench.settings).create(bench, EXPERIMENT)
    assert rename_library_corpus(bench, "mine", "trains")
    assert corpus_use(bench, "trains").others == 1


def test_a_corpus_with_the_gold_passages_of_a_dataset_is_not_deleted(bench: Workbench) -> None:
    with pytest.raises(UsageError, match=r"The dataset “mine” has its gold passages in the corpus “mine”. Delete it"):
        delete_corpus(bench, "mine")
    assert bench.library.open("mine").manifest.passages == 2


def test_a_run_points_to_the_version_that_it_searched_until_that_is_dropped(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment_id = run_to_its_end(bench, monkeypatch)
    first = bench.corpus("mine").manifest
    bench.library.add_documents("mine", [Passage("new.0", "new", "", "en", "Another train leaves at ten.")])
    current, former = bench.library.versions("mine")
    assert (version_use(bench, "mine", current), version_use(bench, "mine", former)) == (0, 1)
    (run,) = ResultStore.at(bench.settings.database_url).of(experiment_id).runs()
    assert bench.corpus_as_of("mine", run.corpus_version).manifest == first
    bench.library.add("mine", [Passage("a.0", "a", "", "en", "No train at all.")], source="s", licence="l")
    current = bench.corpus("mine").manifest
    assert bench.corpus_as_of("mine", run.corpus_version).manifest == first
    words = drop_corpus_version(bench, "mine", former.version)
    assert words.startswith("1 stored run searched it and keeps its answers and scores")
    assert bench.corpus_as_of("mine", run.corpus_version).manifest.version == current.version


def test_steps_over_other_corpora_stay_when_a_corpus_is_deleted(bench: Workbench) -> None:
    text = Passage("a.0", "a", "", "en", "A tram leaves at ten.")
    bench.library.add("trams", [text], source="s", licence="l")
    for name in ("mine", "trams"):
        bench.ask("When does it leave?", "en", Recipe().with_(corpus=name, encoder="builtin"))
    delete_dataset(bench, "mine")
    before = bench.cache.count()
    delete_corpus(bench, "mine")
    assert 0 < bench.cache.count() < before
    bench.ask("When does it leave?", "en", Recipe().with_(corpus="trams", encoder="builtin"))
    assert 0 < bench.cache.count() < before
