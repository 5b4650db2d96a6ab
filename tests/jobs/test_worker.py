"""The process of a job: a stop that Python swallows, since it came within a destructor, still ends the work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.workspace.jobs.job import KINDS
from workbench.workspace.settings import load

WORKER = """
import os, signal
from workbench.jobs.imports import dataset_imports
from workbench.workspace.jobs import worker


class Ended:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass  # here the handler runs, and what it raises is lost


def run(task, _parameters):
    Ended()
    task.progress("after the stop", 1, 1)


dataset_imports.run_dataset_import = run
worker.main()
"""


def test_a_stop_within_a_destructor_is_not_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    jobs = DatasetImports(load(home))
    job_id = jobs.stage([("0/a.csv", b"x")])
    number = os.open(jobs.files(job_id).lock, os.O_RDWR | os.O_CREAT)
    environment = {**os.environ, "WORKBENCH_HOME": str(home)}
    subprocess.run(
        [sys.executable, "-c", WORKER, job_id, str(number)], pass_fds=[number], env=environment, check=True, timeout=120
    )
    os.close(number)
    job = jobs.job(job_id)
    assert job is not None and job.state == "stopped"


@pytest.mark.parametrize("name", KINDS)
def test_the_function_and_the_parameters_of_a_kind_are_where_it_says(name: str) -> None:
    assert all(callable(resolve_name(path)) for path in (KINDS[name].run, KINDS[name].parameters))
