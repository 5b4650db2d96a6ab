"""BM25 as an inner product of sparse vectors.

A passage's weight of a token is BM25's saturated term frequency, with the mean length of its shard of the lexical
index; a question's is the token's idf in that shard. So the product is the score that tantivy gives: its lengths,
which it keeps in one byte, are rounded here likewise. Each shard has its own statistics: a dimension stands for a token
in one shard, and one search covers many languages.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from workbench.core import Passage
from workbench.languages import has_broken_words, index_tokens, letter_grams
from workbench.retrieval.lexical import LexicalIndex, ShardQuery

K1, B = 1.2, 0.75
"""tantivy's."""
EXACT_LENGTHS = 40
STEPS = 8
BM25_VERSION = 1
"""Increased when the vectors change: an index in Milvus by another version is pushed anew."""


def _lengths() -> np.ndarray:
    """The lengths that one byte can stand for: all up to EXACT_LENGTHS, then STEPS with each width, which doubles."""
    lengths, width = list(range(EXACT_LENGTHS + 1)), 2
    while len(lengths) < 256:
        lengths += [lengths[-1] + width * (step + 1) for step in range(STEPS)]
        width *= 2
    return np.array(lengths[:256], dtype=np.int64)


LENGTHS = _lengths()


def dimension(language: str, token: str, *, broken: bool) -> int:
    """The dimension of a token in a shard. Two may share one: that only adds candidates, which are scored again."""
    text = f"{language}\x1f{int(broken)}\x1f{token}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "big") % (2**32 - 1)


def rounded_length(tokens: int) -> int:
    """The length that tantivy reckons with for a passage of that many tokens: the next lower one of LENGTHS.

    >>> rounded_length(40), rounded_length(43), rounded_length(100)
    (40, 42, 96)
    """
    return int(LENGTHS[np.searchsorted(LENGTHS, tokens, side="right") - 1])


def passage_vectors(
    index: LexicalIndex, numbered: Iterable[tuple[int, Passage]]
) -> Iterator[tuple[str, int, dict[int, float]]]:
    """The language, row and vector of each passage of the index that has a token; streams."""

    @lru_cache
    def mean(language: str, broken: bool) -> float:
        shard = index.shard(language, broken=broken)
        token = shard.any_token() if shard is not None else ""
        return shard.mean_length(token) if shard is not None and token else 1.0

    for row, passage in numbered:
        broken = has_broken_words(passage.searchable)
        tokens = letter_grams(passage.searchable) if broken else index_tokens(passage.searchable)
        if not tokens:
            continue
        norm = K1 * (1 - B + B * rounded_length(len(tokens)) / mean(passage.language, broken))
        vector: dict[int, float] = {}
        for token, count in Counter(tokens).items():
            place = dimension(passage.language, token, broken=broken)
            vector[place] = vector.get(place, 0.0) + (K1 + 1) * count / (count + norm)
        yield passage.language, row, vector


def query_vector(parts: Sequence[ShardQuery]) -> dict[int, float]:
    """The vector of what is searched for in some shards; empty where none of them knows a token."""
    vector: dict[int, float] = {}
    for part in parts:
        broken, scale = part.scale is not None, 1.0 if part.scale is None else part.scale
        for token in part.tokens:
            place = dimension(part.language, token, broken=broken)
            vector[place] = vector.get(place, 0.0) + scale * part.shard.idf(token)
    return {place: weight for place, weight in vector.items() if weight > 0}
