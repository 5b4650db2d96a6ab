"""A text is encoded once: its vector is kept, and a cache that fails is never needed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from hypothesis import given, strategies as st

from workbench.core.protocols import FloatArray
from workbench.core.records import Passage, Query
from workbench.retrieval.encoders.vector_cache import (
    BlobFile,
    ByteVectors,
    CachedEncoder,
    ShippedVectors,
    VectorCache,
    VectorSource,
    text_digest,
)

DIMENSIONS = 8


class Counting:
    """A seeded vector for each text; remembers which texts were encoded."""

    dimensions = DIMENSIONS

    def __init__(self, identity: str = "counting") -> None:
        self.identity = identity
        self.encoded: list[str] = []

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        self.encoded += [passage.text for passage in passages]
        return np.stack([self._vector(passage.text) for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        self.encoded += [query.text for query in queries]
        return (
            np.stack([self._vector(query.text) for query in queries])
            if queries
            else np.zeros((0, DIMENSIONS), np.float32)
        )

    @staticmethod
    def _vector(text: str) -> FloatArray:
        vector = np.random.default_rng(sum(text.encode())).normal(size=DIMENSIONS).astype(np.float32)
        unit: FloatArray = vector / np.linalg.norm(vector)
        return unit


def passages(*texts: str) -> list[Passage]:
    return [Passage(text, text, "", "en", text) for text in texts]


def cached(folder: Path, *shipped: VectorSource, identity: str = "counting") -> tuple[CachedEncoder, Counting]:
    encoder = Counting(identity)
    return CachedEncoder(encoder, VectorCache(folder, encoder), *shipped), encoder


def cache_file(folder: Path) -> Path:
    (file,) = folder.glob("*.db")
    return file


def test_a_text_is_encoded_once_whatever_process_or_corpus_asks(tmp_path: Path) -> None:
    first, _ = cached(tmp_path)
    vectors = first.encode_passages(passages("lake", "boat"))
    again, encoder = cached(tmp_path)
    assert (again.encode_passages(passages("boat", "lake")) == vectors[::-1]).all()
    assert encoder.encoded == []


def test_only_what_is_new_is_encoded_and_a_repeated_text_once(tmp_path: Path) -> None:
    first, _ = cached(tmp_path)
    first.encode_passages(passages("lake"))
    again, encoder = cached(tmp_path)
    assert len(again.encode_passages(passages("boat", "lake", "boat"))) == 3
    assert encoder.encoded == ["boat"]


def test_a_question_is_kept_apart_from_a_passage_of_the_same_text(tmp_path: Path) -> None:
    encoder, inner = cached(tmp_path)
    encoder.encode_passages(passages("lake"))
    for _ in range(2):
        encoder.encode_queries([Query("lake", "en", ())])
    assert inner.encoded == ["lake", "lake"]


def test_another_encoder_has_a_cache_of_its_own(tmp_path: Path) -> None:
    first, _ = cached(tmp_path)
    first.encode_passages(passages("lake"))
    other, encoder = cached(tmp_path, identity="other")
    other.encode_passages(passages("lake"))
    assert encoder.encoded == ["lake"]


def test_a_title_is_part_of_the_text(tmp_path: Path) -> None:
    encoder, inner = cached(tmp_path)
    encoder.encode_passages([*passages("lake"), Passage("x", "x", "Water", "en", "lake")])
    assert inner.encoded == ["lake", "lake"]


def test_shipped_vectors_are_used_first_and_not_kept_again(tmp_path: Path) -> None:
    ShippedVectors.save(tmp_path / "shipped.npz", Counting(), passages("lake", "boat", "lake"))
    encoder, inner = cached(tmp_path, ShippedVectors(tmp_path / "shipped.npz", "counting"))
    encoder.encode_passages(passages("boat", "lake"))
    assert inner.encoded == [] and not list(tmp_path.glob("*.db"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", None])
def test_without_a_readable_shipped_file_texts_are_encoded_which_is_logged(
    tmp_path: Path, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    if content is not None:
        (tmp_path / "shipped.npz").write_bytes(content)
    encoder, inner = cached(tmp_path, ShippedVectors(tmp_path / "shipped.npz", "counting"))
    encoder.encode_passages(passages("lake"))
    assert inner.encoded == ["lake"]
    assert "shipped.npz cannot be read" in caplog.text


def test_shipped_vectors_of_another_encoder_are_not_used(tmp_path: Path) -> None:
    ShippedVectors.save(tmp_path / "shipped.npz", Counting("older"), passages("lake"))
    encoder, inner = cached(tmp_path, ShippedVectors(tmp_path / "shipped.npz", "counting"))
    encoder.encode_passages(passages("lake"))
    assert inner.encoded == ["lake"]


def test_a_damaged_cell_is_encoded_again(tmp_path: Path) -> None:
    first, _ = cached(tmp_path)
    vectors = first.encode_passages(passages("lake"))
    with sqlite3.connect(cache_file(tmp_path)) as database:
        (blob,) = database.execute("SELECT vector FROM vectors").fetchone()
        database.execute("UPDATE vectors SET vector = ?", (bytes([blob[0] ^ 1]) + blob[1:],))
    again, encoder = cached(tmp_path)
    assert (again.encode_passages(passages("lake")) == vectors).all()
    assert encoder.encoded == ["lake"]


def test_a_file_that_is_no_database_is_replaced_which_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, _ = cached(tmp_path)
    first.encode_passages(passages("lake"))
    cache_file(tmp_path).write_bytes(b"no database at all" * 100)
    cached(tmp_path)[0].encode_passages(passages("lake"))
    cached(tmp_path)[0].encode_passages(passages("lake"))
    again, encoder = cached(tmp_path)
    again.encode_passages(passages("lake"))
    assert encoder.encoded == []
    assert caplog.text.count("was damaged") == 1


def test_where_nothing_can_be_kept_vectors_are_computed_which_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    encoder, _ = cached(tmp_path / "file")
    assert encoder.encode_passages(passages("lake")).shape == (1, DIMENSIONS)
    encoder.encode_passages(passages("boat"))
    assert caplog.text.count("cannot be used") == 1


def test_a_new_file_that_another_process_writes_is_waited_for(tmp_path: Path) -> None:
    cache, vectors = VectorCache(tmp_path, Counting()), ByteVectors.of(np.ones((1, DIMENSIONS), np.float32))
    cache.put([1], vectors)
    [file] = tmp_path.glob("*.db")
    for part in tmp_path.glob("*.db*"):
        part.unlink()
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        Timer(0.1, other.execute, ["COMMIT"]).start()
        cache.put([2], vectors)
    assert list(cache.get([2])) == [2]


def test_a_bounded_file_drops_some_of_what_it_has_and_keeps_the_rest(tmp_path: Path) -> None:
    file, blob = BlobFile(tmp_path / "blobs.db", most=1 << 20), bytes(5_000)
    for number in range(40):
        file.put((text_digest(f"{number}.{part}"), blob) for part in range(10))
    kept = file.get([text_digest(f"{number}.{part}") for number in range(40) for part in range(10)])
    assert 60 <= len(kept) <= (1 << 20) // 5_000 and set(kept.values()) == {blob}


def test_no_passages_have_no_vectors(tmp_path: Path) -> None:
    assert cached(tmp_path)[0].encode_passages([]).shape == (0, DIMENSIONS)


@given(st.lists(st.floats(-1, 1).map(lambda number: round(number, 6)), min_size=1, max_size=20))
def test_rounding_keeps_each_number_within_half_a_step_and_is_final(numbers: list[float]) -> None:
    vectors = np.array([numbers], dtype=np.float32)
    rounded = ByteVectors.of(vectors)
    assert np.abs(rounded.vectors - vectors).max() <= rounded.scales[0] * 0.5001 + 1e-7
    assert (ByteVectors.of(rounded.vectors).steps == rounded.steps).all()
