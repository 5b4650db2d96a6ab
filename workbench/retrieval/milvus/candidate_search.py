"""The best passages out of Milvus's candidates, each scored again from the corpus's files.

So a score never depends on where a corpus is searched. Milvus's inner product is at least the score, but for the last
digits of a float32: once the last candidate's lies below the k-th best score, no other passage can be among the best,
and until then more candidates are fetched. Of an approximate index that holds for what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.core import Hit, Ranking, top_k
from workbench.retrieval.milvus.milvus_collection import MOST_CANDIDATES, MilvusHit

OVERSAMPLE = 16
"""Candidates beyond the k best that are fetched at once."""
TIMES = 4
"""How many times as many are fetched next."""
SLACK = 1e-4
"""How far, relatively and absolutely, Milvus's product may lie below a score: rounding, and sums in another order."""

Fetch = Callable[[Sequence[int], int], Sequence[Sequence[MilvusHit]]]
"""For queries by their numbers, at most so many candidates of each, best first."""


def best(fetch: Fetch, score: Callable[[int, Sequence[MilvusHit]], list[Hit]], queries: int, k: int) -> list[Ranking]:
    """The `k` best hits of each of the `queries`; `score` scores the candidates of one, by its number.

    Candidates that do not match are left out by `score`.
    """
    rankings: list[Ranking] = [()] * queries
    waiting = list(range(queries)) if k > 0 else []
    limit = min(k + OVERSAMPLE, MOST_CANDIDATES)
    while waiting:
        later: list[int] = []
        for number, candidates in zip(waiting, fetch(waiting, limit), strict=True):
            rankings[number] = top_k(score(number, candidates), k)
            if not _is_complete(rankings[number], candidates, k, limit):
                later.append(number)
        waiting, limit = later, min(TIMES * limit, MOST_CANDIDATES)
    return rankings


def _is_complete(ranking: Ranking, candidates: Sequence[MilvusHit], k: int, limit: int) -> bool:
    if len(candidates) < limit or limit == MOST_CANDIDATES:
        return True
    last = candidates[-1].score
    return len(ranking) == k and last + SLACK * (1 + abs(last)) < ranking[-1].score
