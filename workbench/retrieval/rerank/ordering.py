"""What all rerankers share: reordering hits, by scores or by rank, and the check that a model gives one score."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.core import DataError, Hit, Ranking, WorkbenchError, shorten, with_score

NAME = "rerank"
"""What a reranker's score is called in a hit's scores."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the make-up of a batch shows."""


def order_by_score(hits: Sequence[Hit], scores: Sequence[float], reranker: str) -> Ranking:
    """`hits` by `scores` (any range, higher is better), best first; equal ones keep their earlier order.

    `reranker` is its name for people. Raises WorkbenchError where a score is not a finite number.
    """
    if not all(math.isfinite(score) for score in scores):
        raise WorkbenchError(
            f"The reranker “{shorten(reranker)}” gave a score that is not a number; its weights are damaged."
        )
    rounded = [round(float(score), DECIMALS) for score in scores]
    places = sorted(range(len(hits)), key=lambda place: -rounded[place])
    return tuple(with_score(hits[place], rounded[place], NAME) for place in places)


def order_by_rank(hits: Sequence[Hit]) -> Ranking:
    """`hits`, already best first, scored by 1 / rank: for a reranker that orders and gives no score."""
    return tuple(with_score(hit, 1 / rank, NAME) for rank, hit in enumerate(hits, start=1))


def require_one_score(model: str, scores: int) -> None:
    """Raises DataError unless the model called `model` gives one score per pair of question and passage."""
    if scores != 1:
        raise DataError(
            f"The model “{shorten(model)}” gives {scores} scores per pair; choose a reranker, which gives one."
        )
