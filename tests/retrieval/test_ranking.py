"""The one order of a ranking."""

from __future__ import annotations

import pytest

from workbench.core.records import Hit, top_k, with_score

HITS = (Hit("c", 2, "en", 0.5), Hit("a", 0, "fi", 0.1), Hit("b", 1, "de", 0.5))


def test_the_best_come_first_and_equal_ones_by_row() -> None:
    assert [hit.id for hit in top_k(HITS, 3)] == ["b", "c", "a"]


@pytest.mark.parametrize("k", [0, -1])
def test_zero_hits_are_none(k: int) -> None:
    assert top_k(HITS, k) == ()


def test_a_new_score_joins_the_earlier_ones() -> None:
    hit = with_score(Hit("a", 0, "fi", 0.1, {"dense": 0.1}), 0.9, "rerank")
    assert (hit.score, hit.scores) == (0.9, {"dense": 0.1, "rerank": 0.9})
