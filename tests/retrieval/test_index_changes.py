"""Indexes to which passages are added and from which some are removed: they rank as indexes built anew do."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_matrix

from workbench.core.protocols import FloatArray, Retriever
from workbench.core.records import Passage, Query, Ranking
from workbench.retrieval import encoded_index, part_vectors
from workbench.retrieval.balance import LevelledSearch
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoded_index import remove_unnamed
from workbench.retrieval.hybrid import HybridRetriever
from workbench.retrieval.lexical import LexicalIndex
from workbench.retrieval.sentence_index import SentenceIndex, SentenceRescoring
from workbench.retrieval.sparse import SparseIndex

WORDS = ("radio", "lake", "night", "ferry", "bread", "oven", "tram", "shore", "snow", "light")
QUERIES = tuple(
    Query(text, "en", ("en", "fi", "zh")) for text in ("radio at night", "bread", "snow light shore tram", "ferry lake")
)
TOLERANCE = 2e-4
"""A lexical score is rounded to .0001, from numbers that differ in the last digits of a float32."""


class Letters:
    """Encodes a text by how often it has each letter, at unit length."""

    identity = "letters"
    dimensions = vocabulary = 26

    def _counts(self, texts: Sequence[str]) -> FloatArray:
        counts = np.array([[text.count(chr(97 + n)) + 0.01 * n for n in range(26)] for text in texts], np.float32)
        counts = counts.reshape(len(texts), 26)
        vectors: FloatArray = (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)
        return vectors

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._counts([passage.searchable for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return self._counts([query.text for query in queries])


class SparseLetters(Letters):
    """The same as weights."""

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        return csr_matrix(super().encode_passages(passages))

    def encode_queries(self, queries: Sequence[Query]) -> csr_matrix:
        return csr_matrix(super().encode_queries(queries))


def passage(number: int, draw: random.Random) -> Passage:
    words = " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 12)))
    text = f"{words}. {draw.choice(WORDS)} 2 . "
    if draw.random() < 0.2:  # broken words, which have a shard of their own
        text = " ".join(f"{word[:1]}\x02{word[1:]}" for word in text.split()) * 2
    return Passage(f"p{number}", f"d{number}", "", draw.choice(("en", "en", "fi", "zh")), text)


@dataclass
class Indexes:
    """All kinds of index in one folder, changed step by step, with the passages that they are to have."""

    folder: Path
    rows: dict[int, Passage] = field(default_factory=dict)
    removed: list[int] = field(default_factory=list)
    next_row: int = 0

    def build(self, passages: Sequence[Passage]) -> None:
        LexicalIndex.build(self.folder / "lexical", passages)
        DenseIndex.build(self.folder / "dense", Letters(), passages)
        SentenceIndex.build(self.folder / "sentences", Letters(), passages)
        SparseIndex.build(self.folder / "sparse", SparseLetters(), passages)
        self.rows = dict(enumerate(passages))
        self.next_row = len(passages)

    def gone(self) -> np.ndarray:
        return np.array(sorted(self.removed), dtype=np.int64)

    def change(self, added: Sequence[Passage], removed: Sequence[int]) -> None:
        before = dict(self.rows)
        taken = [(row, self.rows.pop(row)) for row in removed]
        self.removed += removed
        rows = list(range(self.next_row, self.next_row + len(added)))
        LexicalIndex.change(self.folder / "lexical", zip(rows, added, strict=True), taken, before.items)
        if added:
            gone = self.gone()
            DenseIndex.open(self.folder / "dense", Letters(), gone).extend(self.folder / "dense", added, rows)
            SentenceIndex.open(self.folder / "sentences", Letters(), gone).extend(
                self.folder / "sentences", added, rows
            )
            SparseIndex.open(self.folder / "sparse", SparseLetters(), gone).extend(
                self.folder / "sparse", added, rows, checkpoint=self.folder / "parts"
            )
        self.rows |= dict(zip(rows, added, strict=True))
        self.next_row += len(added)

    def rankings(self, k: int) -> dict[str, list[Ranking]]:
        gone = self.gone()
        lexical = LexicalIndex.open(self.folder / "lexical")
        dense = DenseIndex.open(self.folder / "dense", Letters(), gone)
        sentences = SentenceRescoring(dense, SentenceIndex.open(self.folder / "sentences", Letters(), gone), depth=5)
        retrievers: dict[str, Retriever] = {
            "lexical": lexical,
            "dense": dense,
            "levelled": LevelledSearch(dense),
            "sentences": sentences,
            "sparse": SparseIndex.open(self.folder / "sparse", SparseLetters(), gone),
            "hybrid": HybridRetriever(lexical, dense),
        }
        return {name: retriever.retrieve(QUERIES, k) for name, retriever in retrievers.items()}


def assert_same(changed: Sequence[Ranking], anew: Sequence[Ranking], name: str) -> None:
    """The same passages with the same scores, in the same order but for scores that are equal within TOLERANCE."""
    for one, other in zip(changed, anew, strict=True):
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], abs=TOLERANCE), name
        last = other[-1].score if other else math.inf
        scores = {hit.id: hit.score for hit in other}
        for hit in one:
            assert scores.get(hit.id, last) == pytest.approx(hit.score, abs=2 * TOLERANCE), name


changes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=6)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30), changes, st.sampled_from([0, 2, 1000]))
def test_after_any_changes_an_index_ranks_as_one_built_anew(
    seed: int, size: int, steps: list[tuple[int, int]], small: int
) -> None:
    draw = random.Random(seed)
    numbers = iter(range(10_000))
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoded_index, "SMALL", small)
        indexes = Indexes(Path(name) / "changed")
        indexes.build([passage(next(numbers), draw) for _ in range(size)])
        for added, removed in steps:
            gone = draw.sample(sorted(indexes.rows), min(removed, len(indexes.rows)))
            indexes.change([passage(next(numbers), draw) for _ in range(added)], sorted(gone))
        anew = Indexes(Path(name) / "anew")
        anew.build([indexes.rows[row] for row in sorted(indexes.rows)])
        for k in (3, 50):
            expected = anew.rankings(k)
            for kind, rankings in indexes.rankings(k).items():
                assert_same(rankings, expected[kind], kind)


def test_a_large_addition_to_a_large_part_ranks_as_one_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_vectors, "EXACT_NUMBERS", 8 * Letters.dimensions)
    draw = random.Random(3)
    passages = [replace(passage(number, draw), language="en") for number in range(24)]
    DenseIndex.build(tmp_path / "changed", Letters(), passages[:12], batch=4)
    DenseIndex.open(tmp_path / "changed", Letters()).extend(tmp_path / "changed", passages[12:], range(12, 24))
    assert len(list((tmp_path / "changed").glob("*.bits.faiss"))) == 2
    DenseIndex.build(tmp_path / "anew", Letters(), passages, batch=4)
    one, other = (DenseIndex.open(tmp_path / name, Letters()).retrieve(QUERIES, 6) for name in ("changed", "anew"))
    assert one == other


def test_removed_passages_are_passed_over_however_many_come_first(tmp_path: Path) -> None:
    passages = [Passage(f"p{n}", f"p{n}", "", "en", "radio at night" if n < 90 else "bread") for n in range(100)]
    LexicalIndex.build(tmp_path / "lexical", passages)
    DenseIndex.build(tmp_path / "dense", Letters(), passages)
    LexicalIndex.change(tmp_path / "lexical", [], list(enumerate(passages[:89])), lambda: enumerate(passages))
    dense = DenseIndex.open(tmp_path / "dense", Letters(), np.arange(89, dtype=np.int64))
    (by_words,) = LexicalIndex.open(tmp_path / "lexical").retrieve([QUERIES[0]], 3)
    (by_vectors,) = dense.retrieve([QUERIES[0]], 3)
    assert [hit.id for hit in by_words] == ["p89"]
    assert [hit.id for hit in by_vectors] == ["p89", "p90", "p91"]


def test_only_files_of_parts_that_were_taken_into_others_are_removed(tmp_path: Path) -> None:
    draw = random.Random(1)
    passages = [replace(passage(number, draw), language="en") for number in range(6)]
    DenseIndex.build(tmp_path, Letters(), passages[:4])
    for row in (4, 5):
        DenseIndex.open(tmp_path, Letters()).extend(tmp_path, [passages[row]], [row])
    remove_unnamed(tmp_path, "dense")
    assert sorted(path.name for path in tmp_path.glob("*.vectors.npy")) == ["en.5.vectors.npy", "en.vectors.npy"]
    (ranking,) = DenseIndex.open(tmp_path, Letters()).retrieve([QUERIES[0]], 9)
    assert {hit.id for hit in ranking} == {each.id for each in passages}
