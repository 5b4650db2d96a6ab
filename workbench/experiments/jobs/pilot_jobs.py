"""Pilots as jobs: each is a process with a hidden experiment, whose row is all that it leaves.

A pilot is looked up by what it runs, so its estimate is there whenever that very matrix is looked at again. The next
pilot removes those that were stopped, failed or killed, and all but the newest of those that ended well.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select

from workbench.experiments.experiment import Experiment, experiment_to_yaml
from workbench.experiments.planning import PilotMeasurement, pilot_experiment
from workbench.experiments.results.queries.run_list import PILOT
from workbench.experiments.results.writer import add_experiment, remove
from workbench.workspace import Job, Jobs, result_tables as t, verb

PILOTS_LIMIT = 20
"""Pilots that ended well and stay for those who come back to their experiment."""
START_LIMIT = 60.0
"""Seconds after which a pilot without a job is taken for one that never got it."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """A pilot by the id and name of its experiment.

    `status` is None for a moment before it has a job; `measured` is None until it has ended well.
    """

    id: str
    name: str
    status: Job | None
    measured: PilotMeasurement | None = None

    @property
    def active(self) -> bool:
        """Whether a process is at work on it or about to be."""
        return self.status is not None and self.status.active


class Pilots(Jobs):
    """The pilots of a workspace, whoever started them; each job has the id of its pilot's experiment."""

    kind = "pilot"

    @verb("runs.start", "{experiment.name}")
    def start(self, experiment: Experiment, questions: int) -> str:
        """Starts a pilot of that number of questions per language; returns its id, or that of the one at work.

        Reads neither questions nor corpora: that is for the process.
        """
        pilot = self.find(experiment, questions)
        if pilot is not None and pilot.active:
            return pilot.id
        spec = _spec(experiment, questions)
        self._sweep(spec)
        pilot_id = add_experiment(self.engine, experiment.name, PILOT, spec, 0, "", ())
        self.launch(pilot_id, title=experiment.name)
        return pilot_id

    def find(self, experiment: Experiment, questions: int) -> Pilot | None:
        """The latest pilot of that number of questions per language; None where there was none or it is gone."""
        rows = self._stored(t.experiments.c.spec == _spec(experiment, questions))
        return self._pilots(rows[:1])[0] if rows else None

    def at_work(self) -> list[Pilot]:
        """The pilots that a process is at work on, the newest first."""
        active = [job.id for job in self.all(active=True)]
        return self._pilots(self._stored(t.experiments.c.id.in_(active))) if active else []

    def _stored(self, *conditions: ColumnElement[bool]) -> Sequence[_Row]:
        """The experiments of pilots, the newest first."""
        e = t.experiments.c
        statement = select(e.id, e.name, e.spec, e.created).where(e.kind == PILOT, *conditions)
        with self.engine.connect() as connection:
            return [_Row(*row) for row in connection.execute(statement.order_by(e.created.desc()))]

    def _pilots(self, rows: Sequence[_Row]) -> list[Pilot]:
        jobs = {job.id: job for job in self.all()} if rows else {}
        return [self._pilot(row, jobs.get(row.id)) for row in rows]

    def _pilot(self, row: _Row, job: Job | None) -> Pilot:
        measured = job.result.get("measured") if job and job.state == "done" else None
        return Pilot(row.id, row.name, job, PilotMeasurement(**measured) if measured else None)

    def _sweep(self, spec: str) -> None:
        """Discards the pilots that are over and of no more use, now that another one of `spec` begins."""
        rows, remaining = self._stored(), 0
        for row, pilot in zip(rows, self._pilots(rows), strict=True):
            if pilot.active or (pilot.status is None and time.time() - row.created < START_LIMIT):
                continue
            if pilot.measured is not None and row.spec != spec and remaining < PILOTS_LIMIT:
                remaining += 1
            else:
                self._discard(row.id)

    def _discard(self, job_id: str) -> None:
        with self.undisturbed(job_id) as claim:
            remove(self.engine, job_id)
            claim.remove()


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    name: str
    spec: str
    created: float


def _spec(experiment: Experiment, questions: int) -> str:
    return experiment_to_yaml(pilot_experiment(experiment, questions))
