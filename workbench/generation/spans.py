"""How much of the evidence to quote, once its sentences are scored."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.generation.comparing import Candidate
from workbench.generation.pieces import budget

CANDIDATES = 6
LEAST_SHARE = 0.45
"""A further sentence must score so much of the best one's score."""


def choose(ordered: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate and, while they fit the budget, the next in its language; in reading order.

    `ordered` is best first and not empty.
    """
    best = ordered[0]
    room = budget(best.evidence.language) - (best.end - best.start)
    taken = [best]
    for item in ordered[1:CANDIDATES]:
        alike = item.evidence.language == best.evidence.language
        if alike and item.end - item.start <= room and item.score >= LEAST_SHARE * best.score:
            taken.append(item)
            room -= item.end - item.start
    return tuple(sorted(taken, key=lambda item: (item.evidence.rank, item.start)))
