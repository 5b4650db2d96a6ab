"""Passages with the same vector, and vectors that hold no number: dense search gives the same rows each time."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.core.protocols import FloatArray
from workbench.core.records import Passage, Query
from workbench.retrieval import dense, part_vectors
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.milvus.collection import MilvusCollection
from workbench.retrieval.milvus.connection import MilvusAddress, disconnect
from workbench.retrieval.milvus.indexes import MilvusDenseIndex
from workbench.retrieval.part_vectors import PartVectors

DIMENSIONS = 64
SAME = 1_000
"""Passages with the same vector, more than are candidates."""
ROWS = [20, 21, 22, 23, 24]
"""The best five: the first of those, behind passages that are farther from the question."""


def drawn(seed: int, count: int) -> FloatArray:
    """Vectors of length 1."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    drawn_vectors: FloatArray = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return drawn_vectors


class Repeated:
    """Passages whose text is “same” have one vector, others have others; each question is near to that one."""

    identity = "repeated"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._vectors = drawn(5, 200)

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._vectors.take([0 if item.text == "same" else int(item.text) for item in passages], axis=0)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        near = 4 * self._vectors[0] + self._vectors.take([int(query.text) for query in queries], axis=0)
        questions: FloatArray = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
        return questions


TEXTS = [*(str(number) for number in range(1, 21)), *["same"] * SAME, *(str(number) for number in range(21, 40))]
PASSAGES = [Passage(f"p{row}", f"p{row}", "", "en", text) for row, text in enumerate(TEXTS)]
ASKED = [Query(str(number), "en", ("en",)) for number in range(190, 194)]


def best_rows(index: DenseIndex, queries: Sequence[Query], k: int = 5) -> list[list[int]]:
    return [[hit.row for hit in ranking] for ranking in index.retrieve(queries, k)]


def assert_first_rows(index: DenseIndex) -> None:
    """One question at a time and all together, the first of the equal passages are the best."""
    assert best_rows(index, ASKED) == [ROWS] * len(ASKED)
    assert [best_rows(index, [query])[0] for query in ASKED] == [ROWS] * len(ASKED)


@pytest.mark.parametrize("threads", [1, 3])
def test_of_equal_passages_the_first_come_first_for_one_question_or_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(part_vectors, "SHARED", 0)
    monkeypatch.setattr(part_vectors, "_threads", lambda: threads)
    DenseIndex.build(tmp_path, Repeated(), PASSAGES)
    assert_first_rows(DenseIndex.open(tmp_path, Repeated()))


def test_equal_passages_that_were_removed_make_room_for_the_next(tmp_path: Path) -> None:
    DenseIndex.build(tmp_path, Repeated(), PASSAGES)
    index = DenseIndex.open(tmp_path, Repeated(), np.array([20, 22], dtype=np.int64))
    assert best_rows(index, ASKED) == [[21, 23, 24, 25, 26]] * len(ASKED)


def test_of_equal_passages_the_first_come_first_where_cosines_are_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_vectors, "EXACT_NUMBERS", 0)
    monkeypatch.setattr(part_vectors, "BLOCK", 50)
    monkeypatch.setattr(dense, "CANDIDATES", 12)
    DenseIndex.build(tmp_path, Repeated(), PASSAGES)
    assert_first_rows(DenseIndex.open(tmp_path, Repeated()))
    assert_first_rows(DenseIndex.open(tmp_path, Repeated()).exactly())


def test_milvus_gives_the_same_of_equal_passages_as_the_files(tmp_path: Path) -> None:
    DenseIndex.build(tmp_path / "index", Repeated(), PASSAGES)
    address = MilvusAddress.of(f"milvus://{tmp_path}/ties.db")
    collection = MilvusCollection(address, "ties")
    try:
        collection.create(DIMENSIONS)
        vectors = Repeated().encode_passages(PASSAGES)
        collection.put([("en", row, vector) for row, vector in enumerate(vectors)])
        collection.finish()
        assert_first_rows(MilvusDenseIndex(DenseIndex.open(tmp_path / "index", Repeated()), collection))
    finally:
        disconnect(address)


@pytest.mark.parametrize("threads", [1, 3])
def test_all_vectors_above_a_product_are_those_that_numpy_has(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_vectors, "SHARED", 0)
    monkeypatch.setattr(part_vectors, "_threads", lambda: threads)
    vectors = drawn(7, 300)
    reached = PartVectors(vectors).reaching(vectors[0], 0.2)
    assert 1 < len(reached) < 300 and reached.tolist() == np.flatnonzero(vectors @ vectors[0] >= 0.2).tolist()


@pytest.mark.parametrize("counts", [(7,), (0,), (300, 3, 0, 64, 65)])
@pytest.mark.parametrize("threads", [2, 3])
def test_products_are_each_vectors_however_they_are_shared_out(
    threads: int, counts: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, questions = drawn(7, 300), drawn(3, len(counts))
    positions = [np.arange(300)[::-1][:count] for count in counts]
    monkeypatch.setattr(part_vectors, "GATHERED", 0)
    monkeypatch.setattr(part_vectors, "_threads", lambda: threads)
    products = PartVectors(vectors).products(positions, questions)
    assert len(products) == len(counts)
    for some, places, question in zip(products, positions, questions, strict=True):
        assert some == pytest.approx(vectors[places].astype(np.float64) @ question.astype(np.float64), abs=1e-12)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_forked_after_a_search_searches_with_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_vectors, "SHARED", 0)
    monkeypatch.setattr(part_vectors, "_threads", lambda: 2)
    vectors = drawn(7, 300)
    here = PartVectors(vectors).reaching(vectors[0], 0.2)
    pool = part_vectors._pool()
    child = os.fork()
    if child == 0:
        signal.alarm(10)  # a search that waits for threads of the parent would wait for ever
        same = PartVectors(vectors).reaching(vectors[0], 0.2).tolist() == here.tolist()
        os._exit(0 if same and part_vectors._pool() is not pool else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_one_vector_that_holds_no_number_does_not_hide_the_others_of_its_block(
    tmp_path: Path, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = drawn(3, 120)
    vectors[5, 7] = value
    monkeypatch.setattr(part_vectors, "BLOCK", 60)
    part_vectors.write_bits(tmp_path / "bits", vectors)
    blocks = part_vectors.read_bits(tmp_path / "bits")
    near = PartVectors(vectors, blocks).near(vectors[10:20], 10, exact=False)
    assert all(row in places.tolist() for row, places in zip(range(10, 20), near, strict=True))


def test_blocks_that_hold_most_of_the_best_are_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_vectors, "BLOCK", 60)
    questions = drawn(3, 5)
    vectors = drawn(7, 300)
    vectors[70:110] += 0.2 * questions[0]
    vectors[200:230] += 0.2 * questions[3]
    part_vectors.write_bits(tmp_path / "bits", vectors)
    part = PartVectors(vectors, part_vectors.read_bits(tmp_path / "bits"))
    monkeypatch.setattr(part_vectors, "SPREAD", len(part.blocks))
    at_once = part.near(questions, 40, exact=False)
    monkeypatch.setattr(part_vectors, "SPREAD", 1)
    assert part.near(questions, 40, exact=False).tolist() == at_once.tolist()
    assert sum(70 <= position < 110 for position in at_once[0].tolist()) > 8


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (10, [10]), (11, [11]), (12, [10, 2]), (21, [10, 11])])
def test_no_block_of_bits_is_of_a_single_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(part_vectors, "BLOCK", 10)
    part_vectors.write_bits(tmp_path / "bits", drawn(3, count))
    assert [block.ntotal for block in part_vectors.read_bits(tmp_path / "bits")] == sizes
