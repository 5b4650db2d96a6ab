"""Imports of datasets as jobs: their files are staged, and a process of its own reads, checks and stores them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from workbench.app import Workbench
from workbench.core import UsageError, file_fingerprint
from workbench.data import (
    HEADER,
    Collection,
    CorpusLibrary,
    DatasetLibrary,
    Existing,
    Folder,
    ImportResult,
    Remote,
    checked_name,
    dataset_format,
    import_collection,
    read_dataset,
)
from workbench.jobs.indexing.index_report import index_added
from workbench.workspace import RunningJob, Settings, UploadJobs, verb


@dataclass(frozen=True, slots=True)
class DatasetSource:
    """What is read: a format, the values of its options, and the uploaded folder or the name of a remote dataset.

    Its values are plain, so that it can be stored with its job and read by another process.
    """

    kind: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


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
class DatasetParameters:
    """What to import, and the fingerprint of the dataset's header as the import found it."""

    request: DatasetRequest = field(default_factory=DatasetRequest)
    before: str = ""


class DatasetImports(UploadJobs):
    """The imports of datasets in a workspace; a job's title is the dataset's name."""

    kind = "dataset"

    @verb("datasets.add", "{request.name}")
    def start(self, job_id: str, request: DatasetRequest) -> bool:
        """Starts importing what was staged as a job; False where a process is at work on it already.

        Former imports under the same name that came to nothing are removed. Raises UsageError for a name that is not
        allowed or of a dataset that is being imported.
        """
        checked_name(request.name, "dataset")
        others = [job for job in self.all() if job.title == request.name and job.id != job_id]
        if any(job.active for job in others):
            raise UsageError(
                f"The dataset “{request.name}” is already being imported. Wait for it to finish, or stop it."
            )
        parameters = DatasetParameters(request, header(self.settings, request.name))
        begun = self.launch(job_id, parameters, title=request.name)
        for job in others:
            if job.state != "done":
                self.discard(job.id)
        return begun


def header(settings: Settings, name: str) -> str:
    """The fingerprint of a dataset's header, which every change of the dataset changes; "" where there is none."""
    path = Path(settings.datasets) / name / HEADER
    return file_fingerprint(path) if path.is_file() else ""


def run_dataset_import(task: RunningJob, parameters: DatasetParameters) -> Mapping[str, Any]:
    """Reads and checks everything, then stores the dataset and its corpus; the result has both in a summary.

    A stop leaves the workspace as it was.
    """
    bench, request = Workbench(task.settings), parameters.request
    if request.existing == "add" and header(task.settings, request.name) != parameters.before:
        # An attempt that was killed at its very end has added the questions.
        raise UsageError(
            f"The dataset “{request.name}” was changed since this import began, perhaps by the import itself: look "
            "at its questions before you add these, so that none is there twice."
        )
    task.progress("reading and checking", 0, 0)
    collection = open_source(request.source, task.files.staged, bench.library)
    result = import_collection(
        bench.library,
        DatasetLibrary(task.settings.datasets),
        collection,
        request.name,
        limit=request.limit or None,
        seed=request.seed,
        existing=request.existing,
        progress=task.progress,
    )
    if result.corpus is not None:
        index_added(bench, result.corpus)
    task.on_done = partial(shutil.rmtree, task.files.staged, ignore_errors=True)
    return {"summary": summary(result), "corpus": result.dataset.corpus}


def open_source(source: DatasetSource, staged: Path, corpora: CorpusLibrary) -> Collection:
    """Reads and checks a source, whose files are in the folder `staged`.

    Each is in a folder named by its number, or all are there by their paths. They must stay until the import is
    complete, since passages are read more than once.

    Raises UsageError for a format that does not exist and files that are gone, and what the format's reader raises.
    """
    form = dataset_format(source.kind)
    # The path of a further file is for the command line alone: here it would be a path on the server.
    paths = {option.name for option in form.options if option.kind == "file"}
    options = {name: value for name, value in source.options.items() if name not in paths}
    if isinstance(form.source, Remote):
        return read_dataset(form, source.name, options, corpora)
    if not staged.is_dir():
        raise UsageError("The uploaded files are gone. Add them again.")
    if isinstance(form.source, Folder):
        return read_dataset(form, staged / source.name, options, corpora)
    numbered = sorted(
        (entry for entry in staged.iterdir() if entry.name.isdecimal()), key=lambda entry: int(entry.name)
    )
    files = [path for folder in numbered for path in folder.iterdir()]
    return read_dataset(form, files if form.source.several else files[0], options, corpora)


def summary(result: ImportResult) -> str:
    """The result of an import in sentences: questions, passages, what was left out and what may not be meant so."""
    counts = ", ".join(f"{code} {count:,}" for code, count in result.dataset.languages.items())
    parts = [f"Dataset “{result.dataset.name}” now has these questions: {counts}."]
    if result.corpus:
        parts.append(f"Corpus “{result.corpus.name}” has {result.corpus.passages:,} passages.")
    left_out = "; ".join(f"{count:,} {reason}" for reason, count in result.left_out.items())
    parts.append(f"Left out: {left_out}." if left_out else "None left out.")
    return " ".join([*parts, *result.warnings])
