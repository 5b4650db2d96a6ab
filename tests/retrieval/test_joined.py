"""A trained encoder and what the built-in one learnt from translations, as one dense retriever."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.core.protocols import FloatArray, Retriever
from workbench.core.records import Passage, Query
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.joined import ALIGNED_SHARE, MEMORY_SHARE, JoinedRetriever, memory_share

PASSAGES = [
    Passage("lake", "lake", "", "en", "lake"),
    Passage("boat", "boat", "", "fi", "boat"),
    Passage("ovens", "ovens", "", "bo", "oven"),
]


class Angles:
    """An encoder that gives each text the angle that it is told, in degrees; None where it knows nothing."""

    dimensions = 2
    cross_lingual_part = slice(0, 2)

    def __init__(self, identity: str, angles: dict[str, float | None], likeness: float = 0.0) -> None:
        self.identity = identity
        self._angles = angles
        self._likeness = likeness

    def likeness(self, queries: Sequence[Query]) -> FloatArray:
        return np.full(len(queries), self._likeness, dtype=np.float32)

    def encode_cross_lingual(self, queries: Sequence[Query]) -> FloatArray:
        return self._encode([f"view of {query.text}" for query in queries])

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return self._encode([passage.text for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return self._encode([query.text for query in queries])

    def encode_angle(self, text: str) -> float:
        return self._angles[text] or 0.0

    def _encode(self, texts: Sequence[str]) -> FloatArray:
        rows = [self._angles.get(text, 0.0) for text in texts]
        return np.array(
            [[0, 0] if row is None else [np.cos(np.radians(row)), np.sin(np.radians(row))] for row in rows],
            dtype=np.float32,
        )


TRAINED = Angles("trained", {"lake": 10, "boat": 40, "oven": 0, "?": 0})
LANGUAGES = ("bo", "en", "fi")


def knows(code: str) -> bool:
    return code != "bo"


@pytest.fixture
def joined(tmp_path: Path) -> JoinedRetriever:
    return retriever(tmp_path, Angles("builtin", {"lake": 80, "boat": 5, "oven": 60, "?": 0}))


def retriever(folder: Path, builtin: Angles, *, aligned: bool = False) -> JoinedRetriever:
    for name, encoder in (("trained", TRAINED), ("builtin", builtin)):
        DenseIndex.build(folder / name, encoder, PASSAGES)
    return JoinedRetriever(
        DenseIndex.open(folder / "trained", TRAINED),
        DenseIndex.open(folder / "builtin", builtin),
        builtin,
        knows=knows,
        aligned=aligned,
    )


def cosine(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


def test_it_is_a_retriever(joined: JoinedRetriever) -> None:
    assert isinstance(joined, Retriever)


def test_without_translations_the_trained_encoder_decides(joined: JoinedRetriever) -> None:
    (ranking,) = joined.retrieve([Query("?", "en", ("en", "fi"))], 5)
    assert [hit.id for hit in ranking] == ["lake", "boat"]
    assert [hit.score for hit in ranking] == pytest.approx([cosine(10), cosine(40)], abs=1e-4)


def test_in_an_aligned_corpus_the_cross_lingual_view_has_its_share(tmp_path: Path) -> None:
    builtin = Angles("builtin", {"lake": 80, "boat": 5, "?": 0, "view of ?": 30})
    (ranking,) = retriever(tmp_path, builtin, aligned=True).retrieve([Query("?", "en", ("en",))], 5)
    addition = ALIGNED_SHARE * cosine(50)
    assert ranking[0].score == pytest.approx((1 - ALIGNED_SHARE) * cosine(10) + addition, abs=1e-4)
    assert ranking[0].scores["built-in"] == pytest.approx(addition, abs=1e-4)


@pytest.mark.parametrize("aligned", [False, True])
def test_a_question_known_in_translation_follows_the_built_in_encoder(tmp_path: Path, aligned: bool) -> None:
    builtin = Angles("builtin", {"lake": 80, "boat": 5, "?": 0}, likeness=1.0)
    (ranking,) = retriever(tmp_path, builtin, aligned=aligned).retrieve([Query("?", "en", ("en", "fi"))], 5)
    assert [hit.id for hit in ranking] == ["boat", "lake"]
    assert ranking[0].score == pytest.approx((1 - MEMORY_SHARE) * cosine(40) + MEMORY_SHARE * cosine(5), abs=1e-4)


def test_passages_in_an_unknown_language_lie_in_the_range_of_the_others(joined: JoinedRetriever) -> None:
    (ranking,) = joined.retrieve([Query("?", "en", LANGUAGES)], 5)
    by_id = {hit.id: hit for hit in ranking}
    low, high = cosine(40), cosine(10)
    assert by_id["ovens"].score == pytest.approx(low + cosine(60) * (high - low), abs=1e-4)
    assert by_id["ovens"].scores["built-in"] == pytest.approx(cosine(60), abs=1e-4)


def test_a_question_in_an_unknown_language_is_searched_by_the_built_in_encoder(joined: JoinedRetriever) -> None:
    (ranking,) = joined.retrieve([Query("?", "bo", LANGUAGES)], 5)
    assert [hit.id for hit in ranking] == ["boat", "ovens", "lake"]


def test_all_hits_are_in_the_languages_of_the_query(joined: JoinedRetriever) -> None:
    rankings = joined.retrieve([Query("?", "en", ("fi",)), Query("?", "en", ("bo",)), Query("?", "en", ())], 5)
    assert [[hit.language for hit in ranking] for ranking in rankings] == [["fi"], ["bo"], []]


def test_no_more_than_k_hits_come_and_none_for_no_queries(joined: JoinedRetriever) -> None:
    assert len(joined.retrieve([Query("?", "en", LANGUAGES)], 1)[0]) == 1
    assert joined.retrieve([Query("?", "en", LANGUAGES)], 0) == [()]
    assert joined.retrieve([], 5) == []


@pytest.mark.parametrize(("likeness", "share"), [(0.0, 0), (0.5, 0), (0.7, 0.3), (0.9, 0.6), (1.0, 0.6)])
def test_the_share_of_the_memory_rises_with_the_likeness(likeness: float, share: float) -> None:
    assert memory_share(likeness) == pytest.approx(share)
