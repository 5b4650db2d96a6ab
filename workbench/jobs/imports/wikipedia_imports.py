"""Imports of Wikipedia as jobs, of uploaded files or of those in the folder `incoming`: gone on with after any end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from workbench.core import UsageError
from workbench.data import SAMPLE, CorpusLibrary, WikipediaImport, checked_name, forget_work
from workbench.jobs.folder_jobs import FolderJobs
from workbench.jobs.imports.incoming import incoming_path
from workbench.jobs.job_folder import WorkStatus
from workbench.workspace import verb


@dataclass(frozen=True, slots=True)
class WikipediaRequest:
    """The corpus to make. `files` and `links` ("": none) are names, of uploaded files first, else of incoming ones."""

    name: str = ""
    files: tuple[str, ...] = ()
    links: str = ""
    chunking: str = ""


@dataclass(frozen=True, slots=True)
class WikipediaStatus(WorkStatus):
    """How an import stands: `articles` and `passages` of the complete parts, `rate` in pages per second.

    `rate` is 0 until it is known. While files are read, `done` of `total` are thousandths of all files.
    """

    request: WikipediaRequest = field(default_factory=WikipediaRequest)
    articles: int = 0
    passages: int = 0
    rate: float = 0.0

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The status of values as they were written. Raises ValueError, TypeError, KeyError for others."""
        request = values["request"]
        request = WikipediaRequest(**{**request, "files": tuple(request["files"])})
        # In full: a dataclass with slots is a class made anew, which the short form does not know.
        return super(WikipediaStatus, cls).from_json({**values, "request": request})


@dataclass(frozen=True, slots=True)
class WikipediaImports(FolderJobs[WikipediaStatus]):
    """The imports of Wikipedia in a workspace."""

    folder_name = "wikipedia-imports"
    worker = "workbench.jobs.imports.wikipedia_worker"
    gone = "There is no such import. Begin it again."
    busy = "This import is under way. Stop it first, or wait for the end."

    def kind(self) -> type[WikipediaStatus]:
        """The class of the imports' statuses."""
        return WikipediaStatus

    @verb("corpora.add", "{request.name}")
    def start(self, job: str, request: WikipediaRequest) -> bool:
        """Starts making a new corpus of what was staged as `job` and of incoming files.

        Raises UsageError for a name that is not allowed or taken, and for files that are not Wikipedia's.
        """
        name = checked_name(request.name, "corpus")
        if name == SAMPLE or any(item.name == name for item in CorpusLibrary(self.settings.corpora).list()):
            raise UsageError(f"There is a corpus “{name}” already. Choose another name, for example: {name}-2")
        if any(item.request.name == name and item.state != "done" and item.job != job for item in self._begun()):
            raise UsageError(f"An import of “{name}” was begun already. Go on with it, or discard it first.")
        self.work(job, request)
        return self.begin(job, lambda status: replace(status, request=request))

    @verb("corpora.add", "{job}")
    def go_on(self, job: str) -> bool:
        """Goes on with an import where it was left; False where a process is at work on it already."""
        return self.begin(job, lambda status: status)

    @verb("imports.change", "{job}")
    def discard(self, job: str) -> None:
        """As for every job; what was read for a corpus that is not complete is deleted as well."""
        status = self.status(job)
        FolderJobs.discard(self, job)
        if status is not None and status.request.name and status.state not in ("staged", "done"):
            forget_work(self.settings.home, status.request.name)

    def work(self, job: str, request: WikipediaRequest) -> WikipediaImport:
        """What is to be done for a job. Raises UsageError for files that are gone or not Wikipedia's."""
        return WikipediaImport(
            CorpusLibrary(self.settings.corpora),
            self.settings.home,
            request.name,
            [self._path(job, name) for name in request.files],
            self._path(job, request.links) if request.links else None,
            request.chunking,
        )

    def _path(self, job: str, name: str) -> Path:
        staged = self.files(job).staged
        names = {path.name: path for path in staged.iterdir()} if staged.is_dir() else {}
        return names.get(name) or incoming_path(self.settings.home, name)

    def _begun(self) -> list[WikipediaStatus]:
        return [item for item in self.list() if item.state != "staged"]
