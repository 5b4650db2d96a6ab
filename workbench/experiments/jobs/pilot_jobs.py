"""Pilots as jobs: in a process of their own, each beside a hidden experiment whose row is all that it leaves.

A pilot is found by what it runs, so its estimate stands whenever that very matrix is looked at again. The next pilot
sweeps away what was stopped, failed or killed, and all but the newest of those that ended well.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Engine, select

from workbench.errors import UsageError
from workbench.experiments.experiment import Experiment, experiment_to_yaml
from workbench.experiments.jobs import control
from workbench.experiments.jobs.control import Status
from workbench.experiments.pilot import PilotMeasurement, pilot_experiment
from workbench.results.experiment_list import PILOT
from workbench.results.writer import add_experiment
from workbench.settings import Settings
from workbench.storage import result_tables as t
from workbench.storage.database import opened_store

KEPT = 20
"""Pilots that ended well and are kept for those who come back to their experiment."""
UNSTARTED = 60.0
"""Seconds after which a pilot without a job is taken for one that never got it."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """A pilot by the id and name of its experiment. `status` is None for a moment before its job is there; `measured`
    is there once it ended well.
    """

    id: str
    name: str
    status: Status | None
    measured: PilotMeasurement | None = None

    @property
    def active(self) -> bool:
        """Whether a process is at work on it or about to be."""
        return self.status is not None and self.status.active


def start(chosen: Settings, experiment: Experiment, questions: int) -> str:
    """Starts a pilot of so many questions a language; returns its id, that of the one at work where there is one.

    Reads neither questions nor corpora: that is for the process.
    """
    found = find(chosen, experiment, questions)
    if found is not None and found.active:
        return found.id
    engine = opened_store(chosen.database_url)
    _sweep(chosen, engine, experiment, questions)
    identity = add_experiment(engine, experiment.name, PILOT, _spec(experiment, questions), 0, "", ())
    control.launch(chosen, identity)
    return identity


def find(chosen: Settings, experiment: Experiment, questions: int) -> Pilot | None:
    """The latest pilot of so many questions a language of an experiment; None where there was none or it is gone."""
    same = t.experiments.c.spec == _spec(experiment, questions)
    rows = _rows(opened_store(chosen.database_url), same)
    return _pilot(chosen, rows[0]) if rows else None


def at_work(chosen: Settings) -> list[Pilot]:
    """The pilots that a process is at work on, the newest first, whoever started them."""
    begun = select(t.jobs.c.experiment).where(t.jobs.c.state.in_(control.UNDER_WAY))
    rows = _rows(opened_store(chosen.database_url), t.experiments.c.id.in_(begun))
    return [one for row in rows if (one := _pilot(chosen, row)).active]


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    name: str
    spec: str
    created: float


def _spec(experiment: Experiment, questions: int) -> str:
    return experiment_to_yaml(pilot_experiment(experiment, questions))


def _rows(engine: Engine, *wanted: ColumnElement[bool]) -> Sequence[_Row]:
    """The experiments of pilots, the newest first."""
    e = t.experiments.c
    asked = select(e.id, e.name, e.spec, e.created).where(e.kind == PILOT, *wanted).order_by(e.created.desc())
    with engine.connect() as connection:
        return [_Row(*row) for row in connection.execute(asked)]


def _pilot(chosen: Settings, row: _Row) -> Pilot:
    try:
        now = control.status(chosen, row.id)
    except UsageError:
        # Somebody's next pilot has swept it since its row was read.
        now = None
    found = control.steps_of(chosen, now.job).get("measured") if now is not None else None
    return Pilot(row.id, row.name, now, PilotMeasurement(**found) if found else None)


def _sweep(chosen: Settings, engine: Engine, experiment: Experiment, questions: int) -> None:
    """Discards the pilots that are over and of no more use, now that another of this experiment begins."""
    kept, spec = 0, _spec(experiment, questions)
    for row in _rows(engine):
        one = _pilot(chosen, row)
        if one.active or (one.status is None and time.time() - row.created < UNSTARTED):
            continue
        if one.measured is not None and row.spec != spec and kept < KEPT:
            kept += 1
        else:
            control.discard(chosen, row.id)
