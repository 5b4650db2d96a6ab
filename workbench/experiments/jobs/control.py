"""Jobs: an experiment is worked on by a process, which neither a closed tab nor the end of its parent stops.

Progress, heartbeat, errors and the wish to stop are rows in the database, so any process can watch and stop a job. Its
lock, acquired before it starts, tells a job at work from one that was killed, and keeps two from working on one
experiment.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine, insert, select, update

from workbench.app import Workbench
from workbench.components import RayChoice
from workbench.core import UsageError, shorten
from workbench.experiments.experiment import Experiment, experiment_from_yaml, experiment_to_yaml, row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs import job_status
from workbench.experiments.jobs.job_status import ExperimentStatus, Status
from workbench.experiments.jobs.resumption import check_resumable
from workbench.experiments.planning import NO_CELLS
from workbench.experiments.results.queries import experiment_list
from workbench.experiments.results.queries.experiment_list import PILOT, stored_experiment
from workbench.experiments.results.writer import add_experiment, forget_failed, remove
from workbench.workspace import Settings, check_sound, detached, lock, opened_store, verb
from workbench.workspace import result_tables as t

MOMENT = 0.001
"""Seconds that lie between the starts of two jobs of an experiment, whatever the clock says."""
LOOK_AGAIN = 0.5
"""Seconds between looks at a job that is watched."""
FINISHED = "The experiment “{}” is finished: nothing is left to run, and its results stay as they are."
WORKER = "workbench.experiments.jobs.worker"


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs of a workspace: started, watched and stopped from any process."""

    settings: Settings

    @property
    def engine(self) -> Engine:
        """The workspace's database, opened once per process."""
        return opened_store(self.settings.database_url)

    @property
    def folder(self) -> Path:
        """Where locks and logs are."""
        return self.settings.home / detached.FOLDER

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
    def start(self, experiment_id: str, ray: RayChoice | None = None) -> str:
        """Starts, or resumes, an experiment in a process; returns the job's id. `ray` runs its models, if not that.

        Raises UsageError for an experiment that does not exist, has nothing to run or is being worked on.
        """
        with self.engine.connect() as connection:
            kind = stored_experiment(connection, experiment_id).kind
        if kind != "matrix":
            what = "is a pilot" if kind == PILOT else "holds imported predictions"
            raise UsageError(f"The experiment “{shorten(experiment_id)}” {what}: there is nothing to run.")
        if self.is_finished(experiment_id):
            raise UsageError(FINISHED.format(shorten(experiment_id)))
        return self.launch(experiment_id, ray)

    def is_finished(self, experiment_id: str) -> bool:
        """Whether the latest job came to its end and every cell has an answer or a failure.

        Raises UsageError for an experiment that does not exist.
        """
        status = self.status(experiment_id)
        if status is None or status.state != "done":
            return False
        row = self.experiment_status(experiment_id).experiment
        return row.answered + row.failed >= row.cells

    @verb("runs.start", "{experiment_id}")
    def launch(self, experiment_id: str, ray: RayChoice | None = None) -> str:
        """Starts a process for an experiment of any kind; returns the job's id.

        Raises UsageError for an experiment that does not exist or is being worked on.
        """
        status = self.status(experiment_id)
        latest_start = status.started if status is not None else 0.0
        if status is not None and status.active:
            raise _busy(experiment_id)
        job_id = uuid4().hex[:12]
        with lock.acquired(self._lock_file(experiment_id)) as number:
            if number is None:
                raise _busy(experiment_id)
            # The latest job is the one that started last. The clock may have been set back since the one before.
            now = max(time.time(), latest_start + MOMENT)
            row = {"id": job_id, "experiment_id": experiment_id, "state": "waiting", "stop": False, "pid": None}
            progress = {"stage": "starting", "done": 0, "total": 0, "steps": "{}", "error": ""}
            with self.engine.begin() as connection:
                # It may have been deleted while this waited for the lock.
                stored_experiment(connection, experiment_id)
                connection.execute(insert(t.jobs).values(**row, **progress, started=now, heartbeat=now))
            self._spawn(job_id, number, ray)
        return job_id

    @verb("runs.stop", "{experiment_id}")
    def stop(self, experiment_id: str) -> bool:
        """Asks the job at work to stop after what it is at; False where none is."""
        status = self.status(experiment_id)
        if status is None or not status.active:
            return False
        with self.engine.begin() as connection:
            connection.execute(update(t.jobs).where(t.jobs.c.id == status.job_id).values(stop=True))
        return True

    @verb("runs.start", "{experiment_id}")
    def retry_failed(self, experiment_id: str, ray: RayChoice | None = None) -> int:
        """Forgets the failed cells and starts the experiment again for them; how many, 0 where none had failed.

        Raises UsageError for an experiment that does not exist or is being worked on.
        """
        status = self.status(experiment_id)
        if status is not None and status.active:
            raise _busy(experiment_id)
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

    def status(self, experiment_id: str) -> Status | None:
        """How the latest job of an experiment stands; None where none was started.

        Raises UsageError for an experiment that does not exist.
        """
        with self.engine.connect() as connection:
            stored_experiment(connection, experiment_id)
        return self.latest([experiment_id]).get(experiment_id)

    def statuses(self, *experiment_ids: str) -> list[ExperimentStatus]:
        """Experiments with how their latest jobs stand, the newest first; all but pilots where none is named.

        One statement for all of them, so that a screen can look every second.
        """
        with self.engine.connect() as connection:
            rows = job_status.experiment_statuses(connection, experiment_ids)
        checked = self._checked({row.experiment.id: row.job for row in rows if row.job is not None})
        return [replace(row, job=checked.get(row.experiment.id)) for row in rows]

    def check_sound(self) -> None:
        """Raises MissingError where the database is damaged: its tables may then look empty."""
        check_sound(self.engine)

    def experiment_status(self, experiment_id: str) -> ExperimentStatus:
        """One experiment with how its latest job stands; raises UsageError for one that does not exist, or a pilot."""
        if rows := self.statuses(experiment_id):
            return rows[0]
        with self.engine.connect() as connection:
            return ExperimentStatus(experiment_list.experiment(connection, experiment_id), None)

    def latest(self, experiment_ids: Iterable[str]) -> dict[str, Status]:
        """How the latest job of each of some experiments stands, of any kind; those without a job are left out."""
        with self.engine.connect() as connection:
            statuses = job_status.latest_jobs(connection, experiment_ids)
        return self._checked(statuses)

    def steps(self, job_id: str) -> dict[str, Any]:
        """What a job stored of its steps: counts by stage under `run`, `found` and `failed`; a pilot's `measured` too.

        Empty for a job that does not exist.
        """
        with self.engine.connect() as connection:
            stored = connection.execute(select(t.jobs.c.steps).where(t.jobs.c.id == job_id)).scalar()
        steps: dict[str, Any] = json.loads(stored or "{}")
        return steps

    @verb("runs.delete", "{experiment_id}")
    def discard(self, experiment_id: str) -> None:
        """Removes an experiment that nobody works on, with its results and its jobs' files."""
        with self.engine.connect() as connection:
            statement = select(t.jobs.c.id).where(t.jobs.c.experiment_id == experiment_id)
            job_ids = connection.execute(statement).scalars().all()
        remove(self.engine, experiment_id)
        for path in (*(self._log_file(job_id) for job_id in job_ids), self._lock_file(experiment_id)):
            path.unlink(missing_ok=True)

    @contextmanager
    def undisturbed(self, experiment_id: str) -> Iterator[None]:
        """While the block runs, no job of the experiment starts.

        Raises UsageError for an experiment that does not exist, is a pilot or is being worked on.
        """
        if self.experiment_status(experiment_id).active:
            raise _busy(experiment_id)
        with lock.acquired(self._lock_file(experiment_id)) as number:
            if number is None:
                raise _busy(experiment_id)
            yield

    def watch(self, experiment_id: str, seconds: float | None = None) -> Iterator[Status]:
        """The status again and again until no process is at work; the last one says how the job ended.

        `seconds` lie between two looks, `LOOK_AGAIN` where None. Raises as `status` does.
        """
        status = self.status(experiment_id)
        while status is not None:
            yield status
            if not status.active:
                return
            time.sleep(LOOK_AGAIN if seconds is None else seconds)
            status = self.status(experiment_id)

    def _checked(self, statuses: Mapping[str, Status]) -> dict[str, Status]:
        """Statuses by experiment, those whose process is gone without having recorded an end as interrupted."""
        gone = {
            experiment_id: status.job_id
            for experiment_id, status in statuses.items()
            if status.active and not lock.is_locked(self._lock_file(experiment_id))
        }
        if not gone:
            return dict(statuses)
        # A process records its end before it releases the lock: what its row says after that was its last word.
        with self.engine.connect() as connection:
            latest = job_status.latest_jobs(connection, gone)
        for experiment_id, status in latest.items():
            if status.job_id == gone[experiment_id] and status.active:
                latest[experiment_id] = replace(status, state="interrupted")
        return {**{name: status for name, status in statuses.items() if name not in gone}, **latest}

    def _spawn(self, job_id: str, lock_number: int, ray: RayChoice | None) -> None:
        words = [job_id, *(ray.words if ray else ())]
        detached.start(WORKER, words, self.settings, lock_number=lock_number, log=self._log_file(job_id))

    def _lock_file(self, experiment_id: str) -> Path:
        return self.folder / f"{experiment_id}.lock"

    def _log_file(self, job_id: str) -> Path:
        return self.folder / f"{job_id}.log"


def _busy(experiment_id: str) -> UsageError:
    return UsageError(
        f"The experiment “{shorten(experiment_id)}” is being worked on. Stop it first, or wait until it ends.",
        command=f"Stop it: runs stop {shorten(experiment_id)}",
    )
