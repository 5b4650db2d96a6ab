"""Which articles are about the same thing in several languages, from a table of the dumps.

`enwiki-…-langlinks.sql.gz` names, for each page of its Wikipedia (the pivot), the titles in the other languages;
`wikidatawiki-…-wb_items_per_site.sql.gz` names, for each item of Wikidata, the titles on all sites. Both have tens of
millions of rows, so those of the languages that are imported are kept in a file of SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

import regex

from workbench.core import DataError, UsageError, shorten
from workbench.data.datasets.files.text_files import checked_file, lines
from workbench.data.documents.wikipedia.article import WikiArticle
from workbench.languages import language

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
        part = file.with_suffix(".part")
        part.unlink(missing_ok=True)
        with sqlite3.connect(part) as connection:
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
            part.unlink()
            raise DataError(
                f"{table.name} holds no link from {pivot or 'Wikidata'} to any of {', '.join(sorted(languages))}: is "
                "it another table, or that of another Wikipedia?"
            )
        part.replace(file)
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
