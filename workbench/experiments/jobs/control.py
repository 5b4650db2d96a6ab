"""Jobs: an experiment worked on in a process of its own, which neither a closed tab nor the end of its parent stops.

`python -m workbench.experiments.jobs.control ID LOCK` is that process. Progress, heartbeat, errors and the wish to stop
are rows in the database, so any process can watch and stop it. Its lock, taken before it starts, tells a job at work
from one that was killed, and keeps two from working on one experiment.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Engine, RowMapping, insert, select, update

from workbench import settings
from workbench.errors import UsageError, WorkbenchError, shorten, unknown
from workbench.experiments.cells import StepCounts, StoppedError
from workbench.experiments.experiment import Experiment, experiment_from_yaml, experiment_to_yaml, row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.jobs import lock
from workbench.experiments.pilot import measure
from workbench.experiments.plan import NO_CELLS
from workbench.experiments.runner import Runner
from workbench.results.experiment_list import PILOT
from workbench.results.writer import Writer, add_experiment, forget_failed, remove
from workbench.settings import Settings
from workbench.storage import result_tables as t
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench

HEARTBEAT = 1.0
"""Seconds between heartbeats, and between looks at the wish to stop."""
LOOK_AGAIN = 0.5
FOLDER = "jobs"
ROOT = Path(__file__).parents[3]
"""Where the process finds the workbench, whatever folder it is started from."""

State = Literal["waiting", "running", "done", "stopped", "failed", "interrupted"]
"""`interrupted`: it was killed; resuming goes on where it was."""
UNDER_WAY = ("waiting", "running")


@dataclass(frozen=True, slots=True)
class Status:
    """How an experiment's latest job stands. `done` and `total` count the batches of the stage under way; `run`,
    `found` and `failed` its steps by stage: those run, those taken from the cache, those that failed.
    """

    experiment: str
    job: str
    state: State
    stage: str
    done: int
    total: int
    started: float
    heartbeat: float
    pid: int | None = None
    error: str = ""
    run: Mapping[str, int] = field(default_factory=dict)
    found: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""
        return self.state in UNDER_WAY


def create(workbench: Workbench, experiment: Experiment) -> str:
    """Stores an experiment and its runs, without starting it; returns its id. Raises UsageError."""
    material = ExperimentInputs(workbench, experiment)
    if not material.cells:
        raise UsageError(NO_CELLS)
    engine = opened_store(workbench.settings.database_url)
    spec = experiment_to_yaml(experiment)
    rows = [row_of(run) for run in material.runs]
    return add_experiment(engine, experiment.name, "matrix", spec, material.cells, material.fingerprint, rows)


def start(chosen: Settings, experiment: str) -> str:
    """Starts, or resumes, an experiment in a process of its own; returns the job's id.

    Raises UsageError for an experiment that does not exist, has nothing to run or is being worked on.
    """
    engine = opened_store(chosen.database_url)
    kind = _experiment(engine, experiment).kind
    if kind != "matrix":
        what = "is a pilot" if kind == PILOT else "holds predictions from elsewhere"
        raise UsageError(f"The experiment “{shorten(experiment)}” {what}: there is nothing to run.")
    return launch(chosen, experiment)


def launch(chosen: Settings, experiment: str) -> str:
    """Starts a process for an experiment of any kind; returns the job's id.

    Raises UsageError for an experiment that does not exist or is being worked on.
    """
    engine = opened_store(chosen.database_url)
    now = status(chosen, experiment)
    busy = UsageError(f"The experiment “{experiment}” is being worked on. Watch it: runs show {experiment}")
    if now is not None and now.active:
        raise busy
    job = uuid4().hex[:12]
    with lock.taken(_lock_file(chosen, experiment)) as held:
        if held is None:
            raise busy
        row = {"id": job, "experiment": experiment, "state": "waiting", "stop": False, "pid": None, "stage": "starting"}
        with engine.begin() as connection:
            connection.execute(
                insert(t.jobs).values(
                    **row, started=time.time(), heartbeat=time.time(), done=0, total=0, steps="{}", error=""
                )
            )
        with _log_file(chosen, job).open("wb") as log:
            # A session of its own: what ends the terminal, the server or the tab does not reach it.
            subprocess.Popen(  # noqa: S603 - our own interpreter and module, an id of ours and a number
                [sys.executable, "-m", "workbench.experiments.jobs.control", job, str(held)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                close_fds=True,
                pass_fds=(held,),
                env={
                    **os.environ,
                    "WORKBENCH_HOME": str(chosen.home),
                    "WORKBENCH_DATABASE_URL": chosen.database_url,
                    "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
                },
            )
    return job


def stop(chosen: Settings, experiment: str) -> bool:
    """Asks the job at work to stop after what it is at; False where none is."""
    now = status(chosen, experiment)
    if now is None or not now.active:
        return False
    with opened_store(chosen.database_url).begin() as connection:
        connection.execute(update(t.jobs).where(t.jobs.c.id == now.job).values(stop=True))
    return True


def retry_failed(chosen: Settings, experiment: str) -> int:
    """Forgets the failed cells and starts the experiment again for them; how many, 0 where none had failed."""
    engine = opened_store(chosen.database_url)
    _experiment(engine, experiment)
    now = status(chosen, experiment)
    if now is not None and now.active:
        raise UsageError(f"The experiment “{experiment}” is being worked on. Stop it first: runs stop {experiment}")
    dropped = forget_failed(engine, experiment)
    if dropped:
        start(chosen, experiment)
    return dropped


def status(chosen: Settings, experiment: str) -> Status | None:
    """How the latest job of an experiment stands, read by any process; None where none was started.

    Raises UsageError for an experiment that does not exist.
    """
    engine = opened_store(chosen.database_url)
    _experiment(engine, experiment)
    row = _latest(engine, experiment)
    if row is not None and row["state"] in UNDER_WAY and not lock.held(_lock_file(chosen, experiment)):
        # A process says how it ended before it lets go of the lock: what still stands there now was its last word.
        before, row = row, _latest(engine, experiment)
        if row is not None and row["id"] == before["id"] and row["state"] in UNDER_WAY:
            return _told(row, "interrupted")
    return None if row is None else _told(row, row["state"])


def steps_of(chosen: Settings, job: str) -> dict[str, Any]:
    """What a job says of its steps: counts by stage under `run`, `found` and `failed`; a pilot's `measured` too."""
    with opened_store(chosen.database_url).connect() as connection:
        found = connection.execute(select(t.jobs.c.steps).where(t.jobs.c.id == job)).scalar()
    told: dict[str, Any] = json.loads(found or "{}")
    return told


def discard(chosen: Settings, experiment: str) -> None:
    """Removes an experiment that nobody works on, with its results and its jobs' files."""
    engine = opened_store(chosen.database_url)
    with engine.connect() as connection:
        jobs = connection.execute(select(t.jobs.c.id).where(t.jobs.c.experiment == experiment)).scalars().all()
    remove(engine, experiment)
    for path in (*(_log_file(chosen, job) for job in jobs), _lock_file(chosen, experiment)):
        path.unlink(missing_ok=True)


def watch(chosen: Settings, experiment: str, seconds: float = LOOK_AGAIN) -> Iterator[Status]:
    """The status again and again, `seconds` apart, until no process is at work; the last one says how it ended."""
    now = status(chosen, experiment)
    while now is not None:
        yield now
        if not now.active:
            return
        time.sleep(seconds)
        now = status(chosen, experiment)


def work(chosen: Settings, job: str) -> None:
    """What the process of a job does: runs its experiment to the end, a stop or a failure, and says so in its row."""
    engine = opened_store(chosen.database_url)
    with engine.connect() as connection:
        experiment = connection.execute(select(t.jobs.c.experiment).where(t.jobs.c.id == job)).scalar()
    if experiment is None:
        raise unknown("job", job, ())
    _say(engine, job, state="running", pid=os.getpid())
    stopping, ended = Event(), Event()
    _look(engine, job, stopping)
    beating = Thread(target=_beat, args=(engine, job, stopping, ended), daemon=True)
    beating.start()
    try:
        _run(chosen, engine, experiment, job, stopping)
    except StoppedError:
        outcome, error = "stopped", ""
    except WorkbenchError as failure:
        outcome, error = "failed", str(failure)
    except Exception as failure:
        outcome, error = "failed", f"{type(failure).__name__}: {shorten(failure, 300)}"
    else:
        outcome, error = "done", ""
    ended.set()
    beating.join()
    _say(engine, job, state=outcome, error=error, heartbeat=time.time())


def _run(chosen: Settings, engine: Engine, identity: str, job: str, stopping: Event) -> None:
    workbench = Workbench(chosen)
    stored = _experiment(engine, identity)
    experiment = experiment_from_yaml(stored.spec)
    steps: dict[str, Any] = {}

    def on_batch(stage: str, done: int, total: int, tally: StepCounts) -> None:
        steps.update(run=tally.run, found=tally.found, failed=tally.failed)
        _say(engine, job, stage=stage, done=done, total=total, steps=json.dumps(steps))

    if stored.kind == PILOT:
        steps["measured"] = asdict(measure(workbench, experiment, stop=stopping, on_batch=on_batch))
        _say(engine, job, steps=json.dumps(steps))
        return
    material = ExperimentInputs(workbench, experiment)
    if material.fingerprint != stored.material:
        raise UsageError(
            "The questions, the corpus or the language identifier changed since this experiment began, so its results "
            "would not belong together: run it anew."
        )
    writer = Writer(engine, identity, material.metrics)
    Runner(workbench, material, writer, stop=stopping, on_batch=on_batch).run()


def _beat(engine: Engine, job: str, stopping: Event, ended: Event) -> None:
    while not ended.wait(HEARTBEAT):
        _look(engine, job, stopping)


def _look(engine: Engine, job: str, stopping: Event) -> None:
    """One heartbeat, and a look at the wish to stop."""
    _say(engine, job, heartbeat=time.time())
    with engine.connect() as connection:
        if connection.execute(select(t.jobs.c.stop).where(t.jobs.c.id == job)).scalar():
            stopping.set()


def _say(engine: Engine, job: str, **values: object) -> None:
    with engine.begin() as connection:
        connection.execute(update(t.jobs).where(t.jobs.c.id == job).values(**values))


@dataclass(frozen=True, slots=True)
class _Stored:
    kind: str
    spec: str
    material: str


def _experiment(engine: Engine, identity: str) -> _Stored:
    columns = (t.experiments.c.kind, t.experiments.c.spec, t.experiments.c.material)
    with engine.connect() as connection:
        row = connection.execute(select(*columns).where(t.experiments.c.id == identity)).first()
        if row is None:
            raise unknown(
                "experiment", identity, connection.execute(select(t.experiments.c.id)).scalars(), "Type: runs list"
            )
    return _Stored(*row)


def _latest(engine: Engine, experiment: str) -> RowMapping | None:
    """The row of an experiment's latest job."""
    asked = select(t.jobs).where(t.jobs.c.experiment == experiment).order_by(t.jobs.c.started.desc()).limit(1)
    with engine.connect() as connection:
        return connection.execute(asked).mappings().first()


def _told(row: RowMapping, state: State) -> Status:
    steps = json.loads(row["steps"])
    same = ("experiment", "stage", "done", "total", "started", "heartbeat", "pid", "error")
    counts = {name: steps.get(name, {}) for name in ("run", "found", "failed")}
    return Status(job=row["id"], state=state, **{name: row[name] for name in same}, **counts)


def _lock_file(chosen: Settings, experiment: str) -> Path:
    return chosen.home / FOLDER / f"{experiment}.lock"


def _log_file(chosen: Settings, job: str) -> Path:
    return chosen.home / FOLDER / f"{job}.log"


if __name__ == "__main__":
    lock.keep(int(sys.argv[2]))
    work(settings.load(), sys.argv[1])
