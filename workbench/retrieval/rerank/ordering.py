"""Putting hits into a new order by scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.errors import WorkbenchError, shorten
from workbench.records import Hit, Ranking, rescored

NAME = "rerank"
"""What a reranker's score is called in a hit's scores."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the make-up of a batch shows."""


def ordered(hits: Sequence[Hit], scores: Sequence[float], reranker: str) -> Ranking:
    """`hits` by `scores` (any range, higher is better), best first; equal ones keep their former order.

    Raises WorkbenchError where a score is no finite number.
    """
    if not all(math.isfinite(score) for score in scores):
        raise WorkbenchError(
            f"The reranker “{shorten(reranker)}” gave a score that is no number; its weights are damaged."
        )
    rounded = [round(float(score), DECIMALS) for score in scores]
    places = sorted(range(len(hits)), key=lambda place: -rounded[place])
    return tuple(rescored(hits[place], rounded[place], NAME) for place in places)


def ranked(hits: Sequence[Hit]) -> Ranking:
    """`hits`, already best first, scored by 1 / rank: for a reranker that orders and gives no score."""
    return tuple(rescored(hit, 1 / rank, NAME) for rank, hit in enumerate(hits, start=1))
