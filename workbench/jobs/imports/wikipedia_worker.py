"""The process that makes a corpus of Wikipedia's files: `python -m workbench.jobs.imports.wikipedia_worker JOB LOCK`.

Ended at any moment, it goes on after the last complete part when it is started again.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field, replace

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.data import SEEN_EVERY, ArticleSource, ImportState, Place, WikipediaImport
from workbench.jobs.imports.wikipedia_imports import WikipediaImports, WikipediaStatus
from workbench.jobs.indexing.index_report import start_on_demand
from workbench.jobs.job_folder import JobFolder
from workbench.jobs.job_work import JobWork, run_worker
from workbench.workspace import PieceRate, Settings

SHARES = 1_000
"""Parts of all files that progress is counted in."""


@dataclass
class WikipediaWork:
    """The work of one import, which was claimed for this process."""

    bench: Workbench
    place: JobFolder[WikipediaStatus]
    job: JobWork[WikipediaStatus] = field(init=False)
    _rate: PieceRate = field(init=False, default_factory=PieceRate)
    _pages: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.job = JobWork(self.place)

    def run(self) -> None:
        """Works to the end, a stop or a failure, and records which."""
        self.job.run(self._import)

    def _import(self) -> None:
        status = self.job.status
        work = WikipediaImports(self.bench.settings).work(status.job, status.request)
        manifest = next((item for item in self.bench.library.list() if item.name == work.name), None)
        if manifest is not None and manifest.source != work.source:
            raise UsageError(
                f"There is another corpus “{work.name}” by now. Rename that one, or discard this import and begin it "
                "under another name."
            )
        self._rate.add(0, time.monotonic())
        self.job.progress("opening the files", 0, 0)
        work.read(self._part, lambda source, place: self._reading(work, source, place))
        manifest = work.build(self.job.progress)
        start_on_demand(self.bench, manifest)
        self.job.tell(state="done", pid=None, passages=manifest.passages)
        shutil.rmtree(self.place.staged, ignore_errors=True)

    def _part(self, state: ImportState) -> bool:
        self.job.tell(articles=state.articles, passages=state.passages)
        return True

    def _reading(self, work: WikipediaImport, source: ArticleSource, place: Place) -> None:
        self._pages += SEEN_EVERY
        self._rate.add(self._pages, time.monotonic())
        self.job.status = replace(self.job.status, rate=round(self._rate.rate, 1))
        number = [item.name for item in work.sources].index(source.name)
        share = source.done(place) / source.size if source.size else 0.0
        done = round(SHARES * (number + min(share, 1.0)) / len(work.sources))
        self.job.progress(f"reading {source.name}", done, SHARES if source.size else 0)


def work(config: Settings, job: str) -> None:
    """Works on a job, which must have been claimed for this process."""
    WikipediaWork(Workbench(config), WikipediaImports(config).files(job)).run()


if __name__ == "__main__":
    run_worker(work)
