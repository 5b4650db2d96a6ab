"""Dense search over FAISS shards, with an encoder whose vectors are known."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import Encoder, FloatArray, Retriever
from workbench.core.records import AveragedQuery, Passage, Query, Ranking
from workbench.retrieval import dense, part_vectors
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.index_files import read_facts, write_manifest

VECTORS = {"lake": (1.0, 0.0), "shore": (0.8, 0.6), "oven": (0.0, 1.0), "": (0.0, 0.0)}


class Fixed(Encoder):
    """Texts of VECTORS, in two dimensions."""

    identity = "fixed"
    dimensions = 2

    def __init__(self, identity: str = "fixed") -> None:
        self.identity = identity

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return np.array([VECTORS[p.text] for p in passages], dtype=np.float32)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return np.array([VECTORS[q.text] for q in queries], dtype=np.float32)


def passage(id: str, language: str, text: str) -> Passage:
    return Passage(id, id, "", language, text)


PASSAGES = [
    passage("en-oven", "en", "oven"),
    passage("fi-lake", "fi", "lake"),
    passage("en-shore", "en", "shore"),
    passage("en-lake", "en", "lake"),
]


@pytest.fixture
def index(tmp_path: Path) -> DenseIndex:
    DenseIndex.build(tmp_path, Fixed(), PASSAGES, batch=3)
    return DenseIndex.open(tmp_path, Fixed())


def hit_ids(index: DenseIndex, text: str, *languages: str, k: int = 10) -> list[str]:
    return [hit.id for hit in index.retrieve([Query(text, "en", languages)], k)[0]]


def test_it_is_a_retriever(index: DenseIndex) -> None:
    assert isinstance(index, Retriever)


def test_passages_come_nearest_first(index: DenseIndex) -> None:
    assert hit_ids(index, "lake", "en") == ["en-lake", "en-shore", "en-oven"]


def test_an_averaged_question_is_searched_by_the_mean_with_its_passages(index: DenseIndex) -> None:
    query = AveragedQuery("lake", "en", ("en", "fi"), ("shore", "oven"))
    (hits,) = index.retrieve([query], 4)
    assert [hit.id for hit in hits] == ["en-shore", "fi-lake", "en-lake", "en-oven"]
    assert hits[1].score == pytest.approx(1.8 / np.hypot(1.8, 1.6), abs=1e-5)


def test_only_the_languages_of_the_scope_are_searched(index: DenseIndex) -> None:
    assert hit_ids(index, "lake", "fi") == ["fi-lake"]


def test_shards_merge_by_score_and_equal_scores_by_row(index: DenseIndex) -> None:
    assert hit_ids(index, "lake", "en", "fi", k=3) == ["fi-lake", "en-lake", "en-shore"]


def test_a_language_without_passages_is_simply_absent(index: DenseIndex) -> None:
    assert hit_ids(index, "lake", "de") == []
    assert hit_ids(index, "oven", "de", "en", k=1) == ["en-oven"]


def test_a_hit_names_its_row_language_and_cosine(index: DenseIndex) -> None:
    hit = index.retrieve([Query("lake", "en", ("en",))], 2)[0][1]
    assert (hit.id, hit.row, hit.language, hit.score) == ("en-shore", 2, "en", 0.8)
    assert hit.scores == {"dense": 0.8}


def test_a_question_the_encoder_knows_nothing_of_finds_nothing(index: DenseIndex) -> None:
    assert index.retrieve([Query("", "en", ("en",)), Query("oven", "en", ("en",))], 1)[0] == ()


def test_a_batch_over_several_scopes_keeps_its_order(index: DenseIndex) -> None:
    queries = [Query("lake", "en", ("en",)), Query("lake", "en", ("fi",)), Query("oven", "en", ("en",))]
    assert [ranking[0].id for ranking in index.retrieve(queries, 1)] == ["en-lake", "fi-lake", "en-oven"]


def test_no_questions_or_no_hits_give_nothing(index: DenseIndex) -> None:
    assert index.retrieve([], 3) == []
    assert index.retrieve([Query("lake", "en", ("en",))], 0) == [()]


def test_the_same_passages_have_the_same_identity_and_others_another(tmp_path: Path, index: DenseIndex) -> None:
    def identity(name: str, passages: list[Passage]) -> str:
        DenseIndex.build(tmp_path / name, Fixed(), passages)
        return DenseIndex.open(tmp_path / name, Fixed()).identity

    assert identity("same", PASSAGES) == index.identity
    assert identity("less", PASSAGES[:2]) != index.identity


def test_progress_is_reported_after_each_batch(tmp_path: Path) -> None:
    counts: list[int] = []
    DenseIndex.build(tmp_path, Fixed(), PASSAGES, counts.append, batch=3)
    assert counts == [3, 4]


class Numbered(Fixed):
    """Each text is a number that says which unit vector of a fixed draw it is."""

    dimensions = 300

    def __init__(self) -> None:
        super().__init__()
        drawn = np.random.default_rng(3).standard_normal((400, self.dimensions))
        self._vectors: FloatArray = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._vectors.take([int(p.text) for p in passages], axis=0)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return self._vectors.take([int(q.text) for q in queries], axis=0)


@pytest.mark.parametrize("k", [5, 400])
def test_a_question_gets_the_same_scores_alone_and_among_others(tmp_path: Path, k: int) -> None:
    passages = [passage(f"p{number}", "en", str(number)) for number in range(300)]
    DenseIndex.build(tmp_path, Numbered(), passages)
    index = DenseIndex.open(tmp_path, Numbered())
    queries = [Query(str(number), "en", ("en",)) for number in range(300, 300 + 2 * part_vectors.BLAS_FROM)]
    assert index.retrieve(queries, k) == [index.retrieve([query], k)[0] for query in queries]


NUMBERED = [passage(f"p{number}", "en" if number % 3 else "fi", str(number)) for number in range(390)]
ASKED = [Query(str(number), "en", ("en", "fi")) for number in range(390, 400)]


@pytest.fixture
def with_bits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of an index whose parts have bits, in several blocks, of which few candidates are scored."""
    monkeypatch.setattr(part_vectors, "EXACT_NUMBERS", 0)
    monkeypatch.setattr(part_vectors, "BLOCK", 50)
    monkeypatch.setattr(dense, "CANDIDATES", 12)
    monkeypatch.setattr(dense, "CANDIDATES_EACH", 1)
    DenseIndex.build(tmp_path, Numbered(), NUMBERED)
    return tmp_path


def recall(rankings: Sequence[Ranking], exact: Sequence[Ranking]) -> float:
    pairs = [({hit.id for hit in one}, {hit.id for hit in other}) for one, other in zip(rankings, exact, strict=True)]
    return sum(len(one & other) for one, other in pairs) / sum(len(other) for _, other in pairs)


def test_a_large_part_is_searched_by_its_bits_and_its_hits_have_exact_cosines(with_bits: Path) -> None:
    estimated = DenseIndex.open(with_bits, Numbered()).retrieve(ASKED, 10)
    exact = DenseIndex.open(with_bits, Numbered()).exactly().retrieve(ASKED, 10)
    assert estimated != exact  # random vectors are all about as far apart, and few are scored
    assert recall(estimated, exact) > 0.6
    scores = {(number, hit.id): hit.score for number, ranking in enumerate(exact) for hit in ranking}
    near = [((number, hit.id), hit.score) for number, ranking in enumerate(estimated) for hit in ranking]
    assert all(scores.get(key, score) == score for key, score in near)


def test_more_candidates_than_hits_are_scored_so_that_the_best_are_among_them(
    with_bits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = DenseIndex.open(with_bits, Numbered()).exactly().retrieve(ASKED, 10)
    few = recall(DenseIndex.open(with_bits, Numbered()).retrieve(ASKED, 10), exact)
    monkeypatch.setattr(dense, "CANDIDATES", 200)
    assert recall(DenseIndex.open(with_bits, Numbered()).retrieve(ASKED, 10), exact) > few


def test_exact_search_reads_all_vectors_and_equals_that_of_an_index_without_bits(
    with_bits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_vectors, "EXACT_NUMBERS", 1 << 25)
    DenseIndex.build(with_bits / "plain", Numbered(), NUMBERED)
    assert not list((with_bits / "plain").glob("*.bits.faiss"))
    exact = DenseIndex.open(with_bits, Numbered()).exactly()
    assert exact.retrieve(ASKED, 10) == DenseIndex.open(with_bits / "plain", Numbered()).retrieve(ASKED, 10)


def test_shares_that_threads_search_give_what_one_search_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    DenseIndex.build(tmp_path, Numbered(), NUMBERED)
    whole = DenseIndex.open(tmp_path, Numbered()).retrieve(ASKED, 10)
    monkeypatch.setattr(part_vectors, "SHARED", 0)
    monkeypatch.setattr(part_vectors, "_threads", lambda: 3)
    assert DenseIndex.open(tmp_path, Numbered()).retrieve(ASKED, 10) == whole


def test_estimates_give_the_same_each_time_alone_and_among_others_and_built_again(with_bits: Path) -> None:
    first = DenseIndex.open(with_bits, Numbered())
    DenseIndex.build(with_bits / "again", Numbered(), NUMBERED)
    again = DenseIndex.open(with_bits / "again", Numbered())
    assert again.identity == first.identity
    rankings = first.retrieve(ASKED, 10)
    assert rankings == again.retrieve(ASKED, 10) == [first.retrieve([query], 10)[0] for query in ASKED]


def test_exact_and_estimated_search_have_different_identities_where_there_are_bits(with_bits: Path) -> None:
    estimated = DenseIndex.open(with_bits, Numbered())
    assert estimated.exactly().identity != estimated.identity


def test_exact_search_of_a_small_index_has_the_same_identity(tmp_path: Path, index: DenseIndex) -> None:
    assert DenseIndex.open(tmp_path, Fixed()).exactly().identity == index.identity


def test_hits_of_a_part_with_bits_are_of_the_scope_and_not_removed(with_bits: Path) -> None:
    removed = np.arange(0, 380, dtype=np.int64)
    index = DenseIndex.open(with_bits, Numbered(), removed)
    (ranking,) = index.retrieve([Query("395", "en", ("fi",))], 10)
    assert {hit.row for hit in ranking} == {381, 384, 387}


def test_bits_of_other_vectors_are_a_data_error(with_bits: Path) -> None:
    facts, bits = read_facts(with_bits, "dense"), with_bits / "en.bits.faiss"
    bits.write_bytes((with_bits / "fi.bits.faiss").read_bytes())
    write_manifest(with_bits, "dense", facts, [bits])
    with pytest.raises(DataError, match="damaged"):
        DenseIndex.open(with_bits, Numbered())


@pytest.mark.parametrize("k", [1, 4])
def test_a_question_whose_vector_holds_no_number_finds_nothing(
    index: DenseIndex, monkeypatch: pytest.MonkeyPatch, k: int
) -> None:
    monkeypatch.setitem(VECTORS, "", (float("nan"), 0.0))
    monkeypatch.setattr(dense, "OVERSAMPLE", 0)
    assert hit_ids(index, "", "en", k=k) == []


def test_an_empty_corpus_is_an_index_that_finds_nothing(tmp_path: Path) -> None:
    DenseIndex.build(tmp_path, Fixed(), [])
    assert hit_ids(DenseIndex.open(tmp_path, Fixed()), "lake", "en") == []


def test_an_index_of_another_encoder_is_refused(tmp_path: Path, index: DenseIndex) -> None:
    with pytest.raises(DataError, match="made by the encoder “fixed”, not by “other”"):
        DenseIndex.open(tmp_path, Fixed("other"))


def test_a_half_built_index_is_not_taken_for_a_whole_one(tmp_path: Path, index: DenseIndex) -> None:
    def killed() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DenseIndex.build(tmp_path, Fixed(), PASSAGES, lambda done: killed(), batch=1)
    with pytest.raises(MissingError, match="no dense index"):
        DenseIndex.open(tmp_path, Fixed())


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"format": 99})])
def test_a_damaged_manifest_is_a_data_error(tmp_path: Path, index: DenseIndex, text: str) -> None:
    (tmp_path / "dense.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"cannot be read|is damaged"):
        DenseIndex.open(tmp_path, Fixed())


def test_a_damaged_shard_is_a_data_error(tmp_path: Path, index: DenseIndex) -> None:
    (tmp_path / "fi.vectors.npy").write_bytes(b"xx")
    with pytest.raises(DataError, match="damaged"):
        DenseIndex.open(tmp_path, Fixed())


def test_any_passages_are_scored_by_a_part_of_the_dimensions_at_length_one(index: DenseIndex) -> None:
    query, vector = Query("lake", "en", ("en", "fi")), np.array([1.0, 0.0], dtype=np.float32)
    (ranking,) = index.retrieve([query], 10)
    whole = {hit.id: hit.score for hit in index.scored(ranking, query, vector)}
    assert whole == {hit.id: hit.score for hit in ranking}
    part = dict(zip((hit.id for hit in ranking), index.cosines(ranking, vector, slice(0, 1)), strict=True))
    assert part == {"en-lake": 1.0, "fi-lake": 1.0, "en-shore": 1.0, "en-oven": 0.0}
