"""Jobs: an experiment worked on in a process of its own, which neither a closed tab nor the end of its parent stops.

`python -m workbench.studies.job ID` is that process. Progress, heartbeat, errors and the wish to stop are rows in the
database, so any process can watch and stop it. A lock on a file, which the system lets go when its holder dies, tells a
job at work from one that was killed, and keeps two from working on one experiment.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import IO, Literal
from uuid import uuid4

from sqlalchemy import Engine, insert, select, update

from workbench import settings
from workbench.errors import UsageError, WorkbenchError, shorten, unknown
from workbench.pipeline.workbench import Workbench
from workbench.settings import Settings
from workbench.storage import study_tables as t
from workbench.storage.store import opened_store
from workbench.studies.experiment import Experiment, experiment_from_yaml, experiment_to_yaml
from workbench.studies.material import Material
from workbench.studies.runner import Runner
from workbench.studies.sharing import StoppedError, Tally
from workbench.studies.writing import Writer, add_experiment, forget_failed, row_of

HEARTBEAT = 1.0
"""Seconds between heartbeats, and between looks at the wish to stop."""
LOOK_AGAIN = 0.5
LOCK_WAIT = 2.0
FOLDER = "jobs"
ROOT = Path(__file__).parents[2]
"""Where the process finds the workbench, whatever folder it is started from."""
STARTING = 60.0
"""Seconds within which a process that was started is at work; after them it is taken for lost."""

State = Literal["waiting", "running", "done", "stopped", "failed", "interrupted"]
"""`interrupted`: it was killed; resuming goes on where it was."""


@dataclass(frozen=True, slots=True)
class Status:
    """How an experiment's latest job stands. `done` and `total` count the batches of the stage under way; `run`,
    `found` and `failed` its steps by stage: those run, those taken from the cache, those that failed."""

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
        return self.state in ("waiting", "running")


def create(workbench: Workbench, experiment: Experiment) -> str:
    """Stores an experiment and its runs, without starting it; returns its id. Raises UsageError."""
    material = Material(workbench, experiment)
    if not material.cells:
        raise UsageError("The experiment has no cells: its datasets hold no questions in the languages asked for.")
    engine = opened_store(workbench.settings.database_url)
    spec = experiment_to_yaml(experiment)
    rows = [row_of(run) for run in material.runs]
    return add_experiment(engine, experiment.name, "matrix", spec, material.cells, material.fingerprint, rows)


def start(chosen: Settings, experiment: str) -> str:
    """Starts, or resumes, an experiment in a process of its own; returns the job's id.

    Raises UsageError for an experiment that does not exist, has nothing to run or is being worked on.
    """
    engine = opened_store(chosen.database_url)
    if _experiment(engine, experiment).kind != "matrix":
        raise UsageError(
            f"The experiment “{shorten(experiment)}” holds predictions from elsewhere: there is nothing to run."
        )
    now = status(chosen, experiment)
    if now is not None and now.active:
        raise UsageError(f"The experiment “{experiment}” is being worked on. Watch it: runs show {experiment}")
    job = uuid4().hex[:12]
    with engine.begin() as connection:
        connection.execute(
            insert(t.jobs).values(
                id=job,
                experiment=experiment,
                state="waiting",
                stop=False,
                pid=None,
                started=time.time(),
                heartbeat=time.time(),
                stage="starting",
                done=0,
                total=0,
                steps="{}",
                error="",
            )
        )
    folder = chosen.home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{job}.log").open("wb") as log:
        # A session of its own: what ends the terminal, the server or the tab does not reach it.
        subprocess.Popen(  # noqa: S603 - our own interpreter and module, and an id of ours
            [sys.executable, "-m", "workbench.studies.job", job],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            close_fds=True,
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
    latest = select(t.jobs).where(t.jobs.c.experiment == experiment).order_by(t.jobs.c.started.desc()).limit(1)
    with engine.connect() as connection:
        row = connection.execute(latest).mappings().first()
    if row is None:
        return None
    state: State = row["state"]
    lost = state == "running" or time.time() - row["started"] > STARTING
    if state in ("waiting", "running") and lost and not _held(chosen, experiment):
        state = "interrupted"
    steps = json.loads(row["steps"])
    return Status(
        experiment=experiment,
        job=row["id"],
        state=state,
        stage=row["stage"],
        done=row["done"],
        total=row["total"],
        started=row["started"],
        heartbeat=row["heartbeat"],
        pid=row["pid"],
        error=row["error"],
        run=steps.get("run", {}),
        found=steps.get("found", {}),
        failed=steps.get("failed", {}),
    )


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
    with _lock(chosen, experiment) as alone:
        if not alone:
            _say(engine, job, state="failed", error="Another process is at work on this experiment.")
            return
        _say(engine, job, state="running", pid=os.getpid(), heartbeat=time.time())
        stopping, ended = Event(), Event()
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
    material = Material(workbench, experiment_from_yaml(stored.spec))
    if material.fingerprint != stored.material:
        raise UsageError(
            "The questions or the corpus changed since this experiment began, so its results would not belong "
            "together: run it anew."
        )

    def on_batch(stage: str, done: int, total: int, tally: Tally) -> None:
        steps = json.dumps({"run": tally.run, "found": tally.found, "failed": tally.failed})
        _say(engine, job, stage=stage, done=done, total=total, steps=steps)

    writer = Writer(engine, identity, material.experiment.metrics)
    Runner(workbench, material, writer, stop=stopping, on_batch=on_batch).run()


def _beat(engine: Engine, job: str, stopping: Event, ended: Event) -> None:
    while not ended.wait(HEARTBEAT):
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


def _lock_file(chosen: Settings, experiment: str) -> Path:
    return chosen.home / FOLDER / f"{experiment}.lock"


@contextmanager
def _lock(chosen: Settings, experiment: str) -> Iterator[bool]:
    """Whether this process alone works on the experiment, for as long as it does."""
    path = _lock_file(chosen, experiment)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        # Whoever asks for the status holds the lock for a moment too; a job holds it for as long as it works.
        last = time.monotonic() + LOCK_WAIT
        while not (alone := _locked(file)) and time.monotonic() < last:
            time.sleep(0.05)
        yield alone


def _locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _held(chosen: Settings, experiment: str) -> bool:
    """Whether some process holds the experiment's lock."""
    path = _lock_file(chosen, experiment)
    if not path.exists():
        return False
    with path.open("rb") as file:
        try:
            # A shared lock is refused while a job holds its own, and two who look do not disturb each other.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


if __name__ == "__main__":
    work(settings.load(), sys.argv[1])
