"""The process of a job: `python -m workbench.experiments.jobs.worker JOB [RAY WORKERS] LOCK` runs an experiment.

It goes on to the end, a stop or a failure, and records which in its row. RAY is the address of the Ray that runs its
models, with that number of workers; without it this process does. LOCK is the number of the lock that it was handed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from threading import Event
from typing import Any

from sqlalchemy import Engine, select, update

from workbench.app import Workbench
from workbench.components import RayChoice, RaySpread, RayStages, ray_pool
from workbench.core import JobStopped, unknown_name
from workbench.experiments.experiment import experiment_from_yaml
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs.job_status import STEPS, STORED_NAMES
from workbench.experiments.jobs.remaining import Pace
from workbench.experiments.jobs.resumption import check_resumable
from workbench.experiments.pilot import measure
from workbench.experiments.results.queries.experiment_list import PILOT, stored_experiment
from workbench.experiments.results.writer import Writer
from workbench.experiments.runner import Runner
from workbench.pipeline import StepCounts
from workbench.workspace import Settings, heartbeat, lock, opened_store, outcome_of, settings
from workbench.workspace import result_tables as t


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job's row in the database, which its process writes."""

    engine: Engine
    job_id: str

    def experiment_id(self) -> str:
        """The experiment to work on; raises UsageError for a job that does not exist."""
        with self.engine.connect() as connection:
            statement = select(t.jobs.c.experiment_id).where(t.jobs.c.id == self.job_id)
            experiment_id = connection.execute(statement).scalar()
        if experiment_id is None:
            raise unknown_name("job", self.job_id, ())
        return str(experiment_id)

    def started(self) -> float:
        """When the job's process was started, in seconds since 1970."""
        with self.engine.connect() as connection:
            return float(connection.execute(select(t.jobs.c.started).where(t.jobs.c.id == self.job_id)).scalar_one())

    def update(self, **values: object) -> None:
        """Stores values of columns."""
        with self.engine.begin() as connection:
            connection.execute(update(t.jobs).where(t.jobs.c.id == self.job_id).values(**values))

    def shall_stop(self) -> bool:
        """Whether somebody asked the job to stop."""
        with self.engine.connect() as connection:
            return bool(connection.execute(select(t.jobs.c.stop).where(t.jobs.c.id == self.job_id)).scalar())


def work(config: Settings, job_id: str, ray: RayChoice | None = None) -> None:
    """Works on a job's experiment to the end, a stop or a failure, and records which; `ray` runs its models."""
    row = JobRow(opened_store(config.database_url), job_id)
    experiment_id = row.experiment_id()
    row.update(state="running", pid=os.getpid())
    stop = Event()

    def beat() -> None:
        row.update(heartbeat=time.time())
        if row.shall_stop():
            stop.set()

    with heartbeat(beat):
        state, error = outcome_of(lambda: _run(config, row, experiment_id, stop, ray), JobStopped)
    row.update(state=state, error=error, heartbeat=time.time())


def _run(config: Settings, row: JobRow, experiment_id: str, stop: Event, ray: RayChoice | None) -> None:
    workbench = Workbench(config)
    with row.engine.connect() as connection:
        stored = stored_experiment(connection, experiment_id)
    experiment = experiment_from_yaml(stored.spec)
    steps: dict[str, Any] = {}
    pace = Pace()

    def on_batch(stage: str, done: int, total: int, counts: StepCounts) -> None:
        steps["ends"] = pace.end(stage, done, total, time.time())
        steps.update({STORED_NAMES.get(name, name): getattr(counts, name) for name in STEPS})
        row.update(stage=stage, done=done, total=total, steps=json.dumps(steps))

    if stored.kind == PILOT:
        spent = max(0.0, time.time() - row.started())
        steps["measured"] = asdict(measure(workbench, experiment, stop=stop, on_batch=on_batch, spent=spent))
        row.update(steps=json.dumps(steps))
        return
    inputs = ExperimentInputs(workbench, experiment)
    check_resumable(row.engine, experiment_id, inputs)
    writer = Writer(row.engine, experiment_id, inputs.metrics)
    runner = partial(Runner, workbench, inputs, writer, stop=stop, on_batch=on_batch)
    if ray is None:
        runner().run()
        return
    row.update(stage="starting workers")
    with ray_pool(ray, config.home) as pool:
        runner(stages=RayStages(pool), spread=RaySpread(pool)).run()


if __name__ == "__main__":
    _job, *_words, _number = sys.argv[1:]
    lock.keep(int(_number))
    work(settings.load(), _job, RayChoice.from_words(_words))
