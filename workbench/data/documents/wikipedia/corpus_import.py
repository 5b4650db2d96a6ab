"""Files of Wikipedia into a corpus: read in parts that a kill does not lose, then built, with vectors that files have.

The work lies in `<home>/wikipedia/<name>/`, so that whoever begins it, a terminal or a screen, goes on with the same.
Besides dumps (`dump_pages`) it reads articles that are plain text already:

- The hub's `wikipedia-2023-11-embed-multilingual-v3`, by paragraph with the vectors that Cohere computed: columns `_id`
  (“20231101.fi_12_3”: dump and language, page, paragraph), `url`, `title`, `text` and `emb`, the 1,024 numbers of
  embed-multilingual-v3.0; one language a file. A paragraph is a passage as it is, since that is what a vector is of.
  Sources: huggingface.co/datasets/Cohere/wikipedia-2023-11-embed-multilingual-v3 and its card.
- The hub's parquet files of huggingface.co/datasets/wikimedia/wikipedia: columns `id`, `url`, `title`, `text`; one
  language a file, whose address names it.
- KILT's knowledge source (Petroni et al., 2021): JSON lines with `wikipedia_id`, `wikipedia_title` and `text`, a list
  of the page's title, its paragraphs, its headings ("Section::::History.") and list items ("BULLET::::- …"), in
  English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import DataError, FloatArray, Passage, Query, UsageError, shorten
from workbench.data.corpora.build import CorpusManifest, Progress
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.corpora.encoded_indexes import index_dense
from workbench.data.datasets.parquet import chunk_totals, parquet_records
from workbench.data.datasets.records import SECTION, Record, checked_file, heading_of, json_records
from workbench.data.documents.wikipedia.article import (
    PARAGRAPHS,
    WORDS_100,
    ArticleSource,
    ImportState,
    LanguageLinks,
    ParquetRows,
    Place,
    WikiArticle,
    WikiParagraph,
    article_passages,
    document_name,
    forget,
    language_of_address,
    paragraph_passages,
    passage_name,
    passages_of,
    stream_articles,
)
from workbench.data.documents.wikipedia.dump_pages import PagesArticles
from workbench.languages import ENGLISH, known_languages
from workbench.retrieval import embedding_identity, unit_dense
from workbench.workspace import lock, verb

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile


ENCODER = "cohere-embed-multilingual-v3"
"""The encoder's name in recipes: questions are embedded by the service, with a key."""
EMBEDDING, MODEL, DIMENSIONS = "CohereEmbedding", "embed-multilingual-v3.0", 1024
TEXTS, VECTORS = ("_id", "url", "title", "text"), "emb"
ROWS_PER_BATCH = 2_000


class EmbeddedParagraphs(ParquetRows):
    """A parquet file with vectors as a source of articles."""

    def articles(self, place: Place) -> Iterator[tuple[Place, WikiArticle | None]]:
        """The pages after `place`, whose rows follow each other. Raises DataError with the row."""
        rows = 0
        for (page, code), group in groupby(parquet_records(self.path, TEXTS), _page):
            records = list(group)
            rows += len(records)
            texts = [text for record in records if (text := record.optional_text("text"))]
            if rows > place.get("rows", 0):
                title, paragraphs = records[0].text("title"), tuple(WikiParagraph(text) for text in texts)
                yield {"rows": rows}, WikiArticle(page, title, code, paragraphs) if paragraphs else None

    def vectors(self) -> Iterator[tuple[str, FloatArray]]:
        """The name and the vector, float32 of `DIMENSIONS`, of each passage, in order. Raises DataError."""
        rows = 0
        before, position = "", 0
        records = parquet_records(self.path, TEXTS)
        for batch in self._vector_batches():
            numbers = _numbers(batch)
            if numbers is None:
                raise DataError(
                    f"{self.name}, rows {rows + 1} to {rows + batch.num_rows}, has a vector in “{VECTORS}” that is not "
                    f"{DIMENSIONS:,} finite numbers, as {MODEL} gives."
                )
            rows += batch.num_rows
            for vector, record in zip(numbers, records, strict=False):
                if not record.optional_text("text"):
                    continue
                page, code = _page(record)
                document = document_name(WikiArticle(page, "", code, ()))
                position = position + 1 if document == before else 0
                before = document
                yield passage_name(document, position), vector

    def _vector_batches(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile

        try:
            with ParquetFile(self.path) as file:
                self._check_groups(file)
                yield from file.iter_batches(batch_size=ROWS_PER_BATCH, columns=[VECTORS])
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{self.name} is not a complete Parquet file ({type(error).__name__}).") from error

    def _check_groups(self, file: ParquetFile) -> None:
        """Raises DataError for a row group that unpacks to more numbers than its rows have."""
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            for column in (group.column(index) for index in range(group.num_columns)):
                is_vectors = column.path_in_schema.split(".")[0] == VECTORS
                if is_vectors and chunk_totals(self.path, column).values > group.num_rows * DIMENSIONS:
                    raise DataError(f"{self.name} has longer vectors in “{VECTORS}” than {DIMENSIONS:,} numbers.")


class WrittenVectors:
    """Implements `Encoder` by vectors that files hold, in the files' order; it cannot encode questions."""

    def __init__(self, sources: Sequence[EmbeddedParagraphs]) -> None:
        """`sources` are those that the corpus was made of, in the same order."""
        self._vectors = (pair for source in sources for pair in source.vectors())

    @property
    def identity(self) -> str:
        """That of the service's encoder, which embeds the questions."""
        return embedding_identity(EMBEDDING, MODEL)

    @property
    def dimensions(self) -> int:
        """Those of the model."""
        return DIMENSIONS

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """The vectors of passages, unit rows. What lies before them in the files is passed over.

        Raises DataError where the files have no vector for one, after those of the passages before.
        """
        rows = np.zeros((len(passages), DIMENSIONS), dtype=np.float32)
        for index, passage in enumerate(passages):
            vector = next((vector for name, vector in self._vectors if name == passage.id), None)
            if vector is None:
                raise DataError(f"The files have no vector for the passage {passage.id}: were they changed?")
            rows[index] = vector
        return unit_dense(rows)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """Raises UsageError: only the service knows the vectors of questions."""
        raise UsageError(f"Questions are embedded by the encoder {ENCODER}, not by the files of a corpus.")


def has_vectors(path: Path) -> bool:
    """Whether a parquet file has paragraphs with vectors; False for one that cannot be read."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with suppress(pa.ArrowException, OSError), ParquetFile(path) as file:
        return {*TEXTS, VECTORS} <= set(file.schema_arrow.names)
    return False


def _page(record: Record) -> tuple[str, str]:
    """The page's number and language."""
    parts = record.id("_id").rsplit("_", 2)
    if len(parts) != 3 or not (parts[1].isdecimal() and parts[2].isdecimal()):
        raise record.error("has an “_id” that does not end in page and paragraph, as 20231101.fi_12_3 does")
    return parts[1], language_of_address(record)


def _numbers(batch: pa.RecordBatch) -> FloatArray | None:
    """The vectors of a batch, shape (rows, DIMENSIONS); None where one is not of that many finite numbers."""
    import pyarrow.compute as pc

    lists = batch.column(0)
    if lists.null_count or not pc.all(pc.equal(pc.list_value_length(lists), DIMENSIONS)).as_py():
        return None
    flat = lists.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    return flat.reshape(-1, DIMENSIONS) if np.isfinite(flat).all() else None


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
        f"“{shorten(path.name)}” is not a file of articles that the workbench reads. Type the path of {FORMS}."
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
        return f"Wikipedia: {', '.join(source.name for source in self.sources)} ({self.split})"

    @verb("corpora.add", "{self.name}")
    def read(self, watch: Callable[[ImportState], bool], reading: Reading | None = None) -> ImportState:
        """Reads all articles, going on from where an earlier call was ended; `watch` may end it.

        Raises UsageError where the work in the folder is of other files, or where another process is at it.
        """
        with self._alone():
            linked = None
            if self.links is not None:
                codes = {language.code for language in known_languages()}
                linked = LanguageLinks.build(self.links, codes, self.folder / "links.db")
            sources = [_WatchedSource(source, reading) for source in self.sources] if reading else self.sources
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
                raise UsageError(f"“{self.name}” is already being imported. Wait for it to finish, or stop it.")
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
