"""Imports of datasets as jobs of their own process: complete, stopped, killed at any moment, and gone on with."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.waiting import ended, kill, stop_indexing, until, work_on
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.formats.squad import read_squad
from workbench.data.datasets.importing import import_collection
from workbench.jobs.imports import dataset_imports
from workbench.jobs.imports.dataset_imports import DatasetImports, DatasetParameters, DatasetRequest, DatasetSource
from workbench.workspace.settings import Settings, load

ROWS = b"question,answers,lang\nWho?,Marconi,en\nKuka?,Marconi,fi\n"
TABLE = DatasetSource("table", {"answers": "answers", "language": "lang"})
PARAGRAPHS = 300


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DatasetImports]:
    """The imports of an empty workspace."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    jobs = DatasetImports(load(tmp_path / "home"))
    yield jobs
    stop_indexing(jobs.settings)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is done in the test's process."""

    monkeypatch.setattr(dataset_imports, "index_added", lambda bench, manifest: None)
    monkeypatch.setattr(DatasetImports, "spawn", lambda jobs, job, _number: work_on(jobs.settings, job))


def _squad(count: int) -> bytes:
    paragraphs = [
        {
            "context": f"Harbour {number} lies at the mouth of river {number * 7} and has {number % 90} piers.",
            "qas": [{"id": str(number), "question": f"Where is harbour {number}?", "answers": [{"text": "Harbour"}]}],
        }
        for number in range(count)
    ]
    for entry in paragraphs:
        entry["qas"][0]["answers"][0]["answer_start"] = 0  # type: ignore[index]
    return json.dumps({"version": "1", "data": [{"title": "Harbours", "paragraphs": paragraphs}]}).encode()


def _names(settings: Settings) -> tuple[list[str], list[str]]:
    """The datasets but the sample, and the corpora."""
    datasets = [item.name for item in DatasetLibrary(settings.datasets).list() if item.name != "sample"]
    return datasets, [item.name for item in CorpusLibrary(settings.corpora).list()]


def test_a_process_of_its_own_imports_and_its_files_are_gone_afterwards(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/mine.csv", ROWS)])
    assert jobs.start(job, DatasetRequest("mine", TABLE))
    status = ended(jobs, job)
    assert (status.state, status.error) == ("done", "")
    assert status.result["summary"].startswith("Dataset “mine” now has these questions: en 1, fi 1.")
    assert DatasetLibrary(jobs.settings.datasets).info("mine").languages == {"en": 1, "fi": 1}
    # The files go once the import is stored as done.
    deadline = time.monotonic() + 10
    while jobs.files(job).staged.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_killed_at_random_moments_and_gone_on_with_it_is_complete(jobs: DatasetImports) -> None:
    choose, kills = random.Random(11), 0
    job = jobs.stage([("0/harbours.json", _squad(PARAGRAPHS))])
    jobs.start(job, DatasetRequest("harbours", DatasetSource("squad", {"language": "en"})))
    for _ in range(4):
        until(jobs, job, "running", "done")
        time.sleep(choose.random() * 1.2)
        kill(jobs, job)
        status = jobs.job(job)
        assert status is not None
        if status.state == "done":
            break
        kills += status.state == "interrupted"
        datasets, corpora = _names(jobs.settings)
        # What is there is complete: a kill leaves nothing that is half a dataset or half a corpus.
        assert all(CorpusLibrary(jobs.settings.corpora).open(name).manifest.passages == PARAGRAPHS for name in corpora)
        assert not datasets or corpora
        jobs.resume(job)
    assert kills
    assert ended(jobs, job).state == "done"
    assert DatasetLibrary(jobs.settings.datasets).info("harbours").languages == {"en": PARAGRAPHS}
    assert [path.name for path in (jobs.settings.corpora / "harbours").glob(".building-*")] == []


def test_a_stopped_import_leaves_nothing_and_its_files_for_another_try(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/harbours.json", _squad(PARAGRAPHS))])
    jobs.start(job, DatasetRequest("harbours", DatasetSource("squad", {"language": "en"})))
    until(jobs, job, "running")
    assert jobs.stop(job)
    assert ended(jobs, job).state == "stopped"
    assert _names(jobs.settings) == ([], [])
    assert jobs.files(job).staged.exists()


@pytest.mark.usefixtures("here")
def test_a_bad_file_fails_in_one_sentence_that_names_it_without_its_place(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/mine.csv", ROWS + b"Wer?,,de\n")])
    jobs.start(job, DatasetRequest("mine", TABLE))
    status = jobs.job(job)
    assert status is not None and status.state == "failed"
    assert status.error.startswith("mine.csv, row 4") and str(jobs.settings.home) not in status.error
    assert _names(jobs.settings) == ([], [])


def test_a_dataset_that_is_being_imported_is_not_imported_twice(jobs: DatasetImports) -> None:
    first, second = (jobs.stage([("0/mine.csv", ROWS)]) for _ in range(2))
    with jobs.undisturbed(first) as claim:
        claim.record("running", DatasetParameters(DatasetRequest("mine", TABLE)), title="mine")
        with pytest.raises(UsageError, match="is already being imported"):
            DatasetImports(jobs.settings).start(second, DatasetRequest("mine", TABLE))


@pytest.mark.usefixtures("here")
def test_a_new_import_replaces_one_of_its_name_that_came_to_nothing(jobs: DatasetImports) -> None:
    bad = jobs.stage([("0/mine.csv", b"question\n")])
    jobs.start(bad, DatasetRequest("mine", TABLE))
    good = jobs.stage([("0/mine.csv", ROWS)])
    jobs.start(good, DatasetRequest("mine", TABLE))
    assert [status.id for status in jobs.all()] == [good]


@pytest.mark.usefixtures("here")
def test_questions_that_a_killed_import_has_added_are_not_added_twice(jobs: DatasetImports) -> None:
    jobs.start(jobs.stage([("0/mine.csv", ROWS)]), DatasetRequest("mine", TABLE))
    job = jobs.stage([("0/mine.csv", ROWS)])
    jobs.start(job, DatasetRequest("mine", TABLE, existing="add"))
    status = jobs.job(job)
    assert status is not None and status.state == "done"
    # As if the process had been killed between its last step and its last word.
    jobs.stage([("0/mine.csv", ROWS)], job)
    jobs.resume(job)
    status = jobs.job(job)
    assert status is not None and "was changed since this import began" in status.error
    assert DatasetLibrary(jobs.settings.datasets).info("mine").languages == {"en": 2, "fi": 2}


def test_where_the_dataset_cannot_be_written_its_new_corpus_goes_too(
    jobs: DatasetImports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(DatasetLibrary, "_add", full)
    file = tmp_path / "harbours.json"
    file.write_bytes(_squad(5))
    library, datasets = CorpusLibrary(jobs.settings.corpora), DatasetLibrary(jobs.settings.datasets)
    with pytest.raises(OSError, match="no space left"):
        import_collection(library, datasets, read_squad([file], "en"), "harbours")
    assert _names(jobs.settings) == ([], [])
