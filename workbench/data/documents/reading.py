"""People's files become passages: what is read, how it is split, in which languages, and what is wrong with it.

Nothing is kept in memory but the document's part at hand; the passages of a file are held on disk until it is read to
its end, so that a file that breaks off leaves nothing behind. Of the files a new corpus is built; an existing one takes
the documents that it does not have yet.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path

from workbench.core import DataError, Passage
from workbench.data.corpora.build import CorpusManifest, Progress, quiet
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.documents.chunking import (
    DEFAULT,
    DuplicatePair,
    NearDuplicates,
    PassageIds,
    PassageLanguages,
    chunk_method,
    chunks,
    language_hint,
    splitter_of,
)
from workbench.data.documents.furniture import items, left_out_words, mark_furniture
from workbench.data.documents.isolated_reading import (
    DocumentStart,
    FileRequest,
    IsolatedReader,
    OcrRequest,
    Part,
    ReadingWarning,
    Section,
)
from workbench.data.documents.pdf.pdf_pages import is_pdf
from workbench.languages import Detector, language
from workbench.workspace import verb

MEGABYTE, PAGES = 1_000_000, 10
"""Bytes of a text, and pages of a PDF file, between two reports of progress."""
WARNINGS_LIMIT = 1_000
"""Warnings, and pairs of near-duplicates, that are kept; further ones are counted."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files become passages.

    `chunking` names a way of splitting. `language` is that of every document, and `languages` of single ones by name;
    without either it is detected passage by passage. `with_title`: passages carry the document's title, which is
    indexed before the text. `drop_duplicates`: passages that say nearly what an earlier one says are left out.
    `with_furniture`: references, tables of contents, rows of links and running heads become passages, too.
    """

    chunking: str = DEFAULT
    language: str = ""
    languages: Mapping[str, str] = field(default_factory=dict)
    ocr: OcrRequest = field(default_factory=OcrRequest)
    with_title: bool = True
    drop_duplicates: bool = False
    with_furniture: bool = False


@dataclass
class ReadingReport:
    """What came of reading: counts, and sentences for people. `furniture` counts what was left out, by kind."""

    documents: int = 0
    passages: int = 0
    doubtful: int = 0
    characters: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    warnings: list[ReadingWarning] = field(default_factory=list)
    warning_counts: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    duplicates: list[DuplicatePair] = field(default_factory=list)
    duplicate_count: int = 0
    furniture: Counter[str] = field(default_factory=Counter)
    unfinished: list[str] = field(default_factory=list)
    """Files of which no more than the most was to be read."""

    @property
    def left_out(self) -> str:
        """What was left out of passages by kind, in a sentence; "" for nothing."""
        return left_out_words(self.furniture)

    def warn(self, warning: ReadingWarning) -> None:
        """Counts a warning, and keeps it while there are few."""
        self.warning_counts[warning.kind] += 1
        if len(self.warnings) < WARNINGS_LIMIT:
            self.warnings.append(warning)

    def repeat(self, pair: DuplicatePair) -> None:
        """Counts a near-duplicate, and keeps it while there are few."""
        self.duplicate_count += 1
        if len(self.duplicates) < WARNINGS_LIMIT:
            self.duplicates.append(pair)


@dataclass(frozen=True, slots=True)
class ReadingPreview:
    """The first passages of some files, and the report on all of them."""

    passages: Sequence[Passage]
    report: ReadingReport


class DocumentReading:
    """Some files on their way to passages. `report` grows while `passages` is read."""

    def __init__(
        self,
        files: Iterable[Path],
        options: ReadingOptions,
        detector: Detector | None = None,
        *,
        progress: Progress = quiet,
        most: int | None = None,
    ) -> None:
        """Reads nothing yet; `most` passages of a file are read. Raises UsageError for options that are not allowed."""
        self._splitter = splitter_of(chunk_method(options.chunking))
        for code in filter(None, [options.language, *options.languages.values(), *options.ocr.languages]):
            language(code)
        self._files = named_files(files)
        self._options = options
        self._detector = detector or Detector()
        self._progress, self._most = progress, most
        self._duplicates = NearDuplicates()
        self._ids = PassageIds()
        self.report = ReadingReport()

    @property
    def names(self) -> Sequence[str]:
        """The files' names as documents carry them."""
        return tuple(self._files)

    @property
    def files(self) -> Mapping[str, Path]:
        """The files by these names."""
        return self._files

    def passages(self) -> Iterator[Passage]:
        """The passages of all files, those of a file only after it was read to its end.

        A file that cannot be read is named in `report.refused`. Raises DataError where none can.
        """
        with IsolatedReader() as reader:
            of = len(self._files) if len(self._files) > 1 else 0
            for number, (name, path) in enumerate(self._files.items(), start=1):
                self._progress(f"reading {name}{', file' if of else ''}", min(number, of), of)
                yield from self._file(reader, FileRequest(path, name, self._options.ocr))
        if self.report.refused and not self.report.passages:
            raise DataError(next(iter(self.report.refused.values())))

    def _file(self, reader: IsolatedReader, request: FileRequest) -> Iterator[Passage]:
        before = self._ids.copy()
        with tempfile.TemporaryFile("w+", encoding="utf-8", prefix="passages-") as spool:
            warnings: list[ReadingWarning] = []
            left_out: Counter[str] = Counter()
            try:
                with closing(self._read(reader, request, warnings, left_out)) as read:
                    for passage in islice(read, self._most):
                        spool.write(json.dumps(asdict(passage), ensure_ascii=False) + "\n")
                    if self._most is not None and next(read, None):
                        self.report.unfinished.append(request.name)
            except DataError as error:
                self.report.refused[request.name] = str(error)
                self._ids = before
                return
            for warning in warnings:
                self.report.warn(warning)
            self.report.furniture += left_out
            spool.seek(0)
            documents = set()
            for line in spool:
                passage = Passage(**json.loads(line))
                documents.add(passage.document)
                if kept := self._counted(passage):
                    yield kept
            self.report.documents += len(documents)
            if not documents:
                self.report.refused[request.name] = _without_text(request, warnings, left_out)

    def _counted(self, passage: Passage) -> Passage | None:
        """The passage after it was counted and compared; None for one that is left out."""
        pair = self._duplicates.add(passage.id, passage.text)
        if pair:
            self.report.repeat(pair)
            if self._options.drop_duplicates:
                return None
        self.report.passages += 1
        self.report.characters += len(passage.text)
        self.report.languages[passage.language] += 1
        return passage

    def _read(
        self, reader: IsolatedReader, request: FileRequest, warnings: list[ReadingWarning], left_out: Counter[str]
    ) -> Generator[Passage]:
        parts = self._watched(reader.read(request), request)
        start = next((part for part in parts if _starts(part, warnings)), None)
        while isinstance(start, DocumentStart):
            following: list[DocumentStart] = []
            sections = _sections(parts, following, warnings)
            if not self._options.with_furniture:
                sections = _without_furniture(sections, left_out)
            yield from self._document(start, sections)
            start = following[0] if following else None

    def _watched(self, parts: Iterator[Part], request: FileRequest) -> Iterator[Part]:
        """The parts of a file; how far a large one is read is reported: by its pages, or by its megabytes."""
        size, read, pages, before = request.path.stat().st_size // MEGABYTE, 0, 0, 0
        for part in parts:
            if isinstance(part, DocumentStart):
                pages = part.pages
            elif isinstance(part, Section):
                read += len(part.text.encode(errors="replace"))
                at = part.page // PAGES if pages else min(size, read // MEGABYTE)
                if at > before:
                    before = at
                    of = (", page", part.page, pages) if pages else (", MB", at, size)
                    self._progress(f"reading {request.name}{of[0]}", *of[1:])
            yield part

    def _document(self, start: DocumentStart, sections: Iterator[Section]) -> Iterator[Passage]:
        options = self._options
        stated = options.languages.get(start.name, options.language)
        languages = PassageLanguages(self._detector, stated, language_hint(start.language))
        title = (start.title or Path(start.name.partition("#")[0]).stem) if options.with_title else ""
        waiting: Passage | None = None
        placed = (chunk for chunk in chunks(sections, self._splitter) if any(map(str.isalnum, chunk.text)))
        for position, chunk in enumerate(placed):
            passage = Passage(
                id=self._ids.next(start.name, chunk.text),
                document=start.name,
                title=title,
                language=languages.language_of(chunk.text),
                text=chunk.text,
                position=position,
                previous=waiting.id if waiting else "",
                page=chunk.page,
                page_end=chunk.page_end,
                heading=chunk.heading,
            )
            if waiting:
                yield replace(waiting, next=passage.id)
            waiting = passage
        if waiting:
            yield waiting
        self.report.doubtful += languages.doubtful


def preview(files: Iterable[Path], options: ReadingOptions, *, limit: int = 20) -> ReadingPreview:
    """Reads files to their ends and keeps nothing but the first `limit` passages and the report.

    Raises as `DocumentReading` does.
    """
    reading = DocumentReading(files, options)
    first: list[Passage] = []
    for passage in reading.passages():
        if len(first) < limit:
            first.append(passage)
    return ReadingPreview(first, reading.report)


def is_of_files(manifest: CorpusManifest) -> bool:
    """Whether a corpus was made of people's files."""
    return manifest.source.startswith(f"{SOURCE} (")


def corpora_having(library: CorpusLibrary, documents: Collection[str]) -> dict[str, list[str]]:
    """By corpus made of people's files, which of these documents it has by name; none of them: it is left out."""
    having = {}
    for manifest in library.list():
        if is_of_files(manifest):
            table = library.open(manifest.name).table
            if names := [name for name in documents if table.rows_of_documents([name])]:
                having[manifest.name] = names
    return having


def named_files(files: Iterable[Path]) -> dict[str, Path]:
    """Files by the names that their documents carry: the file's name, with as many folders as tell equal ones apart."""
    paths = list(dict.fromkeys(path.absolute() for path in files))
    named: dict[str, Path] = {}
    for path in paths:
        parts = path.parts
        depth = 1
        while any(other != path and other.parts[-depth:] == parts[-depth:] for other in paths) and depth < len(parts):
            depth += 1
        named["/".join(parts[-depth:])] = path
    return named


def _starts(part: Part, warnings: list[ReadingWarning]) -> bool:
    if isinstance(part, ReadingWarning):
        warnings.append(part)
    return isinstance(part, DocumentStart)


def _sections(
    parts: Iterator[Part], following: list[DocumentStart], warnings: list[ReadingWarning]
) -> Iterator[Section]:
    """The sections up to the next document, whose start is put into `following`."""
    for part in parts:
        if isinstance(part, Section):
            yield part
        elif isinstance(part, ReadingWarning):
            warnings.append(part)
        elif isinstance(part, DocumentStart):
            following.append(part)
            return


def _without_furniture(sections: Iterator[Section], left_out: Counter[str]) -> Iterator[Section]:
    """The sections of text; the others are counted. A table of contents is one, however many lines it has."""
    before = None
    for section in mark_furniture(sections):
        if section.furniture is None:
            yield section
        elif section.furniture in ("references", "running head"):
            left_out[section.furniture] += 0 if section.kind == "heading" and not section.is_at_edge else items(section)
        else:
            left_out[section.furniture] += section.furniture != before
        before = section.furniture


def _without_text(request: FileRequest, warnings: Sequence[ReadingWarning], left_out: Counter[str]) -> str:
    if left_out:
        return f"{request.error('has no text but what is left out', 'keep references and the like to add it')}"
    reason = next((warning.message for warning in warnings if warning.kind in ("ocr", "scan", "damaged")), "")
    return f"{reason} Nothing else is in the file.".strip() if reason else str(request.error("has no text"))


SOURCE = "Documents"
"""Begins the source of a corpus that was made of people's files."""
LICENCE = "as the files'"
LISTED = 5
"""Files that a corpus's source names."""


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
    reading = DocumentReading(files, options, detector, progress=progress)
    passages = reading.passages()
    if any(manifest.name == name for manifest in library.list()):
        manifest = library.add_documents(
            name, passages, replaces=replaces, in_all_languages=True, files=lambda: _with_pages(reading)
        )
        return AddedFiles(manifest, reading.report)
    names = ", ".join(reading.names[:LISTED]) + (" …" if len(reading.names) > LISTED else "")
    manifest = library.add(
        name,
        passages,
        source=f"{SOURCE} ({options.chunking}): {names}",
        licence=LICENCE,
        progress=progress,
        files=lambda: _with_pages(reading),
    )
    return AddedFiles(manifest, reading.report)


def _with_pages(reading: DocumentReading) -> dict[str, Path]:
    """The files that are kept with the corpus, since their pages can be shown: PDF files that were read."""
    return {name: path for name, path in reading.files.items() if is_pdf(path) and name not in reading.report.refused}
