"""Pilots as jobs: looked up by what they run, swept by the next one, and never among results."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.experiments.experiments import small
from tests.jobs.waiting import work_on
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments.jobs import pilot_jobs
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.jobs.pilot_jobs import Pilots
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import result_tables as t

pytestmark = pytest.mark.slow

SOON = 0.02


@pytest.fixture
def at_once(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a job is done in this process before its start returns."""
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: work_on(workbench.settings, words[3]))


@pytest.fixture
def pilots(workbench: Workbench) -> Pilots:
    return Pilots(workbench.settings)


def to_the_end(pilots: Pilots, pilot: str) -> str:
    *_, last = pilots.watch(pilot, SOON)
    return last.state


def kill(pilots: Pilots, pilot: str) -> None:
    """SIGKILL as soon as its process is at work."""
    for now in pilots.watch(pilot, SOON):
        if now.pid:
            os.kill(now.pid, signal.SIGKILL)
            break
    assert to_the_end(pilots, pilot) == "interrupted"


def experiment_ids(pilots: Pilots) -> list[str]:
    """All experiments in the database, pilots too, the newest first."""
    statement = select(t.experiments.c.id).order_by(t.experiments.c.created.desc())
    with pilots.engine.connect() as connection:
        return list(connection.execute(statement).scalars())


def files(pilots: Pilots) -> list[Path]:
    return sorted(pilots.folder.iterdir())


def test_a_pilot_that_ended_is_looked_up_by_its_experiment(pilots: Pilots) -> None:
    assert pilots.find(small(), 1) is None
    pilot_id = pilots.start(small(), 1)
    assert [one.id for one in pilots.at_work()] == [pilot_id]
    assert to_the_end(pilots, pilot_id) == "done"
    assert pilots.at_work() == []
    pilot = pilots.find(small(), 1)
    assert pilot is not None and pilot.measured is not None
    assert (pilot.id, pilot.measured.cells, pilot.measured.failed) == (pilot_id, 8, 0)
    assert pilot.measured.each["generate"] > 0
    assert pilots.find(small(modes=["trag"]), 1) is None
    assert pilots.find(small(), 2) is None


@pytest.mark.usefixtures("at_once")
def test_a_pilot_serves_its_matrix_under_any_name_and_on_any_number_of_questions(pilots: Pilots) -> None:
    pilot_id = pilots.start(small(questions=10, name="Mine"), 1)
    for other in (small(questions=5, name="Mine"), small(questions=None, name="Yours")):
        pilot = pilots.find(other, 1)
        assert pilot is not None and (pilot.id, pilot.name) == (pilot_id, "Mine")


@pytest.mark.usefixtures("at_once")
def test_a_pilot_is_not_resumed_as_an_experiment(pilots: Pilots) -> None:
    pilot_id = pilots.start(small(), 1)
    with pytest.raises(UsageError, match="is a pilot: there is nothing to run"):
        ExperimentJobs(pilots.settings).start(pilot_id)


@pytest.mark.usefixtures("at_once")
def test_a_pilot_leaves_no_run_and_no_answer_and_is_in_no_list(pilots: Pilots) -> None:
    pilot_id = pilots.start(small(), 1)
    store = ResultStore(pilots.engine)
    assert experiment_ids(pilots) == [pilot_id]
    assert (store.experiment_names(), store.experiments(), ExperimentJobs(pilots.settings).statuses()) == ([], [], [])
    assert store.of().count() == 0


def test_a_killed_pilot_is_swept_by_the_next_with_its_files(pilots: Pilots) -> None:
    broken = pilots.start(small(), 1)
    kill(pilots, broken)
    assert ResultStore(pilots.engine).of().count() == 0
    again = pilots.start(small(modes=["multirag"]), 1)
    assert to_the_end(pilots, again) == "done"
    assert experiment_ids(pilots) == [again]
    pilot = pilots.find(small(modes=["multirag"]), 1)
    assert pilot is not None and pilot.status is not None
    folder = pilots.folder
    assert files(pilots) == sorted([folder / f"{again}.lock", folder / f"{again}.log"])


def test_a_pilot_can_be_stopped(pilots: Pilots) -> None:
    pilot_id = pilots.start(small(), 1)
    assert pilots.stop(pilot_id)
    assert to_the_end(pilots, pilot_id) == "stopped"
    pilot = pilots.find(small(), 1)
    assert pilot is not None and not pilot.active and pilot.measured is None


def test_a_pilot_at_work_is_not_started_twice(pilots: Pilots) -> None:
    first = pilots.start(small(), 1)
    assert pilots.start(small(), 1) == first
    other = pilots.start(small(modes=["multirag"]), 1)
    assert sorted(experiment_ids(pilots)) == sorted([first, other])
    assert to_the_end(pilots, first) == to_the_end(pilots, other) == "done"


@pytest.mark.usefixtures("at_once")
def test_a_new_pilot_takes_the_place_of_that_of_the_same_matrix(pilots: Pilots) -> None:
    pilots.start(small(), 1)
    second = pilots.start(small(modes=["multirag"]), 1)
    again = pilots.start(small(), 1)
    assert experiment_ids(pilots) == [again, second]


@pytest.mark.usefixtures("at_once")
def test_only_the_newest_pilots_are_kept(pilots: Pilots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pilot_jobs, "PILOTS_LIMIT", 1)
    started = [pilots.start(small(modes=[mode]), 1) for mode in ("baseline", "multirag", "trag")]
    assert experiment_ids(pilots) == started[:0:-1]


@pytest.mark.usefixtures("at_once")
def test_a_pilot_that_cannot_be_says_why(pilots: Pilots) -> None:
    pilots.start(small(datasets=["nowhere"]), 1)
    pilot = pilots.find(small(datasets=["nowhere"]), 1)
    assert pilot is not None and pilot.status is not None
    assert pilot.status.state == "failed" and "nowhere" in pilot.status.error
