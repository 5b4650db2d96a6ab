"""What all kinds of jobs share: files that stay in their folder, and folders that go when nobody needs them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from workbench.core.errors import UsageError
from workbench.jobs.folder_jobs import IDLE
from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.jobs.job_folder import now
from workbench.workspace import lock
from workbench.workspace.settings import load


@pytest.fixture
def jobs(tmp_path: Path) -> DatasetImports:
    """A kind of jobs in a workspace without any."""
    return DatasetImports(load(tmp_path / "home"))


@pytest.mark.parametrize("path", ["../a", "a/../../b", "/etc/a", "a//b", "", "a\\..\\b", "a\0b"])
def test_a_path_that_leads_out_of_a_jobs_folder_is_refused_and_nothing_is_written(
    jobs: DatasetImports, path: str
) -> None:
    with pytest.raises(UsageError, match="must not lead to another folder"):
        jobs.stage([(path, b"x")])
    assert [entry for entry in jobs.settings.home.rglob("*") if entry.is_file() and entry.name != "job.lock"] == []


def test_files_lie_by_their_paths(jobs: DatasetImports) -> None:
    job = jobs.stage([("set/qrels/test.tsv", b"x")])
    assert (jobs.files(job).staged / "set" / "qrels" / "test.tsv").read_bytes() == b"x"


def test_a_job_is_seen_from_another_tab(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/a.csv", b"x")])
    status = DatasetImports(jobs.settings).status(job)
    assert status is not None and status.state == "staged"


def test_a_folder_whose_staging_was_killed_is_swept_away_after_days(jobs: DatasetImports) -> None:
    folder = jobs.folder / uuid4().hex
    (folder / "files").mkdir(parents=True)
    os.utime(folder, (now() - 2 * IDLE,) * 2)
    jobs.sweep()
    assert not folder.exists()


def test_a_job_at_work_is_not_swept_away(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/a.csv", b"x")])
    place = jobs.files(job)
    status = place.read()
    assert status is not None
    with lock.acquired(place.lock):
        place.write(replace(status, state="running", updated=now() - 2 * IDLE))
        jobs.sweep()
        assert place.folder.exists()


def test_a_status_of_another_version_is_no_status(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/a.csv", b"x")])
    (jobs.files(job).folder / "status.json").write_text('{"job": "x", "state": "flying"}', encoding="utf-8")
    assert jobs.status(job) is None


@pytest.mark.parametrize("job", ["../../etc", "", "x" * 32])
def test_what_is_not_the_name_of_a_job_opens_no_folder(jobs: DatasetImports, job: str) -> None:
    with pytest.raises(UsageError):
        jobs.files(job)
