"""The experiments of a workspace and their jobs: created, started, resumed, retried, renamed and deleted.

The functions that take a job as their first argument run in its process. The demonstration is a small experiment over
the sample for somebody who has no results yet: it uses the built-in models alone, so it needs no download and sends
nothing anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict

from workbench.app import Workbench
from workbench.components import RayChoice, RaySpread, RayStages, ray_pool
from workbench.core import UsageError, shorten
from workbench.experiments.experiment import (
    EXPERIMENT_NAME_LIMIT,
    Experiment,
    experiment_from_yaml,
    experiment_to_yaml,
    make_experiment,
    row_of,
)
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs import job_status
from workbench.experiments.jobs.job_status import STEPS, ExperimentStatus, Pace, check_resumable
from workbench.experiments.planning import NO_CELLS, measure
from workbench.experiments.results.queries import run_list
from workbench.experiments.results.queries.run_list import PILOT, StoredExperiment, stored_experiment
from workbench.experiments.results.scoring import DEFAULT_METRICS
from workbench.experiments.results.writer import Writer, add_experiment, forget_failed, remove, rename as store_name
from workbench.experiments.runner import OnBatch, Runner
from workbench.pipeline import StepCounts
from workbench.workspace import Job, JobClaim, Jobs, NoParameters, RunningJob, verb


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


FINISHED = "The experiment “{}” is finished: nothing is left to run, and its results stay as they are."


class ExperimentJobs(Jobs):
    """The jobs of a workspace's experiments; each has the id of its experiment."""

    kind = "experiment"

    @verb("runs.start", "{experiment.name}")
    def create(self, workbench: Workbench, experiment: Experiment) -> str:
        """Stores an experiment and its runs, without starting it; returns its id.

        Raises UsageError for an experiment without cells, or over a dataset, corpus or language that does not exist.
        """
        inputs = ExperimentInputs(workbench, experiment)
        if not inputs.cells:
            raise UsageError(NO_CELLS)
        spec = experiment_to_yaml(experiment)
        rows = [row_of(run, inputs.corpus_version(run)) for run in inputs.runs]
        return add_experiment(self.engine, experiment.name, "matrix", spec, inputs.cells, inputs.fingerprint, rows)

    @verb("runs.start", "{experiment_id}")
    def start(self, experiment_id: str, ray: RayChoice | None = None) -> None:
        """Starts, or resumes, an experiment in a process. `ray` runs its models, if not that.

        Raises UsageError for an experiment that does not exist, has nothing to run or is being worked on.
        """
        with self.engine.connect() as connection:
            kind = stored_experiment(connection, experiment_id).kind
        if kind != "matrix":
            what = "is a pilot" if kind == PILOT else "holds imported predictions"
            raise UsageError(f"The experiment “{shorten(experiment_id)}” {what}: there is nothing to run.")
        if self.is_finished(experiment_id):
            raise UsageError(FINISHED.format(shorten(experiment_id)))
        with self.undisturbed(experiment_id) as claim:
            # It may have been deleted or renamed while this waited for the lock.
            name = self.experiment_status(experiment_id).experiment.name
            claim.launch(ExperimentParameters(ray=ray), title=name)

    def is_finished(self, experiment_id: str) -> bool:
        """Whether its job came to its end and every cell has an answer or a failure.

        Raises UsageError for an experiment that does not exist.
        """
        status = self.status(experiment_id)
        if status is None or status.state != "done":
            return False
        row = self.experiment_status(experiment_id).experiment
        return row.answered + row.failed >= row.cells

    @verb("runs.stop", "{experiment_id}")
    def stop(self, experiment_id: str) -> bool:
        """Asks the job at work to stop after what it is at; False where none is."""
        return self.status(experiment_id) is not None and self._stop(experiment_id)

    @verb("runs.start", "{experiment_id}")
    def retry_failed(self, experiment_id: str, ray: RayChoice | None = None) -> int:
        """Forgets the failed cells and starts the experiment again for them; how many, 0 where none had failed.

        Raises UsageError for an experiment that does not exist or is being worked on.
        """
        status = self.status(experiment_id)
        if status is not None and status.active:
            raise self.busy(experiment_id)
        if status is not None:
            self._check_inputs(experiment_id)
        dropped = forget_failed(self.engine, experiment_id)
        if dropped:
            self.start(experiment_id, ray)
        return dropped

    def _check_inputs(self, experiment_id: str) -> None:
        """Raises UsageError where new answers would not belong to those that are stored."""
        with self.engine.connect() as connection:
            stored = stored_experiment(connection, experiment_id)
        inputs = ExperimentInputs(Workbench(self.settings), experiment_from_yaml(stored.spec))
        check_resumable(self.engine, experiment_id, inputs)

    def status(self, experiment_id: str) -> Job | None:
        """How the job of an experiment stands; None where it was never started.

        Raises UsageError for an experiment that does not exist.
        """
        with self.engine.connect() as connection:
            stored_experiment(connection, experiment_id)
        return self.job(experiment_id)

    def statuses(self, *experiment_ids: str) -> list[ExperimentStatus]:
        """Experiments with how their jobs stand, the newest first; all but pilots where none is named.

        One statement for all of them, so that a screen can look every second.
        """
        with self.engine.connect() as connection:
            rows = job_status.experiment_statuses(connection, experiment_ids)
        checked = {job.id: job for job in self.checked([row.job for row in rows if row.job is not None])}
        return [replace(row, job=checked.get(row.experiment.id)) for row in rows]

    def experiment_status(self, experiment_id: str) -> ExperimentStatus:
        """One experiment with how its job stands; raises UsageError for one that does not exist, or a pilot."""
        if rows := self.statuses(experiment_id):
            return rows[0]
        with self.engine.connect() as connection:
            return ExperimentStatus(run_list.experiment(connection, experiment_id), None)

    @verb("runs.rename", "{experiment_id}")
    def rename(self, experiment_id: str, name: str) -> str:
        """Gives an experiment another name, also in its YAML; returns the name without white space around it.

        Its id, its results and links to it stay. Raises UsageError for an experiment that does not exist or is being
        worked on, and for a name that is empty or too long.
        """
        new_name = " ".join(name.split())
        if not 0 < len(new_name) <= EXPERIMENT_NAME_LIMIT:
            raise UsageError(
                f"An experiment's name has 1 to {EXPERIMENT_NAME_LIMIT} characters, not {len(new_name):,}.",
                command=f'For example: runs rename {shorten(experiment_id)} "My experiment"',
            )
        with self.undisturbed(experiment_id):
            with self.engine.connect() as connection:
                stored = stored_experiment(connection, experiment_id)
            # Predictions from elsewhere have no YAML.
            spec = stored.spec and experiment_to_yaml(
                experiment_from_yaml(stored.spec).model_copy(update={"name": new_name})
            )
            store_name(self.engine, experiment_id, new_name, spec)
        return new_name

    @verb("runs.delete", "{experiment_id}")
    def discard(self, experiment_id: str) -> None:
        """Deletes an experiment with its answers, its scores and its job's files; cached steps stay.

        Raises UsageError for an experiment that does not exist or is being worked on.
        """
        with self.undisturbed(experiment_id) as claim:
            remove(self.engine, experiment_id)
            claim.remove()

    @contextmanager
    def undisturbed(self, experiment_id: str) -> Iterator[JobClaim]:
        """While the block runs, no job of the experiment starts.

        Raises UsageError for an experiment that does not exist, is a pilot or is being worked on.
        """
        self.experiment_status(experiment_id)
        with Jobs.undisturbed(self, experiment_id) as claim:
            yield claim


NAME = "Demonstration"
LANGUAGES = ("en", "fi", "ar", "zh")
MODES = ("baseline", "monorag", "trag", "multirag", "crossrag", "drag")
QUESTIONS = 24
METRICS = (*DEFAULT_METRICS, "f1", "hit@1", "hit@3", "hit@10", "mrr")
"""The usual ones, and Hit@k at several depths, so that every view of the Dashboard has something to show."""


def demonstration() -> Experiment:
    """Six modes in their papers' scopes, over the same questions in four languages."""
    return make_experiment(
        {
            "name": NAME,
            "datasets": ["sample"],
            "languages": LANGUAGES,
            "questions": QUESTIONS,
            "modes": MODES,
            "metrics": METRICS,
        }
    )


@verb("runs.start")
def start_demonstration(workbench: Workbench) -> str:
    """Creates the experiment and starts it in a process of its own; returns its id.

    Raises UsageError where the sample cannot be read, or where the process cannot be started.
    """
    jobs = ExperimentJobs(workbench.settings)
    experiment_id = jobs.create(workbench, demonstration())
    jobs.start(experiment_id)
    return experiment_id
