"""Fusing rankings: the published rules over scores by passage id, and hybrid search by one of them.

A mapping holds the scores that one retriever gave its candidates. Two rules apply to all: a passage absent from a
ranking gets nothing from it, and an empty or all-zero ranking does not vote (its passages would tie at the best rank).

- `weighted` (the default, named "hybrid"): a convex combination in which the lexical vote counts by how much of the
  question's idf its best hit holds. Within a language that share is large and across languages small, so that the
  hybrid does not fall below its better part. Lexical scores of two languages do not compare (a question shares more
  words with any passage in its own), so they order the passages of one language, and the dense part determines how
  high that language ranks. Figures: benchmarks/crosslingual. An encoder knows little of a passage with broken words:
  its lexical score counts by BROKEN_WEIGHT, however little that of other passages does, and what `LevelledSearch` took
  from its language is given back: of broken words an encoder knows the language more than what they say, so that a
  question is near to all of them (benchmarks/broken_text).
- `rrf`: reciprocal rank fusion; `cc` and `dbsf`: convex combinations with one fixed weight, of min-max scores (or as
  `normalisation` has it) and of scores normalised by their distribution. All as published, for comparison.

Sources: Cormack, Clarke and Büttcher (2009; reciprocal rank); Bruch, Gai and Ingber (2023), "An Analysis of Fusion
Functions for Hybrid Retrieval" (convex combination, min-max, theoretical min-max, z-score); Mazzeschi (2023; 3-sigma
distribution-based score fusion); Kim et al. (2024) compare them in AutoRAG.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, pstdev
from typing import Literal, Protocol, get_args

from workbench.core import Hit, Query, Ranking, Retriever, component, top_k, unknown_name
from workbench.retrieval.dense import LEVEL
from workbench.retrieval.lexical import NGRAMS

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

    Singh et al. (n.d.) count positions, which is the same where no scores are equal.

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


Fusion = Literal["weighted", "rrf", "cc", "dbsf"]
NAMES: Mapping[Fusion, str] = {"weighted": "hybrid", "rrf": "rrf", "cc": "cc", "dbsf": "dbsf"}
"""The name of each rule's score."""
CC_WEIGHT = 0.5
"""The lexical share of `cc`."""
DBSF_WEIGHT = 0.7
"""The lexical share of `dbsf`: that of the best retriever in Kim et al. (2024), Table 3, over passages in English."""
LEXICAL_WEIGHT = 0.9
"""The most that the lexical part may count in `weighted`. The built-in encoder is the weaker part within a language;
use less where the encoder is a strong one."""
BROKEN_WEIGHT = 0.85
"""The same for passages with broken words, beside every encoder; 0 where the lexical part counts nothing at all."""
WEIGHTS: Mapping[Fusion, float] = {
    "weighted": LEXICAL_WEIGHT,
    "rrf": CC_WEIGHT,
    "cc": CC_WEIGHT,
    "dbsf": DBSF_WEIGHT,
}
"""The lexical share of each rule by default; RRF has none."""
LEAST_LEXICAL, LEAST_DENSE = 0.0, -1.0
"""The lowest BM25 score and the lowest cosine that there can be: those of theoretical min-max."""
WITHIN = (0.05, 0.25)
ACROSS = (0.1, 0.9)
"""Match shares from which the lexical vote counts, and from which it counts in full: where the best hit is in the
question's language, and where it is in another one (a shared name is then all that matched)."""
VERSION = 1


class MatchingRetriever(Retriever, Protocol):
    """A retriever that knows how much of a question its best hit matched."""

    def match_share(self, query: Query, ranking: Ranking) -> float:
        """The share of the query, in [0, 1], that the first hit of its `ranking` matches."""
        ...


def lexical_vote(share: float, same_language: bool, most: float = LEXICAL_WEIGHT) -> float:
    """How much the lexical part counts, in [0, `most`], for a match share in [0, 1].

    >>> lexical_vote(0.25, True), lexical_vote(0.05, True), lexical_vote(0.5, False)
    (0.9, 0.0, 0.45)
    """
    start, full = WITHIN if same_language else ACROSS
    return most * min(1.0, max(0.0, (share - start) / (full - start)))


def weighted(lexical: Scores, dense: Scores, ceiling: float, vote: float) -> dict[str, float]:
    """Convex combination for the passages of one language, with weight `vote` (in [0, 1]) for the lexical scores.

    `dense` is normalised; the best lexical hit gets `ceiling`, the best dense score of the language, and 0 stays 0.

    >>> weighted({"a": 8.0, "b": 4.0}, {"b": 0.5}, 0.5, 0.5)
    {'a': 0.25, 'b': 0.375}
    """
    scaled = {passage_id: ceiling * score for passage_id, score in theoretical_min_max(lexical, 0.0).items()}
    return convex(scaled, dense, vote if scaled else 0.0)


class HybridRetriever:
    """Implements `Retriever` over a lexical and a dense one. Hits carry `lexical`, `dense` and the fused score."""

    def __init__(
        self,
        lexical: MatchingRetriever,
        dense: Retriever,
        *,
        fusion: Fusion = "weighted",
        depth: int = DEPTH,
        lexical_weight: float | None = None,
        rrf_k: int = RRF_K,
        normalisation: Normalisation = CC_NORMALISATION,
    ) -> None:
        """`depth` is the fewest candidates of each part; `rrf_k` is the constant of `rrf`; `normalisation` is `cc`'s.

        `lexical_weight`, in [0, 1], is the lexical share of the other rules (for `weighted` the most it may be), None
        for the rule's default. Raises UsageError for an unknown fusion.
        """
        if fusion not in NAMES:
            raise unknown_name("fusion", fusion, get_args(Fusion))
        self._lexical = lexical
        self._dense = dense
        self._fusion: Fusion = fusion
        self._depth = depth
        self._weight = WEIGHTS[fusion] if lexical_weight is None else lexical_weight
        self._rrf_k = rrf_k
        self._normalisation: Normalisation = normalisation

    @property
    def identity(self) -> str:
        """Names the rule, its weight and depth, and both parts."""
        is_rrf = self._fusion == "rrf"
        constant: dict[str, object] = {"k": self._rrf_k} if is_rrf and self._rrf_k != RRF_K else {}
        if self._fusion == "cc" and self._normalisation != CC_NORMALISATION:
            constant["normalisation"] = self._normalisation
        return component(
            NAMES[self._fusion],
            # RRF has no weight; its identity has always named this one, and answers are cached under it.
            weight=CC_WEIGHT if is_rrf else self._weight,
            **constant,
            lexical=self._lexical.identity,
            dense=self._dense.identity,
            depth=self._depth,
            version=VERSION,
        )

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """At most `k` hits per query out of `max(k, depth)` candidates of each part; equal scores in order of row."""
        if k <= 0:
            return [()] * len(queries)
        depth = max(k, self._depth)
        parts = zip(queries, self._lexical.retrieve(queries, depth), self._dense.retrieve(queries, depth), strict=True)
        return [self._fuse(query, lexical, dense, k) for query, lexical, dense in parts]

    def _fuse(self, query: Query, lexical: Ranking, dense: Ranking, k: int) -> Ranking:
        fused = self._scores(query, lexical, dense)
        word, name = {hit.id: hit.scores for hit in lexical}, NAMES[self._fusion]
        hits: list[Hit] = []
        for hit in {hit.id: hit for hit in (*lexical, *dense)}.values():
            # A part that does not vote is still shown, at the end.
            score = fused.get(hit.id, 0.0)
            hits.append(Hit(hit.id, hit.row, hit.language, score, {**word.get(hit.id, {}), **hit.scores, name: score}))
        return top_k(hits, k)

    def _scores(self, query: Query, lexical: Ranking, dense: Ranking) -> dict[str, float]:
        by_word = {hit.id: hit.score for hit in lexical}
        by_vector = {hit.id: hit.score for hit in dense}
        if self._fusion == "rrf":
            return reciprocal_rank([by_word, by_vector], self._rrf_k)
        if self._fusion == "cc":
            normalise = NORMALISERS[self._normalisation]
            return convex(normalise(by_word, LEAST_LEXICAL), normalise(by_vector, LEAST_DENSE), self._weight)
        if self._fusion == "dbsf":
            return convex(distribution_based(by_word), distribution_based(by_vector), self._weight)
        fused: dict[str, float] = {}
        unlevelled = {hit.language for hit in lexical if NGRAMS in hit.scores}
        by_vector |= {hit.id: hit.score + hit.scores.get(LEVEL, 0.0) for hit in dense if hit.language in unlevelled}
        normalised = min_max(by_vector)
        for language in sorted({hit.language for hit in (*lexical, *dense)}):
            words = tuple(hit for hit in lexical if hit.language == language)
            vectors = {hit.id: normalised[hit.id] for hit in dense if hit.language == language and hit.id in normalised}
            # Where the encoder knows nothing of the question, only words can be matched.
            ceiling = max(vectors.values(), default=0.0) if normalised else 1.0
            same = language == query.language
            share = self._lexical.match_share(query, words)
            by_word = {hit.id: hit.score for hit in words}
            vote = lexical_vote(share, same, self._weight)
            fused |= weighted(by_word, vectors, ceiling, vote if normalised else 1.0)
            broken = {hit.id for hit in words if NGRAMS in hit.scores}
            if broken and normalised and self._weight:
                vote = lexical_vote(share, same, max(self._weight, BROKEN_WEIGHT))
                by_letters = weighted(by_word, vectors, ceiling, vote)
                fused |= {passage_id: score for passage_id, score in by_letters.items() if passage_id in broken}
        return fused
