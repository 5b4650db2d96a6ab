"""The experiments of a workspace and their jobs: created, started, resumed, retried, renamed and deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from workbench.app import Workbench
from workbench.components import RayChoice
from workbench.core import UsageError, shorten
from workbench.experiments.experiment import (
    EXPERIMENT_NAME_LIMIT,
    Experiment,
    experiment_from_yaml,
    experiment_to_yaml,
    row_of,
)
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs import job_status
from workbench.experiments.jobs.experiment_work import ExperimentParameters
from workbench.experiments.jobs.job_status import ExperimentStatus
from workbench.experiments.jobs.resumption import check_resumable
from workbench.experiments.planning import NO_CELLS
from workbench.experiments.results.queries import experiment_list
from workbench.experiments.results.queries.experiment_list import PILOT, stored_experiment
from workbench.experiments.results.writer import add_experiment, forget_failed, remove, rename as store_name
from workbench.workspace import Job, JobClaim, Jobs, verb

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
            return ExperimentStatus(experiment_list.experiment(connection, experiment_id), None)

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
