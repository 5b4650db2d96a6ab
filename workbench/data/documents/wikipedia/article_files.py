"""Articles that are plain text already: the hub's `wikimedia/wikipedia` parquet files, and KILT's knowledge source.

Sources: huggingface.co/datasets/wikimedia/wikipedia, columns `id`, `url`, `title`, `text`, one language a file, whose
address names it; Petroni et al. (2021), KILT: JSON lines with `wikipedia_id`, `wikipedia_title` and `text`, a list of
the page's title, its paragraphs, its headings ("Section::::History.") and list items ("BULLET::::- …"), in English.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core import UsageError, shorten
from workbench.data.datasets.files.kilt import SECTION, heading_of
from workbench.data.datasets.files.parquet import parquet_records
from workbench.data.datasets.files.record import Record
from workbench.data.datasets.files.text_files import checked_file, json_records
from workbench.data.documents.wikipedia.article import (
    ArticleSource,
    ParquetRows,
    Place,
    WikiArticle,
    WikiParagraph,
    language_of_address,
)
from workbench.data.documents.wikipedia.dump_pages import PagesArticles
from workbench.data.documents.wikipedia.embedded_paragraphs import EmbeddedParagraphs, has_vectors
from workbench.languages import ENGLISH

BULLET = "BULLET::::"
FORMS = (
    "a pages-articles dump (.xml, .xml.bz2, .xml.gz), a file of wikimedia/wikipedia or of Cohere's embedded Wikipedia "
    "(.parquet) or KILT's pages (.json)"
)


def open_articles(path: Path) -> ArticleSource:
    """The source of articles in a file, by its name's end. Raises UsageError for another, DataError for its content."""
    name = path.name.lower()
    if name.endswith((".xml", ".xml.bz2", ".xml.gz")):
        return PagesArticles(path)
    if name.endswith(".parquet"):
        checked_file(path, example="train-00000-of-00002.parquet")
        return EmbeddedParagraphs(path) if has_vectors(path) else HubArticles(path)
    if name.endswith((".json", ".jsonl", ".json.gz", ".jsonl.gz")):
        return KiltPages(checked_file(path, example="kilt_knowledgesource.json"))
    raise UsageError(
        f"“{shorten(path.name)}” is no file of articles that the workbench reads. Type the path of {FORMS}."
    )


class HubArticles(ParquetRows):
    """A parquet file of `wikimedia/wikipedia`."""

    def articles(self, place: Place) -> Iterator[tuple[Place, WikiArticle | None]]:
        """The articles after `place`. Raises DataError with the row."""
        for row, record in enumerate(parquet_records(self.path, ("id", "url", "title", "text")), start=1):
            if row > place.get("rows", 0):
                yield {"rows": row}, _hub_article(record)


@dataclass(frozen=True)
class KiltPages:
    """KILT's knowledge source; a place is the number of `lines` before it."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def size(self) -> int:
        """0: how many lines there are is known at the end only."""
        return 0

    def done(self, place: Place) -> int:
        """Lines before the place."""
        return place.get("lines", 0)

    def articles(self, place: Place) -> Iterator[tuple[Place, WikiArticle | None]]:
        """The pages after `place`. Raises DataError with the line."""
        for number, record in enumerate(json_records(self.path), start=1):
            if number > place.get("lines", 0):
                yield {"lines": number}, _kilt_page(record)


def _hub_article(record: Record) -> WikiArticle | None:
    code = language_of_address(record)
    paragraphs = tuple(
        WikiParagraph(line.strip()) for line in record.optional_text("text").splitlines() if line.strip()
    )
    return WikiArticle(record.id("id"), record.text("title"), code, paragraphs) if paragraphs else None


def _kilt_page(record: Record) -> WikiArticle | None:
    texts = record.values.get("text")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise record.error("has no “text” that is a list of texts, as KILT's pages have")
    title, heading, paragraphs = record.text("wikipedia_title"), "", []
    for text in (entry.strip() for entry in texts):
        if text.startswith(SECTION):
            heading = heading_of(text)
        elif cleaned := text.removeprefix(BULLET).removeprefix("- ").strip():
            paragraphs.append(WikiParagraph(cleaned, heading))
    if paragraphs and paragraphs[0].text == title:
        paragraphs = paragraphs[1:]
    return WikiArticle(record.id("wikipedia_id"), title, ENGLISH, tuple(paragraphs)) if paragraphs else None
