"""The process that writes questions: `python -m workbench.jobs.question_generation.writing_worker JOB LOCK`.

Drafts are stored a batch at a time and replies are cached, so that going on after any end pays for nothing twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from threading import Event

from workbench.app import Workbench
from workbench.core import JobStopped
from workbench.jobs.job_folder import JobFolder
from workbench.jobs.job_work import JobWork, WorkStopped, run_worker
from workbench.jobs.question_generation.draft import WAITING
from workbench.jobs.question_generation.set_writing import SetWriting
from workbench.jobs.question_generation.writing_jobs import WritingJobs, WritingStatus
from workbench.workspace import Settings


@dataclass
class WritingWork:
    """The work of one job, which was claimed for this process; it ends once `stop` is set."""

    bench: Workbench
    place: JobFolder[WritingStatus]
    stop: Event
    job: JobWork[WritingStatus] = field(init=False)

    def __post_init__(self) -> None:
        self.job = JobWork(self.place)

    def run(self) -> None:
        """Works to the end, a stop or a failure, and records which."""
        self.job.run(self._write)

    def _write(self) -> None:
        status = self.job.status
        writing = SetWriting(self.bench, status.name, status.request, self.job.progress)
        try:
            state = writing.write(self.job.progress, self.stop)
        except JobStopped:
            raise WorkStopped from None
        reasons = [item.reason for item in writing.store.drafts(status.name, WAITING) if item.reason]
        self.job.tell(
            state="done",
            pid=None,
            to_review=state.count("draft"),
            filtered=state.count("filtered"),
            unwritten=state.failed,
            reason=reasons[0] if reasons else "",
        )


def work(config: Settings, job: str, stop: Event) -> None:
    """Works on a job, which must have been claimed for this process, until its end or until `stop` is set."""
    WritingWork(Workbench(config), WritingJobs(config).files(job), stop).run()


def main() -> None:
    """The life of the process: SIGTERM ends it between two calls."""
    stop = Event()
    run_worker(partial(work, stop=stop), stop)


if __name__ == "__main__":
    main()
