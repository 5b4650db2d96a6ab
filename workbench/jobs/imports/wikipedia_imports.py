"""Imports of Wikipedia as jobs, of uploaded files or of those in the folder `incoming`: gone on with after any end.

Whoever runs the server lays files that are too large to upload into that folder of the workspace. People in a browser
choose among them by name; nothing that they type becomes a path.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workbench.app import Workbench
from workbench.core import UsageError, shorten
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
from workbench.jobs.indexing.index_report import index_added
from workbench.workspace import PieceRate, RunningJob, UploadJobs, verb

FOLDER = "incoming"


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """An ordinary file that lies in the folder itself, with its size in bytes."""

    name: str
    size: int


def incoming_folder(home: Path) -> Path:
    """The folder for such files, whether or not it exists."""
    return home / FOLDER


def incoming_files(home: Path) -> list[IncomingFile]:
    """The files by name. Folders, links to elsewhere, special and hidden files are not among them."""
    folder = incoming_folder(home)
    if folder.is_symlink() or not folder.is_dir():
        return []
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and _is_ordinary(path))
    return [IncomingFile(path.name, path.stat().st_size) for path in paths]


def incoming_path(home: Path, name: str) -> Path:
    """The path of the file called `name`. Raises UsageError where `incoming_files` does not list it."""
    if all(name != item.name for item in incoming_files(home)):
        raise UsageError(
            f"There is no file “{shorten(name)}” in the folder “{FOLDER}” of the workspace. Allowed: the files listed."
        )
    return incoming_folder(home) / name


def _is_ordinary(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


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
            raise UsageError(f"An import of “{name}” was begun already. Resume it, or discard it first.")
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
    index_added(bench, manifest)
    task.on_done = partial(shutil.rmtree, task.files.staged, ignore_errors=True)
    return {"passages": manifest.passages}
