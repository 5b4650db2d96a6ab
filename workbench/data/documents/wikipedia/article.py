"""Articles as their sources give them, which of them are linked across languages, and how they become passages.

A source can go on from a place it was left at. The work is done a part at a time, so that a kill costs one part and
memory holds one batch. A folder holds it: `parts/000001.arrow` … and `state.json`, which names the files, their sizes,
how they are split and the place after the last part. State is written after its part, both atomically: what a killed
import left beyond its state is written again, byte for byte.

`enwiki-…-langlinks.sql.gz` names, for each page of its Wikipedia (the pivot), the titles in the other languages;
`wikidatawiki-…-wb_items_per_site.sql.gz` names, for each item of Wikidata, the titles on all sites. Both have tens of
millions of rows, so those of the languages that are imported are kept in a file of SQLite.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Protocol

import regex

from workbench.core import DataError, Passage, UsageError, shorten
from workbench.data.corpora.passage_table import PassageTable, write_table
from workbench.data.datasets.records import Record, checked_file, lines
from workbench.data.documents.chunking import chunk_method, chunks, splitter_of
from workbench.data.documents.isolated_reading import Section
from workbench.languages import language
from workbench.workspace import write_text

ADDRESS = regex.compile(r"https?://([a-z][a-z0-9-]{1,20})\.wikipedia\.org/")

Place = Mapping[str, int]
"""Where a source was left: numbers of its own kind, as they are kept in a checkpoint. {} is the beginning."""


@dataclass(frozen=True, slots=True)
class WikiParagraph:
    """A paragraph of plain text under the heading of its section, "" before the first."""

    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class WikiArticle:
    """An article of the Wikipedia in `language`. `id` is its page's number there, as text."""

    id: str
    title: str
    language: str
    paragraphs: tuple[WikiParagraph, ...]


class ArticleSource(Protocol):
    """One file of articles."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def name(self) -> str:
        """The file's name."""

    @property
    def size(self) -> int:
        """Its length in the unit of `done`, 0 where it is not known."""

    def articles(self, place: Place) -> Iterator[tuple[Place, WikiArticle | None]]:
        """The articles after `place`, each with the place after it; None for a page that is no article.

        Raises DataError, with the place, for what cannot be read.
        """

    def done(self, place: Place) -> int:
        """How much of `size` lies before `place`."""


@dataclass(frozen=True)
class ParquetRows:
    """What the parquet files of articles have in common; a place is the number of `rows` before it."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def size(self) -> int:
        """Rows of the file."""
        from pyarrow.parquet import ParquetFile

        with ParquetFile(self.path) as file:
            return int(file.metadata.num_rows)

    def done(self, place: Place) -> int:
        """Rows before the place."""
        return place.get("rows", 0)


def language_of_address(record: Record) -> str:
    """The language of the Wikipedia that a row's `url` is of. Raises DataError with the row."""
    match = ADDRESS.match(record.text("url"))
    if match is None:
        raise record.error("has a “url” that is no article's of Wikipedia, so that its language is not known")
    try:
        return language(match.group(1)).code
    except UsageError:
        raise record.error(f"is in “{match.group(1)}”, which the workbench does not know") from None


LANGLINKS = regex.compile(r"([a-z]{2,3})wiki-.*langlinks\.sql(\.gz)?")
WIKIDATA = regex.compile(r"wikidatawiki-.*wb_items_per_site\.sql(\.gz)?")
TEXT = r"'((?:[^'\\]|\\.)*)'"
LINK = regex.compile(rf"\((\d+),{TEXT},{TEXT}\)")
"""A page, and a language and title that it links to."""
SITE_LINK = regex.compile(rf"\(\d+,(\d+),{TEXT},{TEXT}\)")
"""A row's number, then an item, and a site and title that it is linked to."""
INSERT, SITE = "INSERT INTO ", "wiki"
ESCAPE = regex.compile(r"\\(.)")

Link = tuple[str, str, str]
"""A language, a title, and the group that this article belongs to."""


class LanguageLinks:
    """The groups that linked articles belong to, in a file that `build` wrote."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)
        (self._pivot,) = self._connection.execute("SELECT code FROM pivot").fetchone()

    @classmethod
    def build(cls, table: Path, languages: Collection[str], file: Path) -> LanguageLinks:
        """Reads a table of links into `file`, for `languages`. Raises UsageError for another file, DataError for none.

        A title that two pages of the pivot claim stays with the first.
        """
        name = checked_file(table, example="enwiki-latest-langlinks.sql.gz").name
        match = LANGLINKS.fullmatch(name)
        if match is None and not WIKIDATA.fullmatch(name):
            raise UsageError(
                f"“{shorten(name)}” does not say whose links it holds. Type the path of a file that is named as in the "
                "dumps, for example: enwiki-latest-langlinks.sql.gz or wikidatawiki-latest-wb_items_per_site.sql.gz"
            )
        pivot = language(match.group(1)).code if match else ""
        partial = file.with_suffix(".part")
        partial.unlink(missing_ok=True)
        with sqlite3.connect(partial) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("CREATE TABLE pivot (code TEXT NOT NULL)")
            connection.execute(
                "CREATE TABLE links (language TEXT, title TEXT, linked TEXT, PRIMARY KEY (language, title)) "
                "WITHOUT ROWID"
            )
            connection.execute("INSERT INTO pivot VALUES (?)", (pivot,))
            links = _language_links(table, pivot) if pivot else _site_links(table)
            rows = (link for link in links if link[0] in languages)
            connection.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", rows)
            (count,) = connection.execute("SELECT COUNT(*) FROM links").fetchone()
        connection.close()
        if not count:
            partial.unlink()
            raise DataError(
                f"{table.name} holds no link from {pivot or 'Wikidata'} to any of {', '.join(sorted(languages))}: is "
                "it another table, or that of another Wikipedia?"
            )
        partial.replace(file)
        return cls(file)

    def group(self, article: WikiArticle) -> str:
        """The group of an article: the pivot's page (“en:12”), Wikidata's item (“Q42”), or its own without a link."""
        if article.language != self._pivot:
            key = (article.language, article.title)
            row = self._connection.execute("SELECT linked FROM links WHERE language = ? AND title = ?", key).fetchone()
            if row is not None:
                return str(row[0])
        return f"{article.language}:{article.id}"

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


def _language_links(table: Path, pivot: str) -> Iterator[Link]:
    for page, code, title in _rows(table, LINK):
        yield code, _title(title), f"{pivot}:{page}"


def _site_links(table: Path) -> Iterator[Link]:
    for item, site, title in _rows(table, SITE_LINK):
        if site.endswith(SITE):
            yield site.removesuffix(SITE), _title(title), f"Q{item}"


def _rows(table: Path, row: regex.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """The rows of a dump's table, whether an insert has them on its own line or, as newer dumps, on those after it."""
    inside = False
    for _, line in lines(table):
        inside = inside or line.startswith(INSERT)
        if inside:
            yield from row.findall(line)
            inside = not line.rstrip().endswith(";")


def _title(text: str) -> str:
    return ESCAPE.sub(r"\1", text).replace("_", " ")


ARTICLES_PER_PART = 20_000
STATE, PARTS = "state.json", "parts"
VERSION = 1

Splitter = Callable[[WikiArticle], Sequence[Passage]]
"""An article's passages."""
Watch = Callable[["ImportState"], bool]
"""Is handed the state after each part and at intervals; returns whether to go on."""


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import is. `place` is that in the file number `file`, from 0; `read` of `size` is how much of it."""

    inputs: tuple[tuple[str, int], ...]
    split: str
    file: int = 0
    place: Mapping[str, int] | None = None
    parts: int = 0
    articles: int = 0
    pages: int = 0
    passages: int = 0
    complete: bool = False
    version: int = VERSION


def read_state(folder: Path) -> ImportState | None:
    """The state of the work in a folder, None where there is none that this version can go on with."""
    try:
        values = json.loads((folder / STATE).read_text(encoding="utf-8"))
        state = ImportState(**{**values, "inputs": tuple((str(name), int(size)) for name, size in values["inputs"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return state if state.version == VERSION else None


def stream_articles(
    sources: Sequence[ArticleSource],
    folder: Path,
    splitter: Splitter,
    *,
    split: str,
    watch: Watch = lambda _: True,
    articles_per_part: int = ARTICLES_PER_PART,
) -> ImportState:
    """Reads all articles of `sources` into parts in `folder`, going on from where an earlier call was ended.

    `split` names everything that the passages depend on beside the files. Raises UsageError where the work in the
    folder is of other files or split otherwise, and what the sources raise; what was done is kept.
    """
    inputs = tuple((source.name, source.path.stat().st_size) for source in sources)
    state = read_state(folder) or ImportState(inputs, split)
    if (state.inputs, state.split) != (inputs, split):
        names = ", ".join(name for name, _ in state.inputs)
        raise UsageError(
            f"An import of {names} ({state.split}) was begun under this name and is not complete. Resume it by "
            "naming the same files and the same splitting, or delete it."
        )
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    while not state.complete:
        state = _next_part(sources, folder, splitter, state, articles_per_part)
        write_text(folder / STATE, json.dumps(asdict(state), ensure_ascii=False, sort_keys=True))
        if not watch(state):
            break
    return state


def passages_of(folder: Path) -> Iterator[Passage]:
    """The passages of all parts, in order, a part at a time."""
    state = read_state(folder)
    for number in range(1, (state.parts if state else 0) + 1):
        yield from PassageTable(_part(folder, number))


def forget(folder: Path) -> None:
    """Deletes the work in a folder."""
    shutil.rmtree(folder, ignore_errors=True)


def _next_part(
    sources: Sequence[ArticleSource], folder: Path, splitter: Splitter, state: ImportState, articles_per_part: int
) -> ImportState:
    """Writes one part and returns the state after it."""
    after = state
    wanted = state.articles + articles_per_part

    def passages() -> Iterator[Passage]:
        nonlocal after
        for number in count(state.file):
            if number == len(sources):
                after = replace(after, file=number, place=None, complete=True)
                return
            place = after.place if after.file == number and after.place else {}
            for reached, article in sources[number].articles(place):
                after = replace(after, file=number, place=dict(reached), pages=after.pages + 1)
                if article is not None:
                    batch = splitter(article)
                    yield from batch
                    after = replace(after, articles=after.articles + 1, passages=after.passages + len(batch))
                    if after.articles >= wanted:
                        return
            after = replace(after, file=number + 1, place=None)

    part = _part(folder, state.parts + 1)
    beside = part.with_suffix(".writing")
    written = write_table(beside, passages())
    if written or not after.complete:
        beside.replace(part)
        return replace(after, parts=state.parts + 1)
    beside.unlink()
    return after


def _part(folder: Path, number: int) -> Path:
    return folder / PARTS / f"{number:06d}.arrow"


WORDS_100 = "words-100"
"""Chirkova et al. (2024), section 3: 100 words, or characters in scripts without spaces."""
PARAGRAPHS = "paragraphs"
"""How files are split that have a vector for each paragraph."""


def article_passages(chunking: str = WORDS_100, links: LanguageLinks | None = None) -> Splitter:
    """A function from an article to its passages. Raises UsageError for an unknown way of splitting.

    A document is named by language and page (“en:12”), a passage by document and position. With `links` the passages of
    linked articles share a group, which is that of the pivot's page; without, none has a group.
    """
    splitter = splitter_of(chunk_method(chunking))

    def pieces(article: WikiArticle) -> Iterable[WikiParagraph]:
        sections = (Section(paragraph.text, heading=paragraph.heading) for paragraph in article.paragraphs)
        return (WikiParagraph(chunk.text, chunk.heading) for chunk in chunks(sections, splitter))

    return _passages_of(pieces, links)


def paragraph_passages(links: LanguageLinks | None = None) -> Splitter:
    """As `article_passages`, with a passage for each paragraph as it is."""
    return _passages_of(lambda article: article.paragraphs, links)


def _passages_of(pieces: Callable[[WikiArticle], Iterable[WikiParagraph]], links: LanguageLinks | None) -> Splitter:
    def passages(article: WikiArticle) -> list[Passage]:
        document = document_name(article)
        group = links.group(article) if links else ""
        unlinked = [
            Passage(
                passage_name(document, position),
                document,
                article.title,
                article.language,
                piece.text,
                position,
                group=group,
                heading=piece.heading,
            )
            for position, piece in enumerate(pieces(article))
        ]
        ids = [passage.id for passage in unlinked]
        return [
            replace(passage, previous=before, next=after)
            for passage, before, after in zip(unlinked, ["", *ids], [*ids[1:], ""], strict=False)
        ]

    return passages


def document_name(article: WikiArticle) -> str:
    """What an article is called in a corpus: by language and page, as “en:12”."""
    return f"{article.language}:{article.id}"


def passage_name(document: str, position: int) -> str:
    """What a document's passage number `position`, from 0, is called: “en:12#3”."""
    return f"{document}#{position}"
