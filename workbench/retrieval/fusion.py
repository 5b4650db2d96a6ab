"""Fusing rankings: one published rule, one function, over scores by passage id.

A mapping holds the scores that one retriever gave its candidates. Two rules apply to all: a passage absent from a
ranking gets nothing from it, and an empty or all-zero ranking does not vote (its passages would tie at the best rank).

Sources: Cormack, Clarke and Büttcher (2009; reciprocal rank); Bruch, Gai and Ingber (2023), "An Analysis of Fusion
Functions for Hybrid Retrieval" (convex combination, min-max, theoretical min-max, z-score); Mazzeschi (2023; 3-sigma
distribution-based score fusion); Kim et al. (2024) compare them in AutoRAG.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, pstdev
from typing import Literal

Scores = Mapping[str, float]
"""Score by passage id; higher is better."""

Normalisation = Literal["min-max", "theoretical-min-max", "z-score", "distribution"]

RRF_K = 60
DEPTH = 100
"""The fewest candidates of each part of a hybrid."""
CC_NORMALISATION: Normalisation = "min-max"


def votes(scores: Scores) -> bool:
    """Whether a ranking counts: it has a passage with a score other than 0."""
    return any(scores.values())


def ranks(scores: Scores) -> dict[str, int]:
    """Ranks from 1, best first; equal scores share the best rank among them (1, 2, 2, 4).

    >>> ranks({"a": 0.5, "b": 0.9, "c": 0.5})
    {'b': 1, 'a': 2, 'c': 2}
    """
    ordered = sorted(scores, key=lambda name: -scores[name])
    by_id: dict[str, int] = {}
    for place, passage_id in enumerate(ordered):
        tied = place > 0 and scores[ordered[place - 1]] == scores[passage_id]
        by_id[passage_id] = by_id[ordered[place - 1]] if tied else place + 1
    return by_id


def reciprocal_rank(rankings: Sequence[Scores], k: int = RRF_K) -> dict[str, float]:
    """Sum over rankings of 1 / (k + rank). Range (0, len(rankings) / (k + 1)].

    >>> reciprocal_rank([{"a": 9.0, "b": 5.0}, {"b": 0.3}], k=60)["b"] == 1 / 62 + 1 / 61
    True
    """
    fused: dict[str, float] = {}
    for scores in rankings:
        if votes(scores):
            for passage_id, rank in ranks(scores).items():
                fused[passage_id] = fused.get(passage_id, 0.0) + 1 / (k + rank)
    return fused


def min_max(scores: Scores) -> dict[str, float]:
    """(s - min) / (max - min), in [0, 1]; 1 for all where all are equal; {} for a ranking that does not vote."""
    return theoretical_min_max(scores, min(scores.values(), default=0.0))


def theoretical_min_max(scores: Scores, least: float) -> dict[str, float]:
    """(s - least) / (max - least), where `least` is the lowest possible score (0 for BM25, -1 for a cosine).

    In [0, 1]; 1 for all where max is `least`; {} for a ranking that does not vote.
    """
    if not votes(scores):
        return {}
    span = max(scores.values()) - least
    return {passage_id: (score - least) / span if span > 0 else 1.0 for passage_id, score in scores.items()}


def z_score(scores: Scores) -> dict[str, float]:
    """(s - mean) / standard deviation of the candidates; 0 for all where all are equal; {} without a vote.

    Not bounded, and below 0 for the lower half: such a passage falls behind one that is absent.
    """
    if not votes(scores):
        return {}
    mean, deviation = fmean(scores.values()), pstdev(scores.values())
    return {passage_id: (score - mean) / deviation if deviation > 0 else 0.0 for passage_id, score in scores.items()}


def distribution_based(scores: Scores) -> dict[str, float]:
    """(s - (mean - 3 sd)) / (6 sd); 1/2 for all where all are equal; {} without a vote.

    In [0, 1] within three deviations of the mean, beyond it outside: neither source clips, and clipped scores would tie
    the best lexical hits, which often lie further out.
    """
    return {passage_id: score / 6 + 0.5 for passage_id, score in z_score(scores).items()}


NORMALISERS: Mapping[Normalisation, Callable[[Scores, float], dict[str, float]]] = {
    "min-max": lambda scores, _least: min_max(scores),
    "theoretical-min-max": theoretical_min_max,
    "z-score": lambda scores, _least: z_score(scores),
    "distribution": lambda scores, _least: distribution_based(scores),
}
"""What makes scores of different kinds comparable, given the lowest score that is possible."""


def convex(first: Scores, second: Scores, weight: float) -> dict[str, float]:
    """Weight x first + (1 - weight) x second over normalised scores, for weight in [0, 1].

    >>> convex({"a": 1.0}, {"a": 0.5, "b": 1.0}, 0.25)
    {'a': 0.625, 'b': 0.75}
    """
    fused = {passage_id: weight * score for passage_id, score in first.items()}
    for passage_id, score in second.items():
        fused[passage_id] = fused.get(passage_id, 0.0) + (1 - weight) * score
    return fused
