"""A corpus, a dataset or a cited page as people look at it: a page of rows, and those with the words of a search.

Nothing but the page is in memory: rows are counted a batch of the table at a time, a search reads the best hits of the
lexical index, and questions are read one at a time. Words are compared in the form of the lexical index
(`languages.normalise.search_form`), so case, width, points and the digits of other scripts make no difference. A word
may be part of a longer one; all of them must occur.

A passage is cited by its file and page, and shown on the image of its page, with boxes around the sentences that an
answer rests on.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from PIL import Image, ImageChops, ImageDraw

from workbench.core import (
    BY_PAGE,
    Evidence,
    Passage,
    Query,
    Question,
    Span,
    UsageError,
    page_name,
    shorten,
    unknown_name,
)
from workbench.data.corpora.build import file_of
from workbench.data.corpora.corpus import Corpus
from workbench.data.datasets.dataset_library import DatasetInfo, DatasetLibrary
from workbench.data.documents.isolated_reading import FileRequest, IsolatedReader, ShownPage
from workbench.languages import search_form
from workbench.workspace import QUESTION_LIMIT


@dataclass(frozen=True)
class WordSearch:
    """A search by words. Raises UsageError for one that is longer than a question may be."""

    text: str = ""

    def __post_init__(self) -> None:
        """Checks the length."""
        if len(self.text) > QUESTION_LIMIT:
            raise UsageError(f"The search has {len(self.text):,} characters. Allowed: {QUESTION_LIMIT:,}.")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in the form in which they are compared; () where everything matches."""
        return tuple(dict.fromkeys(search_form(self.text).split()))

    def matches(self, *texts: str) -> bool:
        """Whether each word occurs in one of the texts or in another.

        >>> WordSearch("MARCONI 1909").matches("Guglielmo Marconi", "in 1909"), WordSearch("x").matches("y")
        (True, False)
        """
        if not self.words:
            return True
        form = search_form("\n".join(texts))
        return all(word in form for word in self.words)


SEARCHED = 1_000
"""The hits of the lexical index, best first, among which a search looks."""


@dataclass(frozen=True, slots=True)
class PassagePage:
    """Some of the `total` passages. `complete` False: a search found more than it looks at."""

    passages: Sequence[Passage]
    total: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document by its first passage: its id, its title, its language, and how many passages it has in a row.

    `pages` is the last page of these; 0 where it has none.
    """

    id: str
    title: str
    language: str
    passages: int
    pages: int = 0


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Some of the `total` documents, in the order of the corpus."""

    documents: Sequence[DocumentEntry]
    total: int


def passage_page(
    corpus: Corpus, *, language: str = "", document: str = "", search: str = "", start: int = 0, limit: int = 20
) -> PassagePage:
    """Return the passages numbered `start` (from 0) to `start + limit` in a language ("": all) and document ("": all).

    Without a search they are in the corpus's order; with one, those that contain all of its words, best first, and
    before them the one whose id it is. Raises UsageError for a language that the corpus does not have, and DataError
    for damaged passages.
    """
    _check_language(corpus, language)
    if not WordSearch(search).words:
        rows, total = corpus.table.rows_where(language=language, document=document, start=start, limit=limit)
        return PassagePage(corpus.table.passages(rows), total)
    matches, complete = _matches(corpus, WordSearch(search), language, document)
    return PassagePage(matches[start : start + limit], len(matches), complete)


def document_page(corpus: Corpus, *, language: str = "", start: int = 0, limit: int = 20) -> DocumentPage:
    """Return the documents numbered `start` (from 0) to `start + limit` in a language ("": all).

    Passages of one document in one language follow each other. Raises as `passage_page` does.
    """
    _check_language(corpus, language)
    runs, total = corpus.table.document_runs(language=language, start=start, limit=limit)
    first = corpus.table.passages([row for row, _ in runs])
    last = corpus.table.passages([row + count - 1 for row, count in runs])
    entries = [
        DocumentEntry(item.document, item.title, item.language, count, end.page_end)
        for item, end, (_, count) in zip(first, last, runs, strict=True)
    ]
    return DocumentPage(entries, total)


def passage_of(corpus: Corpus, passage_id: str) -> Passage:
    """Return the passage with an id. Raises UsageError where the corpus has none, DataError for damaged passages."""
    rows = corpus.lexical.rows_of([passage_id])
    if not rows:
        raise UsageError(f"The corpus “{corpus.manifest.name}” has no passage “{shorten(passage_id)}”.")
    (passage,) = corpus.table.passages(list(rows.values()))
    return passage


def _check_language(corpus: Corpus, language: str) -> None:
    if language and language not in corpus.languages:
        raise unknown_name(f"language of corpus “{corpus.manifest.name}”", language, corpus.languages)


def _matches(corpus: Corpus, search: WordSearch, language: str, document: str) -> tuple[list[Passage], bool]:
    languages = (language,) if language else corpus.languages
    (ranking,) = corpus.lexical.retrieve([Query(search.text, language, languages)], SEARCHED)
    named = corpus.lexical.rows_of([search.text.strip()])
    rows = dict.fromkeys([*named.values(), *(hit.row for hit in ranking)])
    passages = [
        item
        for item in corpus.table.passages(list(rows))
        if (item.id in named or search.matches(item.title, item.text))
        and (not language or item.language == language)
        and (not document or item.document == document)
    ]
    return passages, len(ranking) < SEARCHED


GOLD_LIMIT = 200
"""Gold passages of one question that are named."""


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Some of the `total` questions, in the order of the dataset."""

    questions: Sequence[Question]
    total: int


def question_page(
    datasets: DatasetLibrary, name: str, *, language: str = "", search: str = "", start: int = 0, limit: int = 20
) -> QuestionPage:
    """Return the questions numbered `start` (from 0) to `start + limit` in a language ("": all, one after another).

    With a search, those that contain all of its words in their text, gold answers or id. Gold groups stay groups.
    Raises UsageError for an unknown dataset or language, DataError for damaged questions.
    """
    info = datasets.info(name)
    words = WordSearch(search)
    languages = [language] if language else list(info.languages)
    if words.words:
        return _question_matches(datasets, name, languages, words, start, limit)
    page: list[Question] = []
    total = 0
    for code in languages:
        # An unknown language is not among the counts, and reported by `each_question`.
        count = info.languages.get(code, limit)
        if len(page) < limit and start < total + count:
            for question in datasets.each_question(name, code, max(0, start - total)):
                page.append(question)
                if len(page) == limit:
                    break
        total += count
    return QuestionPage(page, total)


def gold_passages(info: DatasetInfo, question: Question, corpus_languages: Sequence[str]) -> Sequence[str]:
    """Return the ids of a question's gold passages, GOLD_LIMIT at most; of a group, those in the question's language.

    Where gold is by page, the names of its gold pages. Where the corpus does not have that language, a group's passages
    in its first language are named.
    """
    if info.gold_level == BY_PAGE:
        return [page_name(key) for key in question.gold[:GOLD_LIMIT]]
    if not info.aligned:
        return question.gold[:GOLD_LIMIT]
    languages = [question.language] if question.language in corpus_languages else list(corpus_languages[:1])
    return [f"{group}.{code}" for group in question.gold[:GOLD_LIMIT] for code in languages]


def in_every_language(datasets: DatasetLibrary, name: str, question_id: str) -> dict[str, Question]:
    """Return the question with an id in each language that has it, by language. Gold groups stay groups.

    Raises UsageError for an unknown dataset, DataError for damaged questions.
    """
    translations: dict[str, Question] = {}
    for code in datasets.info(name).languages:
        for question in datasets.each_question(name, code):
            if question.id == question_id:
                translations[code] = question
                break
    return translations


def _question_matches(
    datasets: DatasetLibrary, name: str, languages: Sequence[str], search: WordSearch, start: int, limit: int
) -> QuestionPage:
    page: list[Question] = []
    total = 0
    for code in languages:
        for question in datasets.each_question(name, code):
            if search.matches(question.id, question.text, *question.answers):
                if start <= total < start + limit:
                    page.append(question)
                total += 1
    return QuestionPage(page, total)


ENDINGS = (
    "pdf", "docx", "docm", "pptx", "pptm", "xlsx", "xlsm", "csv", "tsv", "tab", "html", "htm", "xhtml", "md",
    "markdown", "txt", "text", "rst", "log", "jsonl", "ndjson", "epub", "zip",
)  # fmt: skip
"""The endings of the files that are read, without their dots."""


def citation(passage: Passage) -> str:
    """The file of a passage with its page or pages; "" for a passage that did not come from a file of one's.

    >>> citation(Passage("a", "report.pdf", "", "en", "Text", page=7, page_end=8))
    'report.pdf, pages 7 to 8'
    """
    if not is_from_file(passage):
        return ""
    if not passage.page:
        return passage.document
    if passage.page_end <= passage.page:
        return f"{passage.document}, page {passage.page:,}"
    return f"{passage.document}, pages {passage.page:,} to {passage.page_end:,}"


def is_from_file(passage: Passage) -> bool:
    """Whether the passage's document is a file, or a part of one."""
    if passage.page:
        return True
    name = passage.document.partition("#")[0]
    return PurePosixPath(name).suffix.lower().removeprefix(".") in ENDINGS


PEN = (255, 225, 90)
SHOWN = 4
"""The first pages of a passage, which are looked at; few passages are on more than two."""
AROUND = 2
"""Pixels of the mark around a box."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """The pages of a file on which a passage is, and the sentences to mark; the passage itself where there are none."""

    file: Path
    document: str
    first: int
    last: int
    sentences: tuple[str, ...]

    @property
    def numbers(self) -> Sequence[int]:
        """The pages of the passage, from 1."""
        return range(self.first, max(self.first, self.last) + 1)


def cited_page(corpus: Corpus, evidence: Evidence, spans: Iterable[Span]) -> CitedPage | None:
    """The page of a document, None where it has none or its file is not kept.

    `spans` are in the text that the generator read: in a translation they mark nothing on the page, and the passage is
    marked.
    """
    passage = evidence.passage
    file = file_of(corpus.folder, passage.document) if passage.page else None
    if file is None:
        return None
    return CitedPage(file, passage.document, passage.page, passage.page_end, _sentences(passage, evidence, spans))


def page_images(cited: CitedPage) -> list[tuple[int, ShownPage]]:
    """The pages that have some of the sentences, by number with their image; the passage's first page where none has.

    Raises DataError where the file cannot be read.
    """
    pages: list[tuple[int, ShownPage]] = []
    with IsolatedReader() as reader:
        for number in cited.numbers[:SHOWN]:
            request = FileRequest(cited.file, cited.document)
            shown = [reader.shown_page(request, number, sentence) for sentence in cited.sentences]
            pages.append((number, ShownPage(shown[0].image, [box for each in shown for box in each.boxes])))
    return [page for page in pages if page[1].boxes] or pages[:1]


def marked_image(shown: ShownPage) -> bytes:
    """The image of a page (PNG) with its boxes marked as by a yellow pen, so that the text below them can be read."""
    if not shown.boxes:
        return shown.image
    with Image.open(io.BytesIO(shown.image)) as page:
        image = page.convert("RGB")
    pen = Image.new("RGB", image.size, "white")
    draw = ImageDraw.Draw(pen)
    width, height = image.size
    for left, top, wide, high in shown.boxes:
        corner = (left * width - AROUND, top * height - AROUND)
        draw.rectangle((*corner, (left + wide) * width + AROUND, (top + high) * height + AROUND), fill=PEN)
    out = io.BytesIO()
    ImageChops.multiply(image, pen).save(out, "PNG")
    return out.getvalue()


def _sentences(passage: Passage, evidence: Evidence, spans: Iterable[Span]) -> tuple[str, ...]:
    is_original = evidence.translation is None or evidence.translation.kind == "same"
    parts = (passage.text[span.start : span.end] for span in spans if is_original and span.rank == evidence.rank)
    return tuple(sentence for sentence in parts if any(map(str.isalnum, sentence))) or (passage.text,)
