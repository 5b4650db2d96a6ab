"""Imports of Wikipedia as jobs, of uploaded files or of those in the folder `incoming`: gone on with after any end."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.data import (
    SAMPLE,
    SEEN_EVERY,
    ArticleSource,
    CorpusLibrary,
    ImportState,
    Place,
    WikipediaImport,
    checked_name,
    forget_work,
)
from workbench.jobs.imports.incoming import incoming_path
from workbench.jobs.indexing.index_report import start_on_demand
from workbench.workspace import PieceRate, RunningJob, UploadJobs, verb

SHARES = 1_000
"""Parts of all files that progress is counted in while they are read."""


@dataclass(frozen=True, slots=True)
class WikipediaRequest:
    """The corpus to make. `files` and `links` ("": none) are names, of uploaded files first, else of incoming ones."""

    name: str = ""
    files: tuple[str, ...] = ()
    links: str = ""
    chunking: str = ""


class WikipediaImports(UploadJobs):
    """The imports of Wikipedia in a workspace; a job's title is the corpus's name.

    Results have `articles` and `passages` of the complete parts, and the `rate` in pages per second once it is known.
    """

    kind = "wikipedia"

    @verb("corpora.add", "{request.name}")
    def start(self, job_id: str, request: WikipediaRequest) -> bool:
        """Starts making a new corpus of what was staged as a job and of incoming files.

        Raises UsageError for a name that is not allowed or taken, and for files that are not Wikipedia's.
        """
        name = checked_name(request.name, "corpus")
        if name == SAMPLE or any(item.name == name for item in CorpusLibrary(self.settings.corpora).list()):
            raise UsageError(f"There is a corpus “{name}” already. Choose another name, for example: {name}-2")
        begun = [job for job in self.all() if job.state not in ("staged", "done") and job.id != job_id]
        if any(job.title == name for job in begun):
            raise UsageError(f"An import of “{name}” was begun already. Go on with it, or discard it first.")
        self.work(job_id, request)
        return self.launch(job_id, request, title=name)

    def work(self, job_id: str, request: WikipediaRequest) -> WikipediaImport:
        """What is to be done for a job. Raises UsageError for files that are gone or not Wikipedia's."""
        return WikipediaImport(
            CorpusLibrary(self.settings.corpora),
            self.settings.home,
            request.name,
            [self._path(job_id, name) for name in request.files],
            self._path(job_id, request.links) if request.links else None,
            request.chunking,
        )

    def _path(self, job_id: str, name: str) -> Path:
        uploaded = {path.name: path for path in self.files(job_id).paths()}
        return uploaded.get(name) or incoming_path(self.settings.home, name)

    def _discard(self, job_id: str) -> None:
        """As for every job; what was read for a corpus that is not complete is deleted as well."""
        job = self.job(job_id)
        super()._discard(job_id)
        if job is not None and job.title and job.state not in ("staged", "done"):
            forget_work(self.settings.home, job.title)


def run_wikipedia_import(task: RunningJob, request: WikipediaRequest) -> Mapping[str, Any]:
    """Makes the corpus. Ended at any moment, it goes on after the last complete part when it is started again."""
    bench, work = Workbench(task.settings), WikipediaImports(task.settings).work(task.job.id, request)
    manifest = next((item for item in bench.library.list() if item.name == work.name), None)
    if manifest is not None and manifest.source != work.source:
        raise UsageError(
            f"There is another corpus “{work.name}” by now. Rename that one, or discard this import and begin it "
            "under another name."
        )
    rate, pages = PieceRate(), 0
    rate.add(0, time.monotonic())
    task.progress("opening the files", 0, 0)

    def on_part(state: ImportState) -> bool:
        task.note(articles=state.articles, passages=state.passages)
        return True

    def on_pages(source: ArticleSource, place: Place) -> None:
        nonlocal pages
        pages += SEEN_EVERY
        rate.add(pages, time.monotonic())
        task.note(rate=round(rate.rate, 1))
        number = [item.name for item in work.sources].index(source.name)
        share = source.done(place) / source.size if source.size else 0.0
        done = round(SHARES * (number + min(share, 1.0)) / len(work.sources))
        task.progress(f"reading {source.name}", done, SHARES if source.size else 0)

    work.read(on_part, on_pages)
    manifest = work.build(task.progress)
    start_on_demand(bench, manifest)
    task.on_done = partial(shutil.rmtree, task.files.staged, ignore_errors=True)
    return {"passages": manifest.passages}
