"""The jobs of a workspace: started, watched, stopped, resumed and removed from any process, in any tab.

How a job stands is a row in the database. A lock, which its process has from its first moment to its last, tells one at
work from one that was killed, and keeps two processes from doing the same work. Files that people upload for a job lie
in a folder of its own until its work is done.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar
from uuid import uuid4

import regex
from sqlalchemy import ColumnElement, Engine, delete, insert, select, update

from workbench.core import UsageError, fingerprint, shorten, unknown_name
from workbench.workspace import atomic, detached, lock
from workbench.workspace.database import check_sound, opened_store, writing
from workbench.workspace.jobs.job import JOB_COLUMNS, KINDS, UNDER_WAY, Job, JobKind, State, as_json, job_of
from workbench.workspace.permissions import actor, verb
from workbench.workspace.settings import Settings
from workbench.workspace.tables import jobs as t

Result = TypeVar("Result")

WORKER = "workbench.workspace.jobs.worker"
ID = regex.compile(r"[0-9a-z-]{1,32}")
LOOK_AGAIN = 0.5
"""Seconds between looks at a job that is watched."""
IDLE = 7 * 24 * 3600.0
"""Seconds after which jobs at rest of a kind that expires are removed with their files."""
LOG_LIMIT = 64_000
"""Characters of a log, its last ones, that are read."""


@dataclass(frozen=True, slots=True)
class JobFiles:
    """The files of one job, in the folder of all jobs' files."""

    base: Path

    @property
    def lock(self) -> Path:
        """Acquired by the process at work, which loses it when it ends, however that happens."""
        return self.base.with_suffix(".lock")

    @property
    def log(self) -> Path:
        """What the last process printed."""
        return self.base.with_suffix(".log")

    @property
    def folder(self) -> Path:
        """The job's own folder: what was uploaded for it and what is made of that."""
        return self.base

    @property
    def staged(self) -> Path:
        """The folder of the files that were uploaded for it."""
        return self.base / "files"

    def paths(self) -> list[Path]:
        """The uploaded files in that folder itself, by name."""
        return sorted(self.staged.iterdir()) if self.staged.is_dir() else []

    def remove(self) -> None:
        """Removes all of them."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in (self.log, self.lock):
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Jobs:
    """The jobs of a workspace; those of a subclass are of one kind, which it starts after its own checks."""

    kind: ClassVar[str] = ""
    """The kind of the jobs, "" for all kinds."""
    settings: Settings

    @property
    def engine(self) -> Engine:
        """The workspace's database, opened once per process."""
        return opened_store(self.settings.database_url)

    @property
    def folder(self) -> Path:
        """Where locks, logs and the jobs' own folders are."""
        return self.settings.home / detached.FOLDER

    def files(self, job_id: str) -> JobFiles:
        """The files of a job. Raises UsageError for what is not a job's id."""
        if not ID.fullmatch(job_id):
            raise _gone(job_id)
        return JobFiles(self.folder / job_id)

    def check_sound(self) -> None:
        """Raises MissingError where the database is damaged: its tables may then look empty."""
        check_sound(self.engine)

    def job(self, job_id: str) -> Job | None:
        """How a job stands, None where there is none."""
        return next(iter(self.checked(self._rows(t.c.id == job_id))), None)

    def all(self, *, active: bool = False) -> list[Job]:
        """All jobs, or those at work, the latest start first."""
        jobs = self.checked(self._rows(t.c.state.in_(UNDER_WAY)) if active else self._rows())
        return [job for job in jobs if job.active or not active]

    def checked(self, jobs: Sequence[Job]) -> list[Job]:
        """Jobs as their rows say, those whose process is gone without having recorded an end as interrupted."""
        gone = [job.id for job in jobs if job.active and not lock.is_locked(self.files(job.id).lock)]
        if not gone:
            return list(jobs)
        # A process records its end before it releases the lock: what its row says now was its last word.
        latest = {
            job.id: replace(job, state="interrupted", stop=False) if job.active else job
            for job in self._rows(t.c.id.in_(gone))
        }
        return [latest[job.id] if job.id in gone else job for job in jobs if job.id not in gone or job.id in latest]

    def is_active(self, job_id: str) -> bool:
        """Whether a process is at work on a job or about to be."""
        job = self.job(job_id)
        return job is not None and job.active

    def watch(self, job_id: str, seconds: float | None = None) -> Iterator[Job]:
        """The job again and again until no process is at work; the last one says how it ended.

        `seconds` lie between two looks, `LOOK_AGAIN` where None.
        """
        while (job := self.job(job_id)) is not None:
            yield job
            if not job.active:
                return
            time.sleep(LOOK_AGAIN if seconds is None else seconds)

    def log(self, job_id: str) -> str:
        """The end of what the job's last process printed, "" where it printed nothing. Raises as `kind_of` does."""
        self.kind_of(job_id)
        path = self.files(job_id).log
        return path.read_text(encoding="utf-8", errors="replace")[-LOG_LIMIT:] if path.exists() else ""

    def stop(self, job_id: str) -> bool:
        """Asks the process at work to stop after what it is at; False where none is."""
        return self._as(self.kind_of(job_id).change, self._stop, job_id)

    def resume(self, job_id: str) -> bool:
        """Starts a job again with its parameters; False where it is at work.

        Raises UsageError for a job that does not exist or has nothing left to do.
        """
        return self._as(self.kind_of(job_id).start, self._resume, job_id)

    def discard(self, job_id: str) -> None:
        """Removes a job and its files. Raises UsageError for one that is at work."""
        self._as(self.kind_of(job_id).change, self._discard, job_id)

    def nothing_left(self, job_id: str) -> bool:
        """Whether a job is done for good."""
        job = self.job(job_id)
        return job is not None and job.state == "done"

    def launch(self, job_id: str, parameters: object = None, *, kind: str = "", title: str = "") -> bool:
        """Starts a process for a job, new or at rest; False where one is at work. The parameters replace former ones.

        For verbs, which have checked what is asked for.
        """
        if self.is_active(job_id):
            return False
        with self.claimed(job_id) as claim:
            if claim is None:
                return False
            claim.launch(parameters, kind=kind, title=title)
        return True

    def start_new(self, kind: str, parameters: object, *, title: str = "") -> str:
        """Starts or resumes a job that needs no more than its parameters; returns its id.

        The same parameters are the same job. Nothing is done where it is at work. Raises UsageError for a kind that is
        not begun so, and for parameters that it does not take.
        """
        allowed = [name for name, entry in KINDS.items() if entry.by_parameters]
        if kind not in allowed:
            raise unknown_name("kind of job", kind, allowed)
        checked = KINDS[kind].checked(parameters)
        job_id = self.id_of(kind, checked)
        verb(KINDS[kind].start, "{job_id}")(partial(self.launch, parameters=checked, kind=kind, title=title))(job_id)
        return job_id

    def id_of(self, kind: str, parameters: object) -> str:
        """The id of the job that `start_new` starts with these parameters."""
        return f"{kind}-{fingerprint(kind, [as_json(parameters)])}"

    @contextmanager
    def claimed(self, job_id: str) -> Iterator[JobClaim | None]:
        """While the block runs, no other process works on the job, or starts to; None where one does already."""
        with lock.acquired(self.files(job_id).lock) as number:
            yield None if number is None else JobClaim(self, job_id, number)

    @contextmanager
    def undisturbed(self, job_id: str) -> Iterator[JobClaim]:
        """As `claimed`. Raises UsageError where a process is at work on the job."""
        if self.is_active(job_id):
            raise self.busy(job_id)
        with self.claimed(job_id) as claim:
            if claim is None:
                raise self.busy(job_id)
            yield claim

    def busy(self, job_id: str) -> UsageError:
        """What to say of a job that is at work and cannot be changed."""
        which = f"{self.kind_of(job_id).title} “{shorten(job_id)}” is running"
        return UsageError(
            f"{which}. Stop it first, or wait for it to finish.", command=f"Stop it: mrag jobs stop {shorten(job_id)}"
        )

    def kind_of(self, job_id: str) -> JobKind:
        """The kind of a job. Raises UsageError for a job that does not exist, where the kind is not known by itself."""
        if self.kind:
            return KINDS[self.kind]
        rows = self._rows(t.c.id == job_id)
        if not rows:
            raise _gone(job_id)
        return KINDS[rows[0].kind]

    def sweep(self) -> None:
        """Removes jobs at rest, of kinds that expire, that nobody looked after for days."""
        expiring = [name for name, kind in KINDS.items() if kind.expires]
        old = t.c.heartbeat < time.time() - IDLE
        for job in self.checked(self._rows(t.c.kind.in_(expiring), old)):
            if not job.active:
                self._discard(job.id)

    def _rows(self, *conditions: ColumnElement[bool]) -> list[Job]:
        statement = select(*JOB_COLUMNS).where(*conditions).order_by(t.c.started.desc(), t.c.id)
        if self.kind:
            statement = statement.where(t.c.kind == self.kind)
        with self.engine.connect() as connection:
            return [job_of(row) for row in connection.execute(statement)]

    def _as(self, name: str, function: Callable[[str], Result], job_id: str) -> Result:
        """Calls a function as the verb of the job's kind."""
        return verb(name, "{job_id}")(function)(job_id)

    def _stop(self, job_id: str) -> bool:
        if not self.is_active(job_id):
            return False
        with writing(self.engine) as connection:
            connection.execute(update(t).where(t.c.id == job_id).values(stop=True))
        return True

    def _resume(self, job_id: str) -> bool:
        job = self.job(job_id)
        if job is None:
            raise _gone(job_id)
        if self.nothing_left(job_id):
            raise UsageError(f"The job “{shorten(job_id)}” is finished: nothing is left to do.")
        return self.launch(job_id, job.parameters, kind=job.kind, title=job.title)

    def _discard(self, job_id: str) -> None:
        with self.undisturbed(job_id) as claim:
            claim.remove()

    def spawn(self, job_id: str, lock_number: int) -> None:
        """Starts the process of a job that was claimed by the lock with this number, which it is handed."""
        background = self.kind_of(job_id).in_background
        detached.start(
            WORKER,
            [job_id],
            self.settings,
            lock_number=lock_number,
            log=self.files(job_id).log,
            environment=detached.background_environment() if background else None,
        )


@dataclass(frozen=True, slots=True)
class JobClaim:
    """A job that this process has: its lock's number is for the process that the job is handed to."""

    jobs: Jobs
    job_id: str
    number: int

    @property
    def files(self) -> JobFiles:
        """The files of the job."""
        return self.jobs.files(self.job_id)

    def launch(self, parameters: object = None, *, kind: str = "", title: str = "", total: int = 0) -> None:
        """Hands the job to a process that starts to work."""
        self.record("waiting", parameters, kind=kind, title=title, total=total)
        self.jobs.spawn(self.job_id, self.number)

    def record(
        self, state: State, parameters: object = None, *, kind: str = "", title: str = "", total: int = 0
    ) -> Job:
        """Writes the job's row as that of a job that begins; `total`: what there is to do, where that is known.

        Raises UsageError for parameters that the kind does not take.
        """
        entry = KINDS[kind or self.jobs.kind]
        now = time.time()
        # Who waits for a turn sees meanwhile how far the attempt before came.
        anew = {"done": 0, "result": "{}"}
        stored = as_json(entry.checked({} if parameters is None else parameters))
        values = {
            "title": title,
            "state": state,
            "stop": False,
            "phase": "starting",
            "started": now,
            "heartbeat": now,
            "ended": None,
            "pid": None,
            "total": total,
            "error": "",
            "actor": actor().name,
            "parameters": stored,
        }
        again = update(t).where(t.c.id == self.job_id).values(values if entry.in_turn else {**values, **anew})
        with writing(self.jobs.engine) as connection:
            if not connection.execute(again).rowcount:
                first = {"id": self.job_id, "kind": entry.name, "created": now}
                connection.execute(insert(t).values({**values, **anew, **first}))
            return job_of(connection.execute(select(*JOB_COLUMNS).where(t.c.id == self.job_id)).one())

    def remove(self) -> None:
        """Removes the job and its files."""
        with writing(self.jobs.engine) as connection:
            connection.execute(delete(t).where(t.c.id == self.job_id))
        self.files.remove()


def _gone(job_id: str) -> UsageError:
    return UsageError(f"There is no job “{shorten(job_id)}”.", command="Type: mrag jobs list")


class UploadJobs(Jobs):
    """Jobs of one kind that begin with uploaded files."""

    @verb("imports.change", "{job_id}")
    def stage(self, files: Iterable[tuple[str, bytes | memoryview]], job_id: str = "") -> str:
        """Puts files, by paths that lead down, on disk as a new job or into one at rest; returns the job's id.

        A file replaces one of the same path. Raises UsageError for a path that leads elsewhere, a job that is at work.
        """
        self.sweep()
        job_id = job_id or uuid4().hex
        with self.undisturbed(job_id) as claim:
            before = self.job(job_id)
            # The row comes first: what it does not name is never swept away.
            claim.record("staged", before.parameters if before else None, title=before.title if before else "")
            try:
                for path, data in files:
                    check_path(path)
                    atomic.write_bytes(claim.files.staged / path, bytes(data))
            except BaseException:
                if before is None:
                    claim.remove()
                raise
        return job_id


def check_path(path: str) -> None:
    """Raises UsageError for a path that does not lead from a folder down to a file in it."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise UsageError("A file's name must not lead to another folder.")
