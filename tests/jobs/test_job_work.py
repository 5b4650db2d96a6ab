"""A stop that Python swallows, since it came within a destructor, still ends the work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.workspace.settings import load

WORKER = """
import os, signal
from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.jobs.job_work import JobWork, run_worker


class Ended:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass  # here the handler runs, and what it raises is lost


def work(config, job):
    task = JobWork(DatasetImports(config).files(job))

    def steps():
        Ended()
        task.progress("after the stop", 1, 1)
        task.tell(state="done")

    task.run(steps)


run_worker(work)
"""


def test_a_stop_within_a_destructor_is_not_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    jobs = DatasetImports(load(home))
    job = jobs.stage([("0/a.csv", b"x")])
    number = os.open(jobs.files(job).lock, os.O_RDWR | os.O_CREAT)
    environment = {**os.environ, "WORKBENCH_HOME": str(home)}
    subprocess.run(
        [sys.executable, "-c", WORKER, job, str(number)], pass_fds=[number], env=environment, check=True, timeout=120
    )
    os.close(number)
    status = jobs.status(job)
    assert status is not None and status.state == "stopped"
