"""The process of a job: a stop that Python swallows, since it came within a destructor, still ends the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from threading import Thread
from typing import Any

import pytest

from tests.jobs.counting import KIND
from tests.jobs.waiting import work_on, write
from workbench.core.errors import UsageError
from workbench.core.stopping import JobStopped
from workbench.jobs.imports.dataset_imports import DatasetImports
from workbench.workspace import detached, lock, settings
from workbench.workspace.jobs import worker
from workbench.workspace.jobs.job import KINDS
from workbench.workspace.jobs.jobs import Jobs
from workbench.workspace.jobs.worker import task_of
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


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """The jobs of an empty workspace, of a kind whose jobs wait for each other; nobody works on them by itself."""
    monkeypatch.setattr(lock, "WAIT", 0.0)
    monkeypatch.setattr(worker, "HEARTBEAT", 0.01)
    monkeypatch.setitem(KINDS, KIND.name, replace(KIND, in_turn=True))
    monkeypatch.setattr(Jobs, "spawn", lambda *_: None)
    return Jobs(load(tmp_path / "home"))


def state(jobs: Jobs, job_id: str) -> str:
    (row,) = [job for job in jobs._rows() if job.id == job_id]
    return row.state


def test_a_job_waits_until_the_other_one_of_its_kind_is_done(waiting: Jobs) -> None:
    first, second = (waiting.start_new(KIND.name, {"steps": steps}) for steps in (2, 3))
    with task_of(waiting.settings, first).at_work(in_turn=True):
        assert state(waiting, first) == "running"
        thread = Thread(target=work_on, args=(waiting.settings, second))
        thread.start()
        thread.join(0.05)
        assert thread.is_alive() and state(waiting, second) == "waiting"
    thread.join(10.0)
    assert (state(waiting, first), state(waiting, second)) == ("done", "done")


def test_a_job_that_waits_for_its_turn_can_be_stopped(waiting: Jobs) -> None:
    first, second = (waiting.start_new(KIND.name, {"steps": steps}) for steps in (2, 3))
    with task_of(waiting.settings, first).at_work(in_turn=True):
        write(waiting, second, stop=True)
        work_on(waiting.settings, second)
        assert (state(waiting, first), state(waiting, second)) == ("running", "stopped")


def test_the_work_of_a_job_that_is_gone_is_refused(waiting: Jobs) -> None:
    with pytest.raises(UsageError, match="There is no job “nothing”"):
        task_of(waiting.settings, "nothing")


@pytest.mark.parametrize("breaks_off", [False, True])
def test_a_process_releases_its_lock_when_it_is_done_and_is_told_to_stop_once(
    breaks_off: bool, waiting: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers: list[Any] = []
    monkeypatch.setitem(KINDS, KIND.name, replace(KIND, breaks_off=breaks_off))
    monkeypatch.setattr(signal, "signal", lambda _number, handler: handlers.append(handler))
    monkeypatch.setattr(detached, "stand_back", lambda: None)
    monkeypatch.setattr(settings, "load", lambda: waiting.settings)
    job_id = waiting.start_new(KIND.name, {"steps": 2})
    number = os.open(waiting.files(job_id).lock, os.O_RDWR | os.O_CREAT)
    monkeypatch.setattr(sys, "argv", ["worker", job_id, str(number)])
    worker.main()
    assert state(waiting, job_id) == "done"
    with pytest.raises(OSError):
        os.fstat(number)
    (handler,) = handlers
    with pytest.raises(JobStopped) if breaks_off else nullcontext():
        handler(signal.SIGTERM, None)
    assert handlers[1:] == [signal.SIG_IGN]


def test_a_stop_from_the_keyboard_is_recorded_as_a_stop_and_ends_the_process(
    waiting: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tests.jobs.counting.count", interrupted)
    job_id = waiting.start_new(KIND.name, {"steps": 2})
    with pytest.raises(KeyboardInterrupt):
        work_on(waiting.settings, job_id)
    assert state(waiting, job_id) == "stopped"
