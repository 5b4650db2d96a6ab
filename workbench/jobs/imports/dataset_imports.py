"""Imports of datasets as jobs: their files are staged, and a process of its own reads, checks and stores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from workbench.core import UsageError, file_fingerprint
from workbench.data import HEADER, Existing, checked_name
from workbench.jobs.folder_jobs import FolderJobs
from workbench.jobs.imports.dataset_source import DatasetSource
from workbench.jobs.job_folder import WorkStatus
from workbench.workspace import verb


@dataclass(frozen=True, slots=True)
class DatasetRequest:
    """What to import, and the dataset's name. `limit` questions of each language (0: all) are taken, by `seed`.

    `existing` decides about questions in a language that the dataset has.
    """

    name: str = ""
    source: DatasetSource = field(default_factory=DatasetSource)
    limit: int = 0
    seed: int = 0
    existing: Existing = ""


@dataclass(frozen=True, slots=True)
class DatasetImportStatus(WorkStatus):
    """How an import stands. `before` is the fingerprint of the dataset's header as the import found it.

    `summary` and `corpus` ("": there is none) are the result once it is done.
    """

    request: DatasetRequest = field(default_factory=DatasetRequest)
    before: str = ""
    summary: str = ""
    corpus: str = ""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The status of values as they were written. Raises ValueError, TypeError, KeyError for others."""
        request = values["request"]
        request = DatasetRequest(**{**request, "source": DatasetSource.from_json(request["source"])})
        # In full: a dataclass with slots is a class made anew, which the short form does not know.
        return super(DatasetImportStatus, cls).from_json({**values, "request": request})


@dataclass(frozen=True, slots=True)
class DatasetImports(FolderJobs[DatasetImportStatus]):
    """The imports of datasets in a workspace."""

    folder_name = "imports"
    worker = "workbench.jobs.imports.dataset_import_worker"
    gone = "There is no such import. Begin it again."
    busy = "This import is under way. Stop it first, or wait for the end."

    def kind(self) -> type[DatasetImportStatus]:
        """The class of the imports' statuses."""
        return DatasetImportStatus

    @verb("datasets.add", "{request.name}")
    def start(self, job: str, request: DatasetRequest) -> bool:
        """Starts importing what was staged as `job`; False where a process is at work on it already.

        Former imports under the same name that came to nothing are removed. Raises UsageError for a name that is not
        allowed or of a dataset that is being imported.
        """
        checked_name(request.name, "dataset")
        others = [item for item in self.list() if item.request.name == request.name and item.job != job]
        if any(item.active for item in others):
            raise UsageError(f"The dataset “{request.name}” is being imported already. Wait for the end, or stop that.")
        before = self.header(request.name)
        begun = self.begin(job, lambda status: replace(status, request=request, before=before))
        for item in others:
            if item.state != "done":
                self.discard(item.job)
        return begun

    @verb("datasets.add", "{job}")
    def go_on(self, job: str) -> bool:
        """Begins an import that came to nothing again; False where a process is at work on it already."""
        return self.begin(job, lambda status: status)

    def header(self, name: str) -> str:
        """The fingerprint of a dataset's header, which every change of the dataset changes; "" where there is none."""
        path = Path(self.settings.datasets) / name / HEADER
        return file_fingerprint(path) if path.is_file() else ""
