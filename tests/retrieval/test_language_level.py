"""What brings a question nearer to all passages of a language is taken out of its scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.retrieval.test_joined import Angles, cosine
from workbench.core.protocols import Retriever
from workbench.core.records import Passage, Query
from workbench.retrieval.balance import FEW, LevelledSearch
from workbench.retrieval.dense import DenseIndex

NEAR = {f"en{number}": 40.0 + number % 3 for number in range(60)}
FAR = {f"fi{number}": 80.0 + number % 3 for number in range(60)}
ENCODER = Angles("angles", {**NEAR, **FAR, "fi-gold": 45, "th-only": 50, "?": 0})


def passages(*texts: str) -> list[Passage]:
    return [Passage(text, text, "", text[:2], text) for text in texts]


@pytest.fixture
def dense(tmp_path: Path) -> DenseIndex:
    DenseIndex.build(tmp_path, ENCODER, passages(*NEAR, *FAR, "fi-gold", "th-only"))
    return DenseIndex.open(tmp_path, ENCODER)


def test_it_is_a_retriever(dense: DenseIndex) -> None:
    assert isinstance(LevelledSearch(dense), Retriever)


def test_a_passage_that_stands_out_in_its_language_rises_above_another_language(dense: DenseIndex) -> None:
    query = Query("?", "en", ("en", "fi"))
    assert dense.retrieve([query], 1)[0][0].language == "en"
    assert LevelledSearch(dense).retrieve([query], 1)[0][0].id == "fi-gold"


def test_within_one_language_scores_are_the_cosines(dense: DenseIndex) -> None:
    query = Query("?", "en", ("fi",))
    plain, levelled = dense.retrieve([query], 70)[0], LevelledSearch(dense).retrieve([query], 70)[0]
    assert [(hit.id, hit.score) for hit in plain] == [(hit.id, hit.score) for hit in levelled]


def test_a_language_with_one_passage_is_hardly_moved(dense: DenseIndex) -> None:
    (ranking,) = LevelledSearch(dense).retrieve([Query("?", "en", ("en", "fi", "th"))], 200)
    (alone,) = (hit for hit in ranking if hit.id == "th-only")
    assert abs(alone.score - cosine(50)) < 1 / (FEW + 1)


def test_the_levels_are_those_of_the_formula(dense: DenseIndex) -> None:
    (ranking,) = LevelledSearch(dense, 0.5).retrieve([Query("?", "en", ("en", "fi"))], 200)
    vector = ENCODER.encode_queries([Query("?", "en", ())])[0]
    means = {code: float(dense.mean(code)[0] @ vector) for code in ("en", "fi")}
    weights = {"en": 60 / (60 + FEW), "fi": 61 / (61 + FEW)}
    middle = sum(weights[code] * means[code] for code in means) / sum(weights.values())
    for hit in ranking:
        level = 0.5 * weights[hit.language] * (means[hit.language] - middle)
        assert hit.scores["level"] == pytest.approx(level, abs=1e-4)
        assert hit.score == pytest.approx(cosine(ENCODER.encode_angle(hit.id)) - level, abs=1e-4)


def test_any_passages_are_scored_as_in_the_ranking(dense: DenseIndex) -> None:
    search, query = LevelledSearch(dense), Query("?", "en", ("en", "fi"))
    (ranking,) = search.retrieve([query], 200)
    vector = search.encode([query])[0]
    again = search.scored([*ranking[::7]], query, vector)
    assert [hit.score for hit in again] == [hit.score for hit in ranking[::7]]


def test_a_language_without_passages_and_no_language_at_all_are_no_trouble(dense: DenseIndex) -> None:
    rankings = LevelledSearch(dense).retrieve([Query("?", "en", ("ko",)), Query("?", "en", ())], 5)
    assert rankings == [(), ()]


def test_the_mean_of_many_passages_is_that_of_evenly_spread_ones(tmp_path: Path) -> None:
    many = {f"en{number}": float(number % 90) for number in range(4_500)}
    encoder = Angles("many", {**many})
    DenseIndex.build(tmp_path, encoder, passages(*many))
    mean, count = DenseIndex.open(tmp_path, encoder).mean("en")
    assert count == 4_500
    assert np.allclose(mean, encoder.encode_passages(passages(*many)).mean(axis=0), atol=0.01)
