"""Reordering by scores: the new score added, ties as they were."""

import pytest

from workbench.core.errors import WorkbenchError
from workbench.core.records import Hit
from workbench.retrieval.rerank.cross_encoders import order_by_rank, order_by_score

HITS = [Hit("a", 0, "en", 9.0, {"dense": 9.0}), Hit("b", 1, "de", 8.0, {"dense": 8.0}), Hit("c", 2, "en", 7.0)]


def test_hits_come_by_score_and_keep_the_scores_of_other_stages() -> None:
    best, *_ = order_by_score(HITS, [0.1, 0.7, 0.3], "r")
    assert best == Hit("b", 1, "de", 0.7, {"dense": 8.0, "rerank": 0.7})


def test_equal_scores_keep_their_earlier_order() -> None:
    assert [hit.id for hit in order_by_score(HITS, [1.0, 2.0, 1.0], "r")] == ["b", "a", "c"]


def test_a_difference_below_rounding_is_a_tie() -> None:
    assert [hit.id for hit in order_by_score(HITS, [1.0, 1.0000001, 0.0], "r")] == ["a", "b", "c"]


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_refused(score: float) -> None:
    with pytest.raises(WorkbenchError, match="“r”"):
        order_by_score(HITS, [1.0, score, 0.0], "r")


def test_an_order_without_scores_is_scored_by_rank() -> None:
    assert [(hit.id, hit.score) for hit in order_by_rank(HITS)] == [("a", 1.0), ("b", 0.5), ("c", pytest.approx(1 / 3))]


def test_no_hits_stay_no_hits() -> None:
    assert order_by_score([], [], "r") == order_by_rank([]) == ()
