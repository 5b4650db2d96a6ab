"""Pilots as jobs: found again by what they run, swept by the next one, and never among results."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.experiments.experiments import small
from workbench.errors import UsageError
from workbench.experiments.jobs import control, pilot_jobs
from workbench.results import result_store
from workbench.results.experiment_list import named_experiments
from workbench.results.filters import Filter
from workbench.results.instances import count
from workbench.settings import Settings
from workbench.storage import result_tables as t
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench

SOON = 0.02


@pytest.fixture
def at_once(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a job is done in this process before its start returns."""
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: control.work(workbench.settings, words[3]))


def to_the_end(chosen: Settings, pilot: str) -> str:
    *_, last = control.watch(chosen, pilot, SOON)
    return last.state


def kill(chosen: Settings, pilot: str) -> None:
    """SIGKILL as soon as its process is at work."""
    for now in control.watch(chosen, pilot, SOON):
        if now.pid:
            os.kill(now.pid, signal.SIGKILL)
            break
    assert to_the_end(chosen, pilot) == "interrupted"


def left(chosen: Settings) -> list[str]:
    """The experiments that are there, pilots too."""
    asked = select(t.experiments.c.id).order_by(t.experiments.c.created.desc())
    with opened_store(chosen.database_url).connect() as connection:
        return list(connection.execute(asked).scalars())


def files(chosen: Settings) -> list[Path]:
    return sorted((chosen.home / control.FOLDER).iterdir())


def test_a_pilot_that_ended_is_found_again_by_its_experiment(workbench: Workbench) -> None:
    chosen = workbench.settings
    assert pilot_jobs.find(chosen, small(), 1) is None
    identity = pilot_jobs.start(chosen, small(), 1)
    assert [one.id for one in pilot_jobs.at_work(chosen)] == [identity]
    assert to_the_end(chosen, identity) == "done"
    assert pilot_jobs.at_work(chosen) == []
    found = pilot_jobs.find(chosen, small(), 1)
    assert found is not None and found.measured is not None
    assert (found.id, found.measured.cells, found.measured.failed) == (identity, 8, 0)
    assert found.measured.each["generate"] > 0
    assert pilot_jobs.find(chosen, small(modes=["trag"]), 1) is None
    assert pilot_jobs.find(chosen, small(), 2) is None


@pytest.mark.usefixtures("at_once")
def test_a_pilot_serves_its_matrix_under_any_name_and_on_any_number_of_questions(workbench: Workbench) -> None:
    chosen = workbench.settings
    identity = pilot_jobs.start(chosen, small(questions=10, name="Mine"), 1)
    for other in (small(questions=5, name="Mine"), small(questions=None, name="Yours")):
        found = pilot_jobs.find(chosen, other, 1)
        assert found is not None and (found.id, found.name) == (identity, "Mine")


@pytest.mark.usefixtures("at_once")
def test_a_pilot_is_not_resumed_as_an_experiment(workbench: Workbench) -> None:
    identity = pilot_jobs.start(workbench.settings, small(), 1)
    with pytest.raises(UsageError, match="is a pilot: there is nothing to run"):
        control.start(workbench.settings, identity)


@pytest.mark.usefixtures("at_once")
def test_a_pilot_leaves_no_run_and_no_answer_and_is_in_no_list(workbench: Workbench) -> None:
    chosen = workbench.settings
    identity = pilot_jobs.start(chosen, small(), 1)
    engine = opened_store(chosen.database_url)
    assert left(chosen) == [identity]
    assert (named_experiments(engine), result_store.experiments(engine), count(engine, Filter())) == ([], [], 0)


def test_a_killed_pilot_is_swept_by_the_next_with_its_files(workbench: Workbench) -> None:
    chosen = workbench.settings
    broken = pilot_jobs.start(chosen, small(), 1)
    kill(chosen, broken)
    assert count(opened_store(chosen.database_url), Filter()) == 0
    again = pilot_jobs.start(chosen, small(modes=["multirag"]), 1)
    assert to_the_end(chosen, again) == "done"
    assert left(chosen) == [again]
    found = pilot_jobs.find(chosen, small(modes=["multirag"]), 1)
    assert found is not None and found.status is not None
    folder = chosen.home / control.FOLDER
    assert files(chosen) == sorted([folder / f"{again}.lock", folder / f"{found.status.job}.log"])


def test_a_pilot_can_be_stopped(workbench: Workbench) -> None:
    chosen = workbench.settings
    identity = pilot_jobs.start(chosen, small(), 1)
    assert control.stop(chosen, identity)
    assert to_the_end(chosen, identity) == "stopped"
    found = pilot_jobs.find(chosen, small(), 1)
    assert found is not None and not found.active and found.measured is None


def test_a_pilot_at_work_is_not_started_twice(workbench: Workbench) -> None:
    chosen = workbench.settings
    first = pilot_jobs.start(chosen, small(), 1)
    assert pilot_jobs.start(chosen, small(), 1) == first
    other = pilot_jobs.start(chosen, small(modes=["multirag"]), 1)
    assert sorted(left(chosen)) == sorted([first, other])
    assert to_the_end(chosen, first) == to_the_end(chosen, other) == "done"


@pytest.mark.usefixtures("at_once")
def test_a_new_pilot_takes_the_place_of_that_of_the_same_matrix(workbench: Workbench) -> None:
    chosen = workbench.settings
    pilot_jobs.start(chosen, small(), 1)
    kept = pilot_jobs.start(chosen, small(modes=["multirag"]), 1)
    again = pilot_jobs.start(chosen, small(), 1)
    assert left(chosen) == [again, kept]


@pytest.mark.usefixtures("at_once")
def test_only_the_newest_pilots_are_kept(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pilot_jobs, "KEPT", 1)
    chosen = workbench.settings
    made = [pilot_jobs.start(chosen, small(modes=[mode]), 1) for mode in ("baseline", "multirag", "trag")]
    assert left(chosen) == made[:0:-1]


@pytest.mark.usefixtures("at_once")
def test_a_pilot_that_cannot_be_says_why(workbench: Workbench) -> None:
    chosen = workbench.settings
    pilot_jobs.start(chosen, small(datasets=["nowhere"]), 1)
    found = pilot_jobs.find(chosen, small(datasets=["nowhere"]), 1)
    assert found is not None and found.status is not None
    assert found.status.state == "failed" and "nowhere" in found.status.error
