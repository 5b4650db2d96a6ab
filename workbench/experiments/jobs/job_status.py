"""How experiments stand, how long they will take, and whether they may go on.

Their rows are read with their jobs for any number of experiments in one statement. The time left is by the pace of the
batches that are finished. What an experiment stores and what it would add must belong together: that is checked before
failed cells are forgotten, and by each job before its first batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, Engine, select

from workbench.core import UsageError
from workbench.experiments.experiment import row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.phases import LAST_TITLE
from workbench.experiments.results.queries.run_list import ExperimentRow, experiment_rows, stored_experiment
from workbench.workspace import JOB_COLUMNS, Job, duration_words, job_of, result_tables as t, tables


@dataclass
class Pace:
    """The pace of one stage, from the end of its first batch on: that one also waits for models to be loaded.

    `first`: the batches that were finished then; `began`: when that was, in seconds since 1970.
    """

    stage: str = ""
    first: int = 0
    began: float = 0.0

    def end(self, stage: str, done: int, total: int, now: float) -> float | None:
        """When the stage will end, in seconds since 1970; None as long as there is no pace.

        Called after each batch, with the numbers of batches finished and in all.
        """
        if stage != self.stage:
            self.stage, self.first, self.began = stage, done, now
        if done <= self.first:
            return None
        return now + (now - self.began) / (done - self.first) * (total - done)


def left_words(stage: str, ends: float | None, now: float) -> str:
    """What is left of a job until its stage `ends`, "" where that is unknown or past.

    The last stage ends with the job; of those before it nothing is known but their own end.

    >>> left_words("answering", 190.0, 20.0), left_words("retrieving", 30.0, 20.0), left_words("answering", None, 20.0)
    ('about 3 minutes left', 'about 10 seconds left in this stage', '')
    """
    if ends is None or ends <= now:
        return ""
    return f"about {duration_words(ends - now)} left{'' if stage == LAST_TITLE else ' in this stage'}"


STEPS = {"ran": "run", "from_cache": "found", "failed": "failed"}
"""The counts of steps by stage in a job's result, and their names in the JSON that programs read."""


@dataclass(frozen=True, slots=True)
class ExperimentStatus:
    """An experiment in a list, and its job; None where it was never started."""

    experiment: ExperimentRow
    job: Job | None

    @property
    def active(self) -> bool:
        """Whether a process is at work on it or about to be."""
        return self.job is not None and self.job.active


def steps_of(job: Job, name: str) -> Mapping[str, int]:
    """How many steps of each stage `ran`, came `from_cache` or `failed`."""
    counts: Mapping[str, int] = job.result.get(name, {})
    return counts


def ends_of(job: Job) -> float | None:
    """When the stage under way ends at the present pace, in seconds since 1970; None while there is no pace."""
    ends = job.result.get("ends")
    return None if ends is None else float(ends)


def job_to_json(job: Job) -> dict[str, Any]:
    """A job as plain values, under the names that programs read."""
    return {
        "experiment": job.id,
        "job": job.id,
        "state": job.state,
        "stage": job.phase,
        "done": job.done,
        "total": job.total,
        "started": job.started,
        "heartbeat": job.heartbeat,
        "pid": job.pid,
        "error": job.error,
        **{title: dict(steps_of(job, name)) for name, title in STEPS.items()},
        "ends": ends_of(job),
    }


def experiment_statuses(connection: Connection, experiment_ids: Sequence[str] = ()) -> list[ExperimentStatus]:
    """Experiments with their jobs, the newest first; all but pilots where none is named. One statement."""
    columns = (column.label(f"job_{column.name}") for column in JOB_COLUMNS)
    statement = experiment_rows().add_columns(*columns).outerjoin(tables.jobs, tables.jobs.c.id == t.experiments.c.id)
    if experiment_ids:
        statement = statement.where(t.experiments.c.id.in_(experiment_ids))
    width = len(fields(ExperimentRow))
    return [
        ExperimentStatus(ExperimentRow(*row[:width]), None if row[width] is None else job_of(row[width:]))
        for row in connection.execute(statement)
    ]


ANEW = "so its results would not belong together: run it anew."
INPUTS_CHANGED = (
    "The questions, the corpus, the language identifier or the ranking metrics changed since this experiment began, "
    f"{ANEW}"
)
RUNS_CHANGED = f"This version of the workbench makes other runs of its matrix than when this experiment began, {ANEW}"


def check_resumable(engine: Engine, experiment_id: str, inputs: ExperimentInputs) -> None:
    """Checks that an experiment's stored results are about these inputs, by these metrics and for these runs.

    Raises UsageError where they are not, and as `ExperimentInputs.fingerprint` does.
    """
    with engine.connect() as connection:
        material = stored_experiment(connection, experiment_id).material
        columns = (t.runs.c.number, t.runs.c.dataset, t.runs.c.perturbation, t.runs.c.fingerprint)
        statement = select(*columns).where(t.runs.c.experiment_id == experiment_id).order_by(t.runs.c.number)
        stored = [tuple(row) for row in connection.execute(statement)]
    # The questions first: other inputs often have other runs as well, and are what a person can see.
    if material != inputs.fingerprint:
        raise UsageError(INPUTS_CHANGED)
    rows = map(row_of, inputs.runs)
    if stored != [(row.number, row.dataset, row.perturbation, row.fingerprint) for row in rows]:
        raise UsageError(RUNS_CHANGED)
