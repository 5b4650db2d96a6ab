"""What the process of an experiment or a pilot does."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict

from workbench.app import Workbench
from workbench.components import RayChoice, RaySpread, RayStages, ray_pool
from workbench.experiments.experiment import experiment_from_yaml
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs.job_status import STEPS
from workbench.experiments.jobs.resumption import check_resumable
from workbench.experiments.jobs.time_left import Pace
from workbench.experiments.pilot import measure
from workbench.experiments.results.queries.experiment_list import StoredExperiment, stored_experiment
from workbench.experiments.results.writer import Writer
from workbench.experiments.runner import OnBatch, Runner
from workbench.pipeline import StepCounts
from workbench.workspace import NoParameters, RunningJob


class ExperimentParameters(BaseModel):
    """How an experiment is worked on: by workers on `ray`, or by the job's process alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    ray: RayChoice | None = None


def run_experiment(task: RunningJob, parameters: ExperimentParameters) -> None:
    """Runs what is not finished of the experiment that has the job's id."""
    workbench, stored = _stored(task)
    inputs = ExperimentInputs(workbench, experiment_from_yaml(stored.spec))
    check_resumable(task.jobs.engine, task.job.id, inputs)
    writer = Writer(task.jobs.engine, task.job.id, inputs.metrics)
    runner = partial(Runner, workbench, inputs, writer, stop=task.stop, on_batch=_reporter(task))
    if parameters.ray is None:
        runner().run()
        return
    task.tell("starting workers", 0, 0)
    with ray_pool(parameters.ray, task.settings.home) as pool:
        runner(stages=RayStages(pool), spread=RaySpread(pool)).run()


def run_pilot(task: RunningJob, _parameters: NoParameters) -> Mapping[str, Any]:
    """Measures the pilot that has the job's id."""
    workbench, stored = _stored(task)
    spent = max(0.0, time.time() - task.job.started)
    experiment = experiment_from_yaml(stored.spec)
    measured = measure(workbench, experiment, stop=task.stop, on_batch=_reporter(task), spent=spent)
    return {"measured": asdict(measured)}


def _stored(task: RunningJob) -> tuple[Workbench, StoredExperiment]:
    with task.jobs.engine.connect() as connection:
        return Workbench(task.settings), stored_experiment(connection, task.job.id)


def _reporter(task: RunningJob) -> OnBatch:
    pace = Pace()

    def on_batch(stage: str, done: int, total: int, counts: StepCounts) -> None:
        ends = pace.end(stage, done, total, time.time())
        task.tell(stage, done, total, ends=ends, **{name: dict(getattr(counts, name)) for name in STEPS})

    return on_batch
