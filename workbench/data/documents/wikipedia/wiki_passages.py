"""Articles as passages: split as people's own files are, in the article's language, under its title."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from workbench.core import Passage
from workbench.data.documents.chunking import chunk_method, chunks, splitter_of
from workbench.data.documents.document_parts import Section
from workbench.data.documents.wikipedia.article import WikiArticle, WikiParagraph
from workbench.data.documents.wikipedia.language_links import LanguageLinks
from workbench.data.documents.wikipedia.streamed_import import Splitter

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
