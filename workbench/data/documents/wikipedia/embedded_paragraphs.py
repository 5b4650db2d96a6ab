"""Wikipedia by paragraph with the vectors that Cohere computed: the hub's `wikipedia-2023-11-embed-multilingual-v3`.

Columns `_id` (“20231101.fi_12_3”: dump and language, page, paragraph), `url`, `title`, `text` and `emb`, the 1,024
numbers of embed-multilingual-v3.0; one language a file. A paragraph is a passage as it is, since that is what a vector
is of. Sources: huggingface.co/datasets/Cohere/wikipedia-2023-11-embed-multilingual-v3 and its card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import DataError, FloatArray, Passage, Query, UsageError
from workbench.data.datasets.files.parquet import parquet_records
from workbench.data.datasets.files.parquet_pages import chunk_totals
from workbench.data.datasets.files.record import Record
from workbench.data.documents.wikipedia.article import (
    ParquetRows,
    Place,
    WikiArticle,
    WikiParagraph,
    language_of_address,
)
from workbench.data.documents.wikipedia.wiki_passages import document_name, passage_name
from workbench.retrieval import embedding_identity, unit_dense

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
            for column in (group.column(place) for place in range(group.num_columns)):
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
        for place, passage in enumerate(passages):
            vector = next((vector for name, vector in self._vectors if name == passage.id), None)
            if vector is None:
                raise DataError(f"The files have no vector for the passage {passage.id}: were they changed?")
            rows[place] = vector
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
