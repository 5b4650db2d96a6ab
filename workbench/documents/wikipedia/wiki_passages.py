"""Articles as passages: split as people's own files are, in the article's language, under its title."""

from __future__ import annotations

from dataclasses import replace

from workbench.documents.chunking.chunk_method import chunk_method
from workbench.documents.chunking.placed_chunks import chunks, splitter_of
from workbench.documents.document_parts import Section
from workbench.documents.wikipedia.article import WikiArticle
from workbench.documents.wikipedia.language_links import LanguageLinks
from workbench.documents.wikipedia.streamed_import import Splitter
from workbench.records import Passage

WORDS_100 = "words-100"
"""Chirkova et al. (2024), section 3: 100 words, or characters in scripts without spaces."""


def article_passages(chunking: str = WORDS_100, links: LanguageLinks | None = None) -> Splitter:
    """A function from an article to its passages. Raises UsageError for an unknown way of splitting.

    A document is named by language and page (“en:12”), a passage by document and position. With `links` the passages of
    linked articles share a group, which is that of the pivot's page; without, none has a group.
    """
    splitter = splitter_of(chunk_method(chunking))

    def passages(article: WikiArticle) -> list[Passage]:
        document = f"{article.language}:{article.id}"
        group = links.group(article) if links else ""
        sections = (Section(paragraph.text, heading=paragraph.heading) for paragraph in article.paragraphs)
        unlinked = [
            Passage(
                f"{document}#{position}",
                document,
                article.title,
                article.language,
                chunk.text,
                position,
                group=group,
                heading=chunk.heading,
            )
            for position, chunk in enumerate(chunks(sections, splitter))
        ]
        ids = [passage.id for passage in unlinked]
        return [
            replace(passage, previous=before, next=after)
            for passage, before, after in zip(unlinked, ["", *ids], [*ids[1:], ""], strict=False)
        ]

    return passages
