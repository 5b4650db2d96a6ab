"""An article as its source gives it, and what every source of articles can do: go on from a place it was left at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import regex

from workbench.core import UsageError
from workbench.data.datasets.files.record import Record
from workbench.languages import language

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
