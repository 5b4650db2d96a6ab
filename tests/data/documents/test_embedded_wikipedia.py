from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.core.errors import DataError, UsageError
from workbench.core.protocols import FloatArray
from workbench.core.records import Passage, Query
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.corpora.encoded_indexes import encoders_of, open_dense
from workbench.data.documents.wikipedia.corpus_import import (
    DIMENSIONS,
    ENCODER,
    EmbeddedParagraphs,
    WikipediaImport,
    WrittenVectors,
    open_articles,
)
from workbench.retrieval.encoders.services import embedding_identity

ROWS = [(7, 0, "Oulu is a city."), (7, 1, "It lies by the sea."), (7, 2, " "), (7, 3, "It is old."), (9, 0, "Kemi.")]


def embedded(path: Path, code: str = "fi", size: int = DIMENSIONS, rows: Sequence[tuple[int, int, str]] = ROWS) -> Path:
    """A file with the n-th axis as the n-th row's vector, three times as long as a unit vector."""
    vectors = [np.eye(1, size, number, dtype=np.float32)[0] * 3 for number in range(len(rows))]
    columns = {
        "_id": [f"20231101.{code}_{page}_{place}" for page, place, _ in rows],
        "url": [f"https://{code}.wikipedia.org/wiki/{page}" for page, _, _ in rows],
        "title": [f"T{page}" for page, _, _ in rows],
        "text": [text for _, _, text in rows],
        "emb": pa.array([vector.tolist() for vector in vectors], pa.list_(pa.float32())),
    }
    pq.write_table(pa.table(columns), path, row_group_size=2)
    return path


@dataclass(frozen=True)
class Axis:
    """The service's encoder with one question, whose vector is an axis."""

    number: int
    dimensions: int = DIMENSIONS

    @property
    def identity(self) -> str:
        return embedding_identity("CohereEmbedding", "embed-multilingual-v3.0")

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        raise AssertionError("no passage is encoded again")

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return np.eye(1, self.dimensions, self.number, dtype=np.float32).repeat(len(queries), 0)


def imported(tmp_path: Path, *files: Path, chunking: str = "") -> CorpusLibrary:
    library = CorpusLibrary(tmp_path / "corpora")
    work = WikipediaImport(library, tmp_path, "wiki", files, chunking=chunking)
    work.read(lambda _: True)
    work.build(lambda *_: None)
    return library


def test_each_paragraph_with_text_is_a_passage_of_its_page(tmp_path: Path) -> None:
    corpus = imported(tmp_path, embedded(tmp_path / "0000.parquet")).open("wiki")
    assert [(row.id, row.document, row.title, row.text) for row in corpus.table] == [
        ("fi:7#0", "fi:7", "T7", "Oulu is a city."),
        ("fi:7#1", "fi:7", "T7", "It lies by the sea."),
        ("fi:7#2", "fi:7", "T7", "It is old."),
        ("fi:9#0", "fi:9", "T9", "Kemi."),
    ]


def test_a_passage_is_searched_by_the_vector_that_its_file_has(tmp_path: Path) -> None:
    files = embedded(tmp_path / "0000.parquet"), embedded(tmp_path / "0001.parquet", "en")
    corpus = imported(tmp_path, *files).open("wiki")
    assert encoders_of(corpus) == (ENCODER,)
    search = open_dense(corpus, ENCODER, Axis(3))
    ((first, *_),) = search.retrieve([Query("x", "en", ("en",))], 2)
    assert first.id == "en:7#2"
    assert first.score == pytest.approx(1.0)


def test_reading_goes_on_after_any_page(tmp_path: Path) -> None:
    source = open_articles(embedded(tmp_path / "0000.parquet"))
    complete = list(source.articles({}))
    assert [place["rows"] for place, _ in complete] == [4, 5]
    assert list(source.articles(complete[0][0])) == complete[1:]


def test_vectors_are_found_again_after_some_were_passed_over(tmp_path: Path) -> None:
    encoder = WrittenVectors([EmbeddedParagraphs(embedded(tmp_path / "0000.parquet"))])
    (row,) = encoder.encode_passages([Passage("fi:9#0", "fi:9", "", "fi", "Kemi.")])
    assert row.nonzero()[0].tolist() == [4]


def test_a_passage_that_the_files_do_not_have_is_told(tmp_path: Path) -> None:
    encoder = WrittenVectors([EmbeddedParagraphs(embedded(tmp_path / "0000.parquet"))])
    with pytest.raises(DataError, match="no vector for the passage fi:8#0"):
        encoder.encode_passages([Passage("fi:8#0", "fi:8", "", "fi", "x")])


@pytest.mark.parametrize("size", [DIMENSIONS - 1, DIMENSIONS + 1])
def test_vectors_of_another_length_are_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(DataError, match="1,024"):
        imported(tmp_path, embedded(tmp_path / "0000.parquet", size=size))


def test_an_id_without_page_is_told_with_its_row(tmp_path: Path) -> None:
    path = embedded(tmp_path / "0000.parquet")
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "_id", pa.array(["a"] * len(table))), path)
    with pytest.raises(DataError, match=r"row 1 has an “_id”.*20231101.fi_12_3"):
        imported(tmp_path, path)


def test_files_with_vectors_are_not_split_another_way(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has a vector for each paragraph"):
        imported(tmp_path, embedded(tmp_path / "0000.parquet"), chunking="words-100")
