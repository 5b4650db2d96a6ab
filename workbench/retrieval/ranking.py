"""Rankings: the order that all retrievers keep, and a score added under the name of who gave it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.records import Hit, Ranking


def best(hits: Iterable[Hit], k: int) -> Ranking:
    """The `k` best hits; equal scores in order of row, so that a ranking never depends on the order of shards."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.row))[: max(k, 0)])


def rescored(hit: Hit, score: float, name: str) -> Hit:
    """`hit` with another `score`, which joins its earlier ones as `name`."""
    return replace(hit, score=score, scores={**hit.scores, name: score})
