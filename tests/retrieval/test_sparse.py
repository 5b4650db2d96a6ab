"""Sparse search over learned weights: dot products, exact scope, a killed build, a damaged index."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import Retriever
from workbench.core.records import Passage, Query
from workbench.retrieval.sparse import PARTS, SparseEncoder, SparseIndex

LETTERS = "abcdefgh"


class LetterWeights(SparseEncoder):
    """A text's weights are how often it has each letter. Dies after `lives` passages."""

    identity = "letters"
    vocabulary = len(LETTERS)

    def __init__(self, identity: str = "letters", lives: int = 1000) -> None:
        self.identity, self.lives, self.encoded = identity, lives, 0

    def _weights(self, texts: list[str]) -> csr_matrix:
        counts = [[text.count(letter) for letter in LETTERS] for text in texts]
        return csr_matrix(np.array(counts, dtype=np.float32).reshape(len(texts), len(LETTERS)))

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        if self.encoded + len(passages) > self.lives:
            raise KeyboardInterrupt
        self.encoded += len(passages)
        return self._weights([passage.searchable for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> csr_matrix:
        return self._weights([query.text for query in queries])


PASSAGES = (
    Passage("p0", "d", "", "en", "aab"),
    Passage("p1", "d", "", "de", "ab"),
    Passage("p2", "d", "", "en", "cc"),
    Passage("p3", "d", "", "de", "aab"),
    Passage("p4", "d", "", "en", "aab"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    folder = tmp_path_factory.mktemp("sparse")
    SparseIndex.build(folder, LetterWeights(), iter(PASSAGES), batch=2)
    return SparseIndex.open(folder, LetterWeights())


def scored_ids(index: SparseIndex, text: str, *languages: str, k: int = 10) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in index.retrieve([Query(text, "en", languages)], k)[0]]


def test_the_stand_in_is_a_sparse_encoder_and_the_index_a_retriever(index: SparseIndex) -> None:
    assert isinstance(LetterWeights(), SparseEncoder)
    assert isinstance(index, Retriever)


def test_a_score_is_the_dot_product(index: SparseIndex) -> None:
    assert scored_ids(index, "abb", "de") == [("p3", 4.0), ("p1", 3.0)]


def test_equal_scores_come_in_order_of_row_over_all_languages(index: SparseIndex) -> None:
    assert [id for id, _ in scored_ids(index, "a", "en", "de")] == ["p0", "p3", "p4", "p1"]


def test_a_tie_at_the_cut_is_broken_by_row(index: SparseIndex) -> None:
    assert [id for id, _ in scored_ids(index, "a", "en", "de", k=2)] == ["p0", "p3"]


def test_no_hit_is_outside_the_scope(index: SparseIndex) -> None:
    assert {hit.language for hit in index.retrieve([Query("a", "en", ("de",))], 10)[0]} == {"de"}


def test_rows_count_the_passages_in_their_order(index: SparseIndex) -> None:
    (hits,) = index.retrieve([Query("c", "en", ("en", "de", "fi"))], 10)
    assert [(hit.row, dict(hit.scores)) for hit in hits] == [(2, {"sparse": 2.0})]


def test_a_passage_that_shares_no_token_is_not_ranked(index: SparseIndex) -> None:
    assert scored_ids(index, "h", "en", "de") == []


@pytest.mark.parametrize("k", [0, -1])
def test_zero_hits_are_none(index: SparseIndex, k: int) -> None:
    assert scored_ids(index, "a", "en", k=k) == []


def test_a_batch_gives_one_ranking_per_question(index: SparseIndex) -> None:
    queries = [Query("c", "en", ("en",)), Query("", "en", ("en",)), Query("b", "en", ("en",))]
    assert [[hit.id for hit in hits] for hits in index.retrieve(queries, 5)] == [["p2"], [], ["p0", "p4"]]


def test_progress_counts_the_passages(tmp_path: Path) -> None:
    counts: list[int] = []
    SparseIndex.build(tmp_path, LetterWeights(), iter(PASSAGES), counts.append, batch=2)
    assert counts == [2, 4, 5]


def test_a_killed_build_resumes_where_it_was(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        SparseIndex.build(tmp_path, LetterWeights(lives=4), iter(PASSAGES), batch=2)
    with pytest.raises(MissingError):
        SparseIndex.open(tmp_path, LetterWeights())
    again = LetterWeights()
    SparseIndex.build(tmp_path, again, iter(PASSAGES), batch=2)
    assert again.encoded == 1
    assert scored_ids(SparseIndex.open(tmp_path, again), "a", "en") == [("p0", 2.0), ("p4", 2.0)]
    assert not (tmp_path / PARTS).exists()


def test_the_parts_of_another_encoder_are_not_reused(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        SparseIndex.build(tmp_path, LetterWeights(lives=4), iter(PASSAGES), batch=2)
    other = LetterWeights("other")
    SparseIndex.build(tmp_path, other, iter(PASSAGES), batch=2)
    assert other.encoded == 5


def test_an_index_of_another_encoder_is_refused(tmp_path: Path) -> None:
    SparseIndex.build(tmp_path, LetterWeights(), iter(PASSAGES))
    with pytest.raises(DataError, match="“letters”"):
        SparseIndex.open(tmp_path, LetterWeights("other"))


def test_the_same_passages_give_the_same_identity(tmp_path: Path) -> None:
    for name in ("one", "two"):
        SparseIndex.build(tmp_path / name, LetterWeights(), iter(PASSAGES), batch=len(name))
    one, two = (SparseIndex.open(tmp_path / name, LetterWeights()) for name in ("one", "two"))
    assert one.identity == two.identity


@pytest.mark.parametrize("broken", ["sparse.json", "en.indices.npy", "en.rows.npy"])
def test_a_damaged_index_is_reported_in_a_sentence(tmp_path: Path, broken: str) -> None:
    SparseIndex.build(tmp_path, LetterWeights(), iter(PASSAGES))
    (tmp_path / broken).write_bytes(b"{")
    with pytest.raises(DataError, match="corpora index"):
        SparseIndex.open(tmp_path, LetterWeights())
