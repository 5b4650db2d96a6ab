"""A passage is scored by itself and by its best sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import FloatArray, Retriever
from workbench.core.records import Passage, Query
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.sentence_index import SentenceIndex, SentenceRescoring, count_sentences

WORDS = {"lake": (1.0, 0.0, 0.0), "oven": (0.0, 1.0, 0.0), "boat": (0.0, 0.0, 1.0)}


class Words:
    """The mean of a text's known words, as a unit vector."""

    dimensions = 3
    identity = "words"

    def __init__(self, identity: str = "words") -> None:
        self.identity = identity

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._encode([passage.text for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return self._encode([query.text for query in queries])

    @staticmethod
    def _encode(texts: Sequence[str]) -> FloatArray:
        rows = np.zeros((len(texts), 3), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row += sum((text.count(word) * np.array(vector) for word, vector in WORDS.items()), start=np.zeros(3))
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: FloatArray = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return unit


def passage(id: str, language: str, text: str) -> Passage:
    return Passage(id, id, "", language, text)


PASSAGES = [
    passage("mixed", "en", "The oven is hot. The oven is old. This is a lake."),
    passage("fi", "fi", "oven oven lake boat."),
    passage("blend", "en", "The lake and the oven and the oven."),
    passage("blank", "th", "   "),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    DenseIndex.build(tmp_path, Words(), PASSAGES)
    SentenceIndex.build(tmp_path / "sentences", Words(), PASSAGES, batch=3)
    return tmp_path


@pytest.fixture
def rescoring(folder: Path) -> SentenceRescoring:
    return SentenceRescoring(DenseIndex.open(folder, Words()), SentenceIndex.open(folder / "sentences", Words()))


def ask(retriever: Retriever, text: str, *languages: str, k: int = 5) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in retriever.retrieve([Query(text, "en", languages)], k)[0]]


def test_the_passage_with_the_best_sentence_comes_first(folder: Path, rescoring: SentenceRescoring) -> None:
    plain = dict(ask(DenseIndex.open(folder, Words()), "lake", "en"))
    assert plain["mixed"] == pytest.approx(plain["blend"], abs=1e-4)
    best, second = ask(rescoring, "lake", "en")
    assert (best[0], second[0]) == ("mixed", "blend")
    assert best[1] == pytest.approx((plain["mixed"] + 1) / 2, abs=1e-2)


def test_the_parts_of_the_score_are_kept(rescoring: SentenceRescoring) -> None:
    hit = rescoring.retrieve([Query("lake", "en", ("en",))], 1)[0][0]
    assert hit.scores["dense"] == hit.score
    assert hit.score == pytest.approx((hit.scores["passage"] + hit.scores["sentence"]) / 2, abs=1e-4)


def test_a_share_of_nought_is_the_dense_ranking(folder: Path) -> None:
    dense = DenseIndex.open(folder, Words())
    rescoring = SentenceRescoring(dense, SentenceIndex.open(folder / "sentences", Words()), share=0)
    assert ask(rescoring, "oven", "en", "fi") == ask(dense, "oven", "en", "fi")


def test_a_scope_is_exact(rescoring: SentenceRescoring) -> None:
    assert [name for name, _ in ask(rescoring, "boat", "fi")] == ["fi"]


def test_a_passage_of_white_space_has_no_sentence(rescoring: SentenceRescoring) -> None:
    assert ask(rescoring, "boat", "th") == [("blank", 0.0)]


def test_a_question_that_the_encoder_knows_nothing_of_retrieves_nothing(rescoring: SentenceRescoring) -> None:
    assert ask(rescoring, "unknown", "en") == []


def test_no_question_or_no_room_retrieves_nothing(rescoring: SentenceRescoring) -> None:
    assert rescoring.retrieve([], 5) == []
    assert rescoring.retrieve([Query("lake", "en", ("en",))], 0) == [()]


def test_bytes_lose_less_than_a_hundredth(tmp_path: Path) -> None:
    class Random(Words):
        dimensions = 384

        def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
            rows = np.random.default_rng(5).normal(size=(len(passages), 384)).astype(np.float32)
            unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            return unit

    one = [passage("a", "en", "One. Two. Three.")]
    encoder = Random()
    DenseIndex.build(tmp_path, encoder, one)
    SentenceIndex.build(tmp_path / "sentences", encoder, one)
    hit = DenseIndex.open(tmp_path, encoder).nearest([Query("", "en", ("en",))], encoder.encode_passages(one), 1)[0][0]
    vectors = encoder.encode_passages([*one] * 3)
    index = SentenceIndex.open(tmp_path / "sentences", encoder)
    for vector in vectors:
        assert index.best_sentence(hit, vector) == pytest.approx(1, abs=0.005)


def test_sentences_are_counted_as_they_are_encoded() -> None:
    assert count_sentences(PASSAGES) == 5


def test_indexes_and_share_are_part_of_the_identity(folder: Path) -> None:
    dense, index = DenseIndex.open(folder, Words()), SentenceIndex.open(folder / "sentences", Words())
    identities = {
        SentenceRescoring(dense, index).identity,
        SentenceRescoring(dense, index, share=0.25).identity,
        SentenceRescoring(dense, index, depth=7).identity,
    }
    assert len(identities) == 3


def test_vectors_of_another_encoder_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="made by the encoder"):
        SentenceIndex.open(folder / "sentences", Words("another"))


def test_a_missing_or_cut_file_is_a_sentence(folder: Path) -> None:
    with pytest.raises(MissingError):
        SentenceIndex.open(folder, Words())
    file = folder / "sentences" / "en.sentences.npy"
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(DataError, match="damaged"):
        SentenceIndex.open(folder / "sentences", Words())
