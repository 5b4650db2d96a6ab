"""The demonstration: small, over the sample, with nothing to download and nothing sent."""

from __future__ import annotations

import pytest

from workbench.app.workbench import Workbench
from workbench.experiments.jobs import control
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.planning import hosts_of, plan


def test_the_demonstration_is_small_and_every_cell_can_run(workbench: Workbench) -> None:
    amount = plan(workbench, control.demonstration())
    assert 0 < amount.cells <= 600
    assert not amount.impossible


def test_the_demonstration_sends_nothing(workbench: Workbench) -> None:
    assert not hosts_of(control.demonstration(), workbench.settings.home)


def test_starting_it_creates_one_experiment_and_its_job(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(ExperimentJobs, "start", lambda jobs, experiment_id: started.append(experiment_id))
    assert started == [] and [control.start_demonstration(workbench)] == started
