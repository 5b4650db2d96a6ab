"""The process that imports a dataset: `python -m workbench.jobs.imports.dataset_import_worker JOB LOCK`.

Everything is read and checked before anything is stored. SIGTERM stops it; the workspace then is as it was.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.data import DatasetLibrary, ImportResult, import_collection
from workbench.jobs.imports.dataset_imports import DatasetImports, DatasetImportStatus
from workbench.jobs.imports.dataset_source import open_source
from workbench.jobs.indexing.index_report import start_on_demand
from workbench.jobs.job_folder import JobFolder
from workbench.jobs.job_work import JobWork, run_worker
from workbench.workspace import Settings


@dataclass
class DatasetImportWork:
    """The work of one import, which was claimed for this process."""

    bench: Workbench
    place: JobFolder[DatasetImportStatus]
    job: JobWork[DatasetImportStatus] = field(init=False)

    def __post_init__(self) -> None:
        self.job = JobWork(self.place)

    def run(self) -> None:
        """Works to the end, a stop or a failure, and records which."""
        self.job.run(self._import)

    def _import(self) -> None:
        request = self.job.status.request
        if request.existing == "add" and DatasetImports(self.bench.settings).header(request.name) != (
            self.job.status.before
        ):
            # An attempt that was killed at its very end has added the questions.
            raise UsageError(
                f"The dataset “{request.name}” was changed since this import began, perhaps by the import itself: look "
                "at its questions before you add these, so that none is there twice."
            )
        self.job.progress("reading and checking", 0, 0)
        collection = open_source(request.source, self.place.staged, self.bench.library)
        result = import_collection(
            self.bench.library,
            DatasetLibrary(self.bench.settings.datasets),
            collection,
            request.name,
            limit=request.limit or None,
            seed=request.seed,
            existing=request.existing,
            progress=self.job.progress,
        )
        if result.corpus is not None:
            start_on_demand(self.bench, result.corpus)
        self.job.tell(state="done", pid=None, summary=summary(result), corpus=result.dataset.corpus)
        shutil.rmtree(self.place.staged, ignore_errors=True)


def summary(result: ImportResult) -> str:
    """The result of an import in sentences: questions, passages, what was left out and what may not be meant so."""
    counts = ", ".join(f"{code} {count:,}" for code, count in result.dataset.languages.items())
    parts = [f"Dataset “{result.dataset.name}” now has these questions: {counts}."]
    if result.corpus:
        parts.append(f"Corpus “{result.corpus.name}” has {result.corpus.passages:,} passages.")
    left_out = "; ".join(f"{count:,} {reason}" for reason, count in result.left_out.items())
    parts.append(f"Left out: {left_out}." if left_out else "None left out.")
    return " ".join([*parts, *result.warnings])


def work(config: Settings, job: str) -> None:
    """Works on a job, which must have been claimed for this process."""
    DatasetImportWork(Workbench(config), DatasetImports(config).files(job)).run()


if __name__ == "__main__":
    run_worker(work)
