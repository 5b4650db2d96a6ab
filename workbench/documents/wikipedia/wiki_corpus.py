"""A corpus from files of Wikipedia: read part by part, built, and with the vectors that its files have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.corpora.build import Progress
from workbench.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.corpora.encoding import index_dense
from workbench.corpora.manifest import CorpusManifest
from workbench.documents.wikipedia.article_files import open_articles
from workbench.documents.wikipedia.embedded_paragraphs import ENCODER, EmbeddedParagraphs, WrittenVectors
from workbench.documents.wikipedia.language_links import LanguageLinks
from workbench.documents.wikipedia.streamed_import import Watch, forget, passages_of, stream_articles
from workbench.documents.wikipedia.wiki_passages import PARAGRAPHS, WORDS_100, article_passages, paragraph_passages
from workbench.errors import UsageError, WorkbenchError, shorten
from workbench.languages.language import known_languages

LICENCE = "CC BY-SA 4.0"
"""Wikipedia's text since June 2023; before, CC BY-SA 3.0."""
FOLDER = "wikipedia"
"""The folder of a workspace for imports that are not complete."""


class ImportStopped(WorkbenchError):
    """An import that `watch` ended; the same call goes on with it."""


def build_wikipedia_corpus(
    library: CorpusLibrary,
    home: Path,
    name: str,
    files: Sequence[Path],
    *,
    links: Path | None = None,
    chunking: str = "",
    watch: Watch = lambda _: True,
    progress: Progress,
) -> CorpusManifest:
    """Makes the corpus `name`, going on where an earlier call was ended.

    `chunking` is "" for that of Chirkova et al., or for files with vectors, which are split already. Raises UsageError
    for a file, name or way of splitting that is not allowed, DataError for what cannot be read, ImportStopped.
    """
    checked_name(name, "corpus")
    sources = [open_articles(path) for path in files]
    embedded = [source for source in sources if isinstance(source, EmbeddedParagraphs)]
    if embedded and (chunking not in ("", PARAGRAPHS) or len(embedded) < len(sources)):
        raise UsageError(
            f"“{shorten(embedded[0].name)}” has a vector for each paragraph, so its articles cannot be split another "
            "way, nor can files without vectors join it: import such files alone, without --chunking."
        )
    split = PARAGRAPHS if embedded else chunking or WORDS_100
    folder = home / FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    linked = (
        LanguageLinks.build(links, {item.code for item in known_languages()}, folder / "links.db") if links else None
    )
    splitter = paragraph_passages(linked) if embedded else article_passages(split, linked)
    described = f"{split}, linked by {links.name}" if links else split
    state = stream_articles(sources, folder, splitter, split=described, watch=watch)
    if not state.complete:
        raise ImportStopped(f"The import of “{name}” was stopped after {state.articles:,} articles; start it again.")
    source = f"Wikipedia: {', '.join(item.name for item in sources)} ({described})"
    manifest = library.add(name, passages_of(folder), source=source, licence=LICENCE, progress=progress)
    if embedded:
        index_dense(library.open(name), ENCODER, WrittenVectors(embedded), progress)
    forget(folder)
    return manifest
