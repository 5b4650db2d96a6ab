"""Jobs with uploaded files: files that stay in their folder, and folders that go when nobody needs them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.jobs.waiting import write
from workbench.core.errors import UsageError
from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.workspace.jobs.jobs import IDLE
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
    assert jobs.all() == [] and list(jobs.folder.iterdir()) == []


def test_files_lie_by_their_paths(jobs: DatasetImports) -> None:
    job = jobs.stage([("set/qrels/test.tsv", b"x")])
    assert (jobs.files(job).staged / "set" / "qrels" / "test.tsv").read_bytes() == b"x"


def test_a_job_is_seen_from_another_tab(jobs: DatasetImports) -> None:
    job = DatasetImports(jobs.settings).job(jobs.stage([("0/a.csv", b"x")]))
    assert job is not None and job.state == "staged"


def test_a_job_whose_staging_was_killed_is_swept_away_after_days(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/a.csv", b"x")])
    write(jobs, job, heartbeat=time.time() - 2 * IDLE)
    jobs.sweep()
    assert jobs.job(job) is None and list(jobs.folder.iterdir()) == []


def test_a_job_at_work_is_not_swept_away(jobs: DatasetImports) -> None:
    job = jobs.stage([("0/a.csv", b"x")])
    with jobs.undisturbed(job):
        write(jobs, job, state="running", heartbeat=time.time() - 2 * IDLE)
        jobs.sweep()
        assert jobs.files(job).folder.exists()


@pytest.mark.parametrize("job", ["../../etc", "", "x" * 33])
def test_what_is_not_the_id_of_a_job_opens_no_folder(jobs: DatasetImports, job: str) -> None:
    with pytest.raises(UsageError):
        jobs.files(job)
