"""Uploaded documents as jobs: staged, previewed and added to a corpus, which stays as it was until all are read."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.data import DEFAULT, OcrRequest, ReadingOptions, add_files, checked_name
from workbench.jobs.imports.intake_preview import read_preview, write_preview
from workbench.jobs.indexing.index_report import start_on_demand
from workbench.workspace import RunningJob, UploadJobs, verb

Verb = Literal["preview", "add"]
OcrPages = Literal["missing", "all", "off"]


@dataclass(frozen=True, slots=True)
class IntakeChoices:
    """What becomes of the files: the corpus, which is new or takes them, and how they are read.

    `languages` are those of single documents by name, `language` that of all others ("": detected by passage).
    `replaces`: documents of the same name are replaced in a corpus that has them with another text.
    """

    corpus: str = ""
    replaces: bool = False
    chunking: str = DEFAULT
    with_title: bool = True
    drop_duplicates: bool = False
    ocr: OcrPages = "missing"
    language: str = ""
    languages: Mapping[str, str] = field(default_factory=dict)

    @property
    def reading(self) -> ReadingOptions:
        """How the files are read. Pages are recognised in the documents' languages, where these are stated."""
        stated = dict.fromkeys(filter(None, [self.language, *self.languages.values()]))
        return ReadingOptions(
            chunking=self.chunking,
            language=self.language,
            languages=dict(self.languages),
            ocr=OcrRequest(self.ocr, tuple(stated)),
            with_title=self.with_title,
            drop_duplicates=self.drop_duplicates,
        )

    def reads_as(self, other: IntakeChoices) -> bool:
        """Whether both read the files alike, into whatever corpus."""
        return replace(self, corpus="", replaces=False) == replace(other, corpus="", replaces=False)


@dataclass(frozen=True, slots=True)
class IntakeParameters:
    """What is done with the files of a job, and how."""

    verb: Verb = "preview"
    choices: IntakeChoices = field(default_factory=IntakeChoices)


class IntakeJobs(UploadJobs):
    """The uploads of a workspace."""

    kind = "documents"

    def preview(self, job_id: str) -> Path:
        """Where the preview of a job's files is, as JSON."""
        return self.files(job_id).folder / "preview.json"

    @verb("imports.change", "{job_id}")
    def stage(self, files: Iterable[tuple[str, bytes | memoryview]], job_id: str = "") -> str:
        """As for every upload; names have no folders, and the preview of a job that gets files is gone."""

        def named() -> Iterable[tuple[str, bytes | memoryview]]:
            for name, data in files:
                if name != Path(name).name:
                    raise UsageError("A file's name must not contain a folder.")
                yield name, data

        job_id = super().stage(named(), job_id)
        self.preview(job_id).unlink(missing_ok=True)
        return job_id

    @verb("corpora.add", "{choices.corpus}")
    def start(self, job_id: str, verb: Verb, choices: IntakeChoices) -> bool:
        """Starts a process that previews the files of a job or adds them; False where one is at work already.

        Raises UsageError where the files are gone, and for choices that are not allowed.
        """
        if not self.files(job_id).paths():
            raise UsageError("The uploaded files are gone. Add them again.")
        return self.launch(job_id, IntakeParameters(verb, choices), title=choices.corpus)


def run_intake(task: RunningJob, parameters: IntakeParameters) -> Mapping[str, Any] | None:
    """Previews the files of a job or adds them; the result has the corpus, what it got, and sentences by file."""
    jobs, files, choices = IntakeJobs(task.settings), task.files, parameters.choices
    if parameters.verb == "preview":

        def watch(document: str, passages: int) -> None:
            task.progress(f"reading {document}", passages, 0)

        write_preview(jobs.preview(task.job.id), read_preview(files.paths(), choices.reading, watch))
        return None
    bench = Workbench(task.settings)
    checked_name(choices.corpus, "corpus")
    added = add_files(
        bench.library,
        choices.corpus,
        files.paths(),
        choices.reading,
        replaces=choices.replaces,
        progress=task.progress,
    )
    start_on_demand(bench, added.manifest)
    # What is kept of the files is with the corpus by then.
    task.on_done = partial(shutil.rmtree, files.folder, ignore_errors=True)
    return {
        "corpus": added.manifest.name,
        "documents": added.report.documents,
        "passages": added.report.passages,
        "refused": dict(added.report.refused),
    }
