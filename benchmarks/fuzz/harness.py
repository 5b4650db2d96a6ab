"""One call of the command line in a forked process: its exit code, output, time and memory, and what became of it."""

from __future__ import annotations

import os
import resource
import select
import signal
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

UNEXPECTED = "An unexpected "
TRACEBACK = "Traceback (most recent call last)"
SECONDS = 30.0
OUTPUT_LIMIT = 1 << 20
IGNORED = ("errors.log", "workbench.db-wal", "workbench.db-shm", "workbench.db")
RESULTS = ("experiments", "runs", "answers", "questions", "scores", "batches", "jobs", "schema_version")


@dataclass(frozen=True)
class Outcome:
    """A call that ended. `code` is the exit code, or minus the signal that ended it."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    seconds: float
    peak_mb: float
    hung: bool = False

    @property
    def fell(self) -> bool:
        """Whether a person would have seen a traceback, a crash, or the sentence of the last resort."""
        crashed = self.code < 0 and not self.hung
        return crashed or TRACEBACK in self.err or TRACEBACK in self.out or UNEXPECTED in self.err


def preload() -> None:
    """Imports what calls use, so that a fork need not; nothing is opened, since threads do not survive a fork."""
    import faiss  # noqa: F401
    import openpyxl  # noqa: F401
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401
    import scipy.sparse  # noqa: F401
    import sklearn.utils.extmath  # noqa: F401
    import tantivy  # noqa: F401


def call(
    words: Sequence[str],
    home: Path,
    *,
    seconds: float = SECONDS,
    kill_after: float | None = None,
    file_bytes: int | None = None,
    jobs: bool = False,
) -> Outcome:
    """Runs `workbench WORDS` in the workspace `home`; `kill_after`: SIGKILL after that many seconds.

    `file_bytes`: no file can grow beyond them, as on a full disk. Without `jobs`, `run` and `resume` start no process.
    """
    started = start(words, home, file_bytes=file_bytes, jobs=jobs)
    return finish(started, words, seconds, kill_after)


@dataclass(frozen=True)
class Started:
    """A process at work, and the ends of its pipes."""

    pid: int
    out: int
    err: int
    began: float


def start(words: Sequence[str], home: Path, *, file_bytes: int | None = None, jobs: bool = False) -> Started:
    """Forks a process that runs the command line."""
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            os.dup2(out_end, 1)
            os.dup2(err_end, 2)
            with open(os.devnull) as nothing:  # noqa: PTH123
                os.dup2(nothing.fileno(), 0)
            os.closerange(3, 256)
            os.environ["WORKBENCH_HOME"] = str(home)
            sys.stdin = open(0, closefd=False)  # noqa: SIM115
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
            if file_bytes is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
            _run(words, jobs)
        finally:
            with suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(70)
    os.close(out_end)
    os.close(err_end)
    return Started(pid, out, err, began)


def _run(words: Sequence[str], jobs: bool) -> None:
    import traceback

    from workbench.cli import main
    from workbench.workspace.jobs.jobs import Jobs

    if not jobs:
        Jobs.spawn = lambda *_: None  # type: ignore[method-assign]
    sys.argv = ["workbench", *words]
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1 if ended.code else 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def finish(process: Started, words: Sequence[str], seconds: float, kill_after: float | None = None) -> Outcome:
    """Reads the process's output until it ends, or ends it when its time is over."""
    texts = {process.out: bytearray(), process.err: bytearray()}
    open_ends = set(texts)
    deadline = process.began + (seconds if kill_after is None else kill_after)
    ended = False
    while open_ends:
        left = deadline - time.monotonic()
        if left <= 0 and not ended:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            ended = True
        ready, _, _ = select.select(list(open_ends), [], [], max(left, 0.05) if not ended else 1.0)
        for end in ready:
            piece = os.read(end, 1 << 16)
            if not piece:
                open_ends.discard(end)
            elif len(texts[end]) < OUTPUT_LIMIT:
                texts[end] += piece
        if ended and not ready:
            break
    _, status, usage = os.wait4(process.pid, 0)
    for end in texts:
        os.close(end)
    code = os.waitstatus_to_exitcode(status)
    out, err = (texts[end].decode("utf-8", "replace") for end in (process.out, process.err))
    took = time.monotonic() - process.began
    return Outcome(tuple(words), code, out, err, took, usage.ru_maxrss / 1024, ended and kill_after is None)


def state(home: Path) -> dict[str, object]:
    """What a call that fails must leave as it is: every file by size and time, and the rows of results."""
    files: dict[str, object] = {}
    for folder, _, names in os.walk(home):
        for name in names:
            if name in IGNORED or name.endswith((".lock", ".log")):
                continue
            path = os.path.join(folder, name)  # noqa: PTH118
            with suppress(OSError):
                facts = os.stat(path)  # noqa: PTH116
                files[os.path.relpath(path, home)] = (facts.st_size, facts.st_mtime_ns)
    return {**files, **rows(home)}


def rows(home: Path) -> dict[str, object]:
    """The number of rows of each table of results; "" for a table that cannot be read."""
    counts: dict[str, object] = {}
    path = home / "workbench.db"
    if path.exists():
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            for table in RESULTS:
                try:
                    counts[f"table {table}"] = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                except sqlite3.Error:
                    counts[f"table {table}"] = ""
    return counts
