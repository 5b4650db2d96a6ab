"""The process that previews or adds uploaded files: `python -m workbench.intake.intake_worker JOB LOCK`.

It stands back behind whatever else the machine does, and records how it ends in the job's status. LOCK is the number of
the lock that it was handed. SIGTERM stops it; the corpus then is as it was.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field, replace

from workbench import settings
from workbench.corpora.corpus_library import checked_name
from workbench.documents.corpus_files import add_files
from workbench.errors import WorkbenchError, is_panic, shorten
from workbench.indexing.index_report import start_on_demand
from workbench.intake.intake_jobs import IntakeJobs
from workbench.intake.intake_preview import read_preview, write_preview
from workbench.intake.intake_status import IntakeFiles, IntakeStatus, now
from workbench.processes import detached, lock
from workbench.settings import Settings
from workbench.workspace.workbench import Workbench

BETWEEN = 0.4
"""Seconds between two writes of the status."""
ERROR_LIMIT = 300
"""Characters of an error that a library raised."""


class IntakeStopped(BaseException):
    """Somebody asked the process to stop."""


@dataclass
class IntakeWork:
    """The work of one job, which was claimed for this process."""

    bench: Workbench
    place: IntakeFiles
    _status: IntakeStatus = field(init=False)
    _written: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        status = self.place.read()
        assert status is not None  # whoever claims a job writes one
        self._status = status

    def run(self) -> None:
        """Works to the end, a stop or a failure, and records which."""
        preview = self._status.verb == "preview"
        self._tell(state="reading" if preview else "adding", pid=os.getpid())
        try:
            self._preview() if preview else self._add()
        except IntakeStopped:
            self._tell(state="stopped", pid=None)
        except WorkbenchError as error:
            self._tell(state="failed", error=error.on_screen, pid=None)
        except BaseException as error:
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            self._tell(state="failed", error=f"{type(error).__name__}: {shorten(error, ERROR_LIMIT)}", pid=None)

    def _preview(self) -> None:
        def watch(document: str, passages: int) -> None:
            self._progress(f"reading {document}", passages, 0)

        write_preview(self.place.preview, read_preview(self.place.paths(), self._status.choices.reading, watch))
        self._tell(state="previewed", pid=None)

    def _add(self) -> None:
        choices = self._status.choices
        checked_name(choices.corpus, "corpus")
        added = add_files(
            self.bench.library,
            choices.corpus,
            self.place.paths(),
            choices.reading,
            replaces=choices.replaces,
            progress=self._progress,
        )
        start_on_demand(self.bench, added.manifest)
        report = added.report
        self._tell(
            state="done",
            pid=None,
            corpus=added.manifest.name,
            documents=report.documents,
            passages=report.passages,
            refused=dict(report.refused),
        )
        # What is kept of the files is with the corpus now.
        shutil.rmtree(self.place.staged, ignore_errors=True)
        self.place.preview.unlink(missing_ok=True)

    def _progress(self, phase: str, done: int, total: int) -> None:
        if phase != self._status.phase or time.monotonic() - self._written >= BETWEEN:
            self._tell(phase=phase, done=done, total=total)

    def _tell(self, **values: object) -> None:
        self._written = time.monotonic()
        self._status = replace(self._status, updated=now(), **values)  # type: ignore[arg-type]
        self.place.write(self._status)


def work(config: Settings, job: str) -> None:
    """Works on a job, which must have been claimed for this process."""
    IntakeWork(Workbench(config), IntakeJobs(config).files(job)).run()


def main() -> None:
    """Takes the lock that was handed over, stands back and works."""

    def stop(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough, also while things are put away
        raise IntakeStopped

    job, number = sys.argv[1], int(sys.argv[2])
    lock.keep(number)
    detached.stand_back()
    signal.signal(signal.SIGTERM, stop)
    try:
        work(settings.load(), job)
    finally:
        # Now, not when the process has put away its memory: whoever goes on with the job need not wait for that.
        os.close(number)


if __name__ == "__main__":
    main()
