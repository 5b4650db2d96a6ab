"""What files would become: their first passages, their documents, languages, near-duplicates and warnings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from workbench.core import DataError, Passage
from workbench.data import DocumentReading, ReadingOptions, citation
from workbench.workspace import atomic

FIRST = 12
"""Passages of a preview."""
DOCUMENTS = 200
"""Documents, warnings and pairs of near-duplicates that are listed; further ones are counted."""
PLACES = 200_000
"""Passages whose places are kept for the near-duplicates."""

Watch = Callable[[str, int], None]
"""Called with the document at hand and the number of passages so far."""


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
    detected surely.
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


def read_preview(files: Iterable[Path], options: ReadingOptions, watch: Watch) -> IntakePreview:
    """Reads files to their ends and counts. Raises UsageError for options that are not allowed."""
    reading = DocumentReading(files, options)
    first: list[Passage] = []
    documents: dict[str, PreviewedDocument] = {}
    places: dict[str, str] = {}
    count = 0
    try:
        for count, passage in enumerate(reading.passages(), start=1):
            watch(passage.document, count)
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
