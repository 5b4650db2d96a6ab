"""Uploaded documents as jobs: staged, previewed and added to a corpus, which stays as it was until all are read.

A preview says what the files would become: first passages, documents, languages, near-duplicates and warnings.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from workbench.app import Workbench
from workbench.core import DataError, Passage, UsageError
from workbench.data import (
    DEFAULT,
    DocumentReading,
    OcrRequest,
    Progress,
    ReadingOptions,
    add_files,
    checked_name,
    citation,
    corpora_having,
    quiet,
)
from workbench.jobs.indexing.index_report import index_added
from workbench.workspace import RunningJob, UploadJobs, atomic, verb

FIRST = 12
"""Passages of a preview."""
DOCUMENTS = 200
"""Documents, warnings and pairs of near-duplicates that are listed; further ones are counted."""
PLACES = 200_000
"""Passages whose places are kept for the near-duplicates."""
PREVIEWED = 2_000
"""Passages of a file that a preview reads: a few seconds' work, while reading 33 MB takes a minute."""


@dataclass
class PreviewedDocument:
    """A document as it would be added: its pages (0: it has none), its passages, and these by language."""

    name: str
    pages: int = 0
    passages: int = 0
    languages: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class IntakePreview:
    """The preview of some files. `documents` are the first ones, `document_count` counts all of them.

    `duplicates` are pairs of places with their similarity in 0 to 1; `doubtful` counts passages whose language was not
    detected surely; `left_out` says what of the documents is in no passage. Of the files `unfinished` only the
    beginning was read. `having`: by corpus of people's files, which of the documents it has by name.
    """

    passages: Sequence[Passage] = ()
    documents: Sequence[PreviewedDocument] = ()
    document_count: int = 0
    passage_count: int = 0
    doubtful: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    warning_count: int = 0
    refused: Mapping[str, str] = field(default_factory=dict)
    duplicates: Sequence[tuple[str, str, float]] = ()
    duplicate_count: int = 0
    left_out: str = ""
    unfinished: Sequence[str] = ()
    having: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_preview(files: Iterable[Path], options: ReadingOptions, progress: Progress = quiet) -> IntakePreview:
    """Reads files, of each no more than `PREVIEWED` passages, and counts. Raises UsageError for forbidden options."""
    reading = DocumentReading(files, options, progress=progress, most=PREVIEWED)
    first: list[Passage] = []
    documents: dict[str, PreviewedDocument] = {}
    places: dict[str, str] = {}
    count = 0
    try:
        for count, passage in enumerate(reading.passages(), start=1):
            if len(first) < FIRST:
                first.append(passage)
            if count <= PLACES:
                places[passage.id] = citation(passage)
            if passage.document in documents or len(documents) < DOCUMENTS:
                entry = documents.setdefault(passage.document, PreviewedDocument(passage.document))
                entry.passages += 1
                entry.pages = max(entry.pages, passage.page_end)
                entry.languages[passage.language] = entry.languages.get(passage.language, 0) + 1
    except DataError:
        # None of the files can be read: the report names the reason for each.
        if not reading.report.refused:
            raise
    report = reading.report
    return IntakePreview(
        passages=first,
        documents=list(documents.values()),
        document_count=report.documents,
        passage_count=count,
        doubtful=report.doubtful,
        languages=dict(report.languages.most_common()),
        warnings=[warning.message for warning in report.warnings[:DOCUMENTS]],
        warning_count=report.warning_counts.total(),
        refused=report.refused,
        duplicates=[
            (places.get(pair.first, pair.first), places.get(pair.second, pair.second), pair.similarity)
            for pair in report.duplicates[:DOCUMENTS]
        ],
        duplicate_count=report.duplicate_count,
        left_out=report.left_out,
        unfinished=report.unfinished,
    )


def write_preview(path: Path, preview: IntakePreview) -> None:
    """Stores a preview as JSON, atomically."""
    atomic.write_text(path, json.dumps(asdict(preview), ensure_ascii=False) + "\n")


def stored_preview(path: Path) -> IntakePreview | None:
    """The preview as it was stored, None where there is none."""
    try:
        values = json.loads(path.read_bytes())
        values["passages"] = [Passage(**item) for item in values["passages"]]
        values["documents"] = [PreviewedDocument(**item) for item in values["documents"]]
        values["duplicates"] = [(str(one), str(other), float(share)) for one, other, share in values["duplicates"]]
        return IntakePreview(**values)
    except (OSError, ValueError, TypeError, KeyError):
        return None


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
    with_furniture: bool = False
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
            with_furniture=self.with_furniture,
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
        if verb == "add":
            checked_name(choices.corpus, "corpus")
        return self.launch(job_id, IntakeParameters(verb, choices), title=choices.corpus)


def run_intake(task: RunningJob, parameters: IntakeParameters) -> Mapping[str, Any] | None:
    """Previews the files of a job or adds them; the result has the corpus, what it got, and sentences by file."""
    jobs, files, choices = IntakeJobs(task.settings), task.files, parameters.choices
    bench = Workbench(task.settings)
    if parameters.verb == "preview":
        preview = read_preview(files.paths(), choices.reading, task.progress)
        having = corpora_having(bench.library, [document.name for document in preview.documents])
        write_preview(jobs.preview(task.job.id), replace(preview, having=having))
        return None
    checked_name(choices.corpus, "corpus")
    added = add_files(
        bench.library,
        choices.corpus,
        files.paths(),
        choices.reading,
        replaces=choices.replaces,
        progress=task.progress,
    )
    index_added(bench, added.manifest)
    # What is kept of the files is with the corpus by then.
    task.on_done = partial(shutil.rmtree, files.folder, ignore_errors=True)
    return {
        "corpus": added.manifest.name,
        "documents": added.report.documents,
        "passages": added.report.passages,
        "refused": dict(added.report.refused),
        "left_out": added.report.left_out,
    }
