"""Which articles are about the same thing in several languages, from the table `langlinks` of a Wikipedia's dump.

The table of the pivot's Wikipedia (`enwiki-…-langlinks.sql.gz`) names, for each of its pages, the titles in the other
languages. It has tens of millions of rows, so those of the languages that are imported are kept in a file of SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

import regex

from workbench.datasets.files.text_files import checked_file, lines
from workbench.documents.wikipedia.article import WikiArticle
from workbench.errors import DataError, UsageError, shorten
from workbench.languages import language

FILE = regex.compile(r"([a-z]{2,3})wiki-.*langlinks\.sql(\.gz)?")
ROW = regex.compile(r"\((\d+),'((?:[^'\\]|\\.)*)','((?:[^'\\]|\\.)*)'\)")
INSERT = "INSERT INTO `langlinks` VALUES"
ESCAPE = regex.compile(r"\\(.)")


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
        match = FILE.fullmatch(checked_file(table, example="enwiki-latest-langlinks.sql.gz").name)
        if match is None:
            raise UsageError(
                f"“{shorten(table.name)}” does not say whose links it holds. Type the path of a file that is named as "
                "in the dumps, for example: enwiki-latest-langlinks.sql.gz"
            )
        pivot = language(match.group(1)).code
        part = file.with_suffix(".part")
        part.unlink(missing_ok=True)
        with sqlite3.connect(part) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("CREATE TABLE pivot (code TEXT NOT NULL)")
            connection.execute(
                "CREATE TABLE links (language TEXT, title TEXT, page INTEGER, PRIMARY KEY (language, title)) "
                "WITHOUT ROWID"
            )
            connection.execute("INSERT INTO pivot VALUES (?)", (pivot,))
            rows = ((code, title, page) for page, code, title in _rows(table) if code in languages)
            connection.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", rows)
            (count,) = connection.execute("SELECT COUNT(*) FROM links").fetchone()
        connection.close()
        if not count:
            part.unlink()
            raise DataError(
                f"{table.name} holds no link from {pivot} to any of {', '.join(sorted(languages))}: is it the table of "
                "another Wikipedia?"
            )
        part.replace(file)
        return cls(file)

    def group(self, article: WikiArticle) -> str:
        """The group of an article: the pivot's page (“en:12”), or its own where no link is known."""
        if article.language != self._pivot:
            key = (article.language, article.title)
            row = self._connection.execute("SELECT page FROM links WHERE language = ? AND title = ?", key).fetchone()
            if row is not None:
                return f"{self._pivot}:{row[0]}"
        return f"{article.language}:{article.id}"

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


def _rows(table: Path) -> Iterator[tuple[int, str, str]]:
    for _, line in lines(table):
        if line.startswith(INSERT):
            for page, code, title in ROW.findall(line):
                yield int(page), code, ESCAPE.sub(r"\1", title).replace("_", " ")
