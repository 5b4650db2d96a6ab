"""A corpus page by page: its documents, its passages, and those with the words of a search.

Nothing but the page is in memory: rows are counted a batch of the table at a time, and a search reads the best hits of
the lexical index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core import Passage, Query, UsageError, shorten, unknown_name
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.word_search import WordSearch

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
