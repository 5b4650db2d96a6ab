"""Files into a corpus: a new one is built, an existing one takes the documents that it does not have yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core import Passage
from workbench.data.corpora.build import Progress, quiet
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.corpora.manifest import CorpusManifest
from workbench.data.documents.pdf.pdf_pages import is_pdf
from workbench.data.documents.reading import DocumentReading, ReadingOptions, ReadingReport
from workbench.languages import Detector
from workbench.workspace import verb

LICENCE = "as the files'"
LISTED = 5
"""Files that a corpus's source names."""
REPORTED = 500
"""Passages of one document between two reports of progress."""


@dataclass(frozen=True, slots=True)
class AddedFiles:
    """The corpus after files were added, and the report on their reading."""

    manifest: CorpusManifest
    report: ReadingReport


@verb("corpora.add", "{name}")
def add_files(
    library: CorpusLibrary,
    name: str,
    files: Iterable[Path],
    options: ReadingOptions,
    *,
    replaces: bool = False,
    detector: Detector | None = None,
    progress: Progress = quiet,
) -> AddedFiles:
    """Adds files to the corpus called `name`, or builds it from them; all of them in one version, or none.

    Documents that the corpus has with the same text are passed over; `replaces`: those with another text are replaced.
    Files that cannot be read are named in the report. Raises UsageError for a name or options that are not allowed,
    DataError where no file can be read, and for a document that is there with another text, without `replaces`.
    """
    checked_name(name, "corpus")
    reading = DocumentReading(files, options, detector)
    passages = _counted(reading, progress)
    if any(manifest.name == name for manifest in library.list()):
        manifest = library.add_documents(
            name, passages, replaces=replaces, in_all_languages=True, files=lambda: _with_pages(reading)
        )
        return AddedFiles(manifest, reading.report)
    source = ", ".join(reading.names[:LISTED]) + (" …" if len(reading.names) > LISTED else "")
    manifest = library.add(
        name,
        passages,
        source=f"Documents ({options.chunking}): {source}",
        licence=LICENCE,
        progress=progress,
        files=lambda: _with_pages(reading),
    )
    return AddedFiles(manifest, reading.report)


def _with_pages(reading: DocumentReading) -> dict[str, Path]:
    """The files that are kept with the corpus, since their pages can be shown: PDF files that were read."""
    return {name: path for name, path in reading.files.items() if is_pdf(path) and name not in reading.report.refused}


def _counted(reading: DocumentReading, progress: Progress) -> Iterator[Passage]:
    document = ""
    for number, passage in enumerate(reading.passages(), start=1):
        if number % REPORTED == 0 or passage.document != document:
            document = passage.document
            progress("reading documents", number, 0)
        yield passage
