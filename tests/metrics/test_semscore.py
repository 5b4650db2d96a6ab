"""SemScore over an encoder whose vectors are known."""

from collections.abc import Sequence

import numpy as np
import pytest

from workbench.core.protocols import Encoder, FloatArray
from workbench.core.records import Passage, Query
from workbench.languages.catalogue import language
from workbench.metrics.answers.semscore import semscore_with
from workbench.metrics.measure import Case

EN = language("en")
VECTORS = {"east": (1.0, 0.0), "north": (0.0, 1.0), "north-east": (0.6, 0.8), "west": (-1.0, 0.0)}


class Compass(Encoder):
    """Knows four directions and nothing else."""

    identity = "compass"
    dimensions = 2

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return np.asarray([VECTORS.get(item.text, (0.0, 0.0)) for item in passages], dtype=np.float32)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        raise NotImplementedError


def test_the_cosine_to_the_nearest_gold_counts() -> None:
    cases = [
        Case("east", ("north", "north-east"), EN),
        Case("east", ("west",), EN),
        Case("east", ("east",), EN),
    ]
    values = [score.value for score in semscore_with(Compass()).score(cases)]
    assert values == [pytest.approx(0.6), -1.0, 1.0]


def test_what_the_encoder_does_not_know_is_unscored() -> None:
    cases = [Case("up", ("east",), EN), Case("east", ("up",), EN), Case("east", ("The",), EN)]
    scores = semscore_with(Compass()).score(cases)
    assert [score.value for score in scores] == [None, None, None]
    assert "encoder" in scores[0].reason and "No gold" in scores[2].reason


def test_the_measure_names_its_encoder() -> None:
    measure = semscore_with(Compass())
    assert str(measure) == "SemScore" and "compass" in measure.source and measure.low == -1.0
