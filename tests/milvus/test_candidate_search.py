"""Candidates are fetched until no other passage can be among the best."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.records import Hit
from workbench.retrieval.milvus.collection import MilvusHit
from workbench.retrieval.milvus.indexes import OVERSAMPLE, best_of_candidates


def best_rows(products: Sequence[float], scores: Sequence[float], k: int) -> tuple[list[int], list[int]]:
    """The best rows by their scores, by way of their products, and how many candidates each fetch was for."""
    limits: list[int] = []

    def fetch(numbers: Sequence[int], limit: int) -> list[list[MilvusHit]]:
        limits.append(limit)
        order = sorted(range(len(products)), key=lambda row: (-products[row], -row))
        return [[MilvusHit(row, "en", products[row]) for row in order[:limit]] for _ in numbers]

    def score(_number: int, candidates: Sequence[MilvusHit]) -> list[Hit]:
        return [Hit(str(each.row), each.row, "en", scores[each.row]) for each in candidates if scores[each.row] > 0]

    ranking = best_of_candidates(fetch, score, [0], k)[0]
    return [hit.row for hit in ranking], limits


def test_one_fetch_suffices_where_the_last_candidate_is_below_the_best() -> None:
    scores = [float(200 - row) for row in range(100)]
    assert best_rows(scores, scores, 3) == ([0, 1, 2], [3 + OVERSAMPLE])


def test_a_tie_at_the_cut_is_completed_and_broken_by_row() -> None:
    scores = [2.0, *[1.0] * 90]
    rows, limits = best_rows(scores, scores, 3)
    assert rows == [0, 1, 2] and len(limits) > 1


def test_products_that_are_too_high_do_not_hide_a_better_passage() -> None:
    """Tokens that share a dimension raise the product of passages that hold the other one."""
    products = [9.0 - 0.01 * row for row in range(60)] + [8.0]
    scores = [1.0] * 60 + [8.0]
    rows, _ = best_rows(products, scores, 1)
    assert rows == [60]


def test_candidates_that_do_not_match_are_replaced_by_others() -> None:
    products = [5.0 - 0.01 * row for row in range(80)]
    scores = [0.0] * 40 + products[40:]
    assert best_rows(products, scores, 2)[0] == [40, 41]
