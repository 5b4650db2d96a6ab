"""Files of Wikipedia into a corpus: read in parts that a kill does not lose, then built, with vectors that files have.

The work lies in `<home>/wikipedia/<name>/`, so that whoever begins it, a terminal or a screen, goes on with the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core import UsageError, shorten
from workbench.data.corpora.build import Progress
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.corpora.encoded_indexes import index_dense
from workbench.data.corpora.manifest import CorpusManifest
from workbench.data.documents.wikipedia.article import ArticleSource, Place, WikiArticle
from workbench.data.documents.wikipedia.article_files import open_articles
from workbench.data.documents.wikipedia.embedded_paragraphs import ENCODER, EmbeddedParagraphs, WrittenVectors
from workbench.data.documents.wikipedia.language_links import LanguageLinks
from workbench.data.documents.wikipedia.streamed_import import ImportState, forget, passages_of, stream_articles
from workbench.data.documents.wikipedia.wiki_passages import PARAGRAPHS, WORDS_100, article_passages, paragraph_passages
from workbench.languages import known_languages
from workbench.workspace import lock, verb

FOLDER = "wikipedia"
LICENCE = "CC BY-SA 4.0"
"""Wikipedia's text since June 2023; before, CC BY-SA 3.0."""
SEEN_EVERY = 500
"""Pages between two reports from within a part."""

Reading = Callable[[ArticleSource, Place], None]
"""Called now and then with the file that is read and the place in it."""


@dataclass(frozen=True, slots=True)
class WikipediaImport:
    """A corpus to make of some files.

    `links` is a table of links between languages, None for none. `chunking` is "" for that of Chirkova et al., or for
    files with vectors, which are split already.
    """

    library: CorpusLibrary
    home: Path
    name: str
    files: Sequence[Path]
    links: Path | None = None
    chunking: str = ""
    sources: tuple[ArticleSource, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Raises UsageError for a name, file or way of splitting that is not allowed."""
        checked_name(self.name, "corpus")
        object.__setattr__(self, "sources", tuple(map(open_articles, self.files)))
        embedded = self.embedded
        if embedded and (self.chunking not in ("", PARAGRAPHS) or len(embedded) < len(self.sources)):
            raise UsageError(
                f"“{shorten(embedded[0].name)}” has a vector for each paragraph, so its articles cannot be split "
                "another way, nor can files without vectors join it: import such files alone, without a chunking."
            )

    @property
    def embedded(self) -> list[EmbeddedParagraphs]:
        """The files that have vectors."""
        return [source for source in self.sources if isinstance(source, EmbeddedParagraphs)]

    @property
    def folder(self) -> Path:
        """Where the work lies until it is complete."""
        return self.home / FOLDER / self.name

    @property
    def split(self) -> str:
        """Everything that the passages depend on beside the files."""
        chunking = PARAGRAPHS if self.embedded else self.chunking or WORDS_100
        return f"{chunking}, linked by {self.links.name}" if self.links else chunking

    @property
    def source(self) -> str:
        """The corpus's source, as it states it."""
        return f"Wikipedia: {', '.join(item.name for item in self.sources)} ({self.split})"

    @verb("corpora.add", "{self.name}")
    def read(self, watch: Callable[[ImportState], bool], reading: Reading | None = None) -> ImportState:
        """Reads all articles, going on from where an earlier call was ended; `watch` may end it.

        Raises UsageError where the work in the folder is of other files, or where another process is at it.
        """
        with self._alone():
            linked = None
            if self.links is not None:
                codes = {item.code for item in known_languages()}
                linked = LanguageLinks.build(self.links, codes, self.folder / "links.db")
            sources = [_WatchedSource(item, reading) for item in self.sources] if reading else self.sources
            chunking = self.chunking or WORDS_100
            splitter = paragraph_passages(linked) if self.embedded else article_passages(chunking, linked)
            return stream_articles(sources, self.folder, splitter, split=self.split, watch=watch)

    @verb("corpora.add", "{self.name}")
    def build(self, progress: Progress) -> CorpusManifest:
        """Makes the corpus of what was read, and forgets the work."""
        with self._alone():
            passages = passages_of(self.folder)
            manifest = self.library.add(self.name, passages, source=self.source, licence=LICENCE, progress=progress)
            if self.embedded:
                index_dense(self.library.open(self.name), ENCODER, WrittenVectors(self.embedded), progress)
            forget(self.folder)
        return manifest

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with lock.acquired(self.folder / "import.lock") as number:
            if number is None:
                raise UsageError(f"“{self.name}” is being imported already. Wait for the end, or stop that.")
            yield


def forget_work(home: Path, name: str) -> None:
    """Deletes what was read for a corpus that is not complete. Raises UsageError for a name that is not allowed."""
    forget(home / FOLDER / checked_name(name, "corpus"))


@dataclass(frozen=True, slots=True)
class _WatchedSource:
    """A source that reports where it is."""

    inner: ArticleSource
    reading: Reading

    @property
    def path(self) -> Path:
        return self.inner.path

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def size(self) -> int:
        return self.inner.size

    def done(self, place: Place) -> int:
        return self.inner.done(place)

    def articles(self, place: Place) -> Iterator[tuple[Mapping[str, int], WikiArticle | None]]:
        for number, (reached, article) in enumerate(self.inner.articles(place)):
            if number % SEEN_EVERY == 0:
                self.reading(self.inner, reached)
            yield reached, article
