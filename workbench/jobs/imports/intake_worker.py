"""The process that previews or adds uploaded files: `python -m workbench.jobs.imports.intake_worker JOB LOCK`.

SIGTERM stops it; the corpus then is as it was.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field

from workbench.app import Workbench
from workbench.data import add_files, checked_name
from workbench.jobs.imports.intake_jobs import IntakeJobs
from workbench.jobs.imports.intake_preview import read_preview, write_preview
from workbench.jobs.imports.intake_status import IntakeFiles, IntakeStatus
from workbench.jobs.indexing.index_report import start_on_demand
from workbench.jobs.job_work import JobWork, run_worker
from workbench.workspace import Settings


@dataclass
class IntakeWork:
    """The work of one upload, which was claimed for this process."""

    bench: Workbench
    place: IntakeFiles
    job: JobWork[IntakeStatus] = field(init=False)

    def __post_init__(self) -> None:
        self.job = JobWork(self.place)

    def run(self) -> None:
        """Works to the end, a stop or a failure, and records which."""
        if self.job.status.verb == "preview":
            self.job.run(self._preview, "reading")
        else:
            self.job.run(self._add, "adding")

    def _preview(self) -> None:
        def watch(document: str, passages: int) -> None:
            self.job.progress(f"reading {document}", passages, 0)

        write_preview(self.place.preview, read_preview(self.place.paths(), self.job.status.choices.reading, watch))
        self.job.tell(state="previewed", pid=None)

    def _add(self) -> None:
        choices = self.job.status.choices
        checked_name(choices.corpus, "corpus")
        added = add_files(
            self.bench.library,
            choices.corpus,
            self.place.paths(),
            choices.reading,
            replaces=choices.replaces,
            progress=self.job.progress,
        )
        start_on_demand(self.bench, added.manifest)
        report = added.report
        self.job.tell(
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


def work(config: Settings, job: str) -> None:
    """Works on a job, which must have been claimed for this process."""
    IntakeWork(Workbench(config), IntakeJobs(config).files(job)).run()


if __name__ == "__main__":
    run_worker(work)
