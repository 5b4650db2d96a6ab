"""Dense search by a trained encoder, joined with what the built-in one learnt from the corpus's own translations.

A trained encoder finds meaning in texts it never saw; the built-in one knows exactly the texts that the corpus holds in
several languages. A passage's score is (1 - s - t) · trained + s · view + t · built-in:

- t, for questions: 0 to MEMORY_SHARE, as the question comes to equal a text that is known in translation; the built-in
  cosine is that of `BuiltinEncoder.encode_queries`, which follows the nearest such text;
- s, for passages: ALIGNED_SHARE in a corpus whose passages are translations of each other, else 0, and less as t rises;
  the view is `encode_cross_lingual`, which is not sharpened, so that passages without a translation do not lose.

Passages in languages that the trained encoder was not trained on count by the built-in one alone, in the range of the
other candidates' scores; and so does every passage where it does not know the question's language. What was measured
is in docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from workbench.core import FloatArray, Hit, Query, Ranking, component, top_k, with_score
from workbench.retrieval.dense import DenseIndex, VectorSearch
from workbench.retrieval.index_files import DECIMALS

ALIGNED_SHARE = 0.1
"""s in a corpus with aligned passages."""
MEMORY_SHARE = 0.6
"""t for a question that equals a text known in translation."""
LIKENESS = (0.5, 0.9)
"""The question's likeness to such a text from which t rises, and from which it is MEMORY_SHARE."""
VERSION = 1
DEPTH = 100
"""The fewest candidates of each part."""


class TranslatingEncoder(Protocol):
    """An encoder that knows some texts in translation."""

    def likeness(self, queries: Sequence[Query]) -> FloatArray:
        """How like each query is to one of them, in [0, 1]."""
        ...

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """Vectors near to the translations of the nearest such text."""
        ...

    def encode_cross_lingual(self, queries: Sequence[Query]) -> FloatArray:
        """Vectors of all that the queries resemble."""
        ...

    @property
    def cross_lingual_part(self) -> slice:
        """The dimensions of those vectors that count."""
        ...


def memory_share(likeness: float) -> float:
    """The share t for a question of this likeness to a text known in translation.

    >>> memory_share(0.5), round(memory_share(0.7), 2), memory_share(1.0)
    (0.0, 0.3, 0.6)
    """
    start, full = LIKENESS
    return MEMORY_SHARE * min(1.0, max(0.0, (likeness - start) / (full - start)))


class JoinedRetriever:
    """Implements `Retriever`. Hits carry `dense`, the joined score, and the parts it is made of."""

    def __init__(
        self,
        trained: VectorSearch,
        builtin: DenseIndex,
        encoder: TranslatingEncoder,
        *,
        knows: Callable[[str], bool],
        aligned: bool,
    ) -> None:
        """`encoder` made the index `builtin`.

        `knows`: whether the trained encoder knows a language; `aligned`: whether the corpus has aligned passages.
        """
        self._trained = trained
        self._builtin = builtin
        self._encoder = encoder
        self._knows = knows
        self._aligned_share = ALIGNED_SHARE if aligned else 0.0

    @property
    def identity(self) -> str:
        """Names both parts and the rule."""
        return component(
            "joined",
            trained=self._trained.identity,
            builtin=self._builtin.identity,
            aligned=self._aligned_share,
            memory=MEMORY_SHARE,
            likeness=LIKENESS,
            depth=DEPTH,
            version=VERSION,
        )

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The `k` best of the `max(k, DEPTH)` candidates of each part."""
        if not queries or k <= 0:
            return [()] * len(queries)
        depth = max(k, DEPTH)
        memory = np.array([memory_share(float(each)) for each in self._encoder.likeness(queries)], dtype=np.float32)
        aligned = self._aligned_share * (1 - memory / MEMORY_SHARE)
        vectors = self._trained.encode(queries)
        known = [replace(query, languages=tuple(filter(self._knows, query.languages))) for query in queries]
        foreign = [
            query if not self._knows(query.language) else replace(query, languages=self._unknown(query))
            for query in queries
        ]
        for place, query in enumerate(queries):
            if not self._knows(query.language):
                vectors[place] = 0
        view = self._encoder.encode_cross_lingual(queries)
        is_searched = memory.any() or any(query.languages for query in foreign)
        by_memory = self._encoder.encode_queries(queries) if is_searched else np.zeros_like(view)
        memory_vectors, aligned_vectors = memory[:, None] * by_memory, aligned[:, None] * view
        parts = zip(
            known,
            vectors,
            memory_vectors,
            aligned_vectors,
            1 - memory - aligned,
            self._trained.nearest(known, vectors, depth),
            self._builtin.nearest(known, memory_vectors + aligned_vectors, depth),
            self._builtin.nearest(foreign, by_memory, depth),
            strict=True,
        )
        return [self._joined(*part)[:k] for part in parts]

    def _unknown(self, query: Query) -> tuple[str, ...]:
        return tuple(code for code in query.languages if not self._knows(code))

    def _joined(
        self,
        query: Query,
        vector: FloatArray,
        memory_vector: FloatArray,
        aligned_vector: FloatArray,
        trained_share: float,
        trained: Ranking,
        builtin: Ranking,
        foreign: Ranking,
    ) -> Ranking:
        """All candidates, best first; `foreign` are those that the built-in encoder alone decides on."""
        if not np.any(vector):
            return foreign or builtin
        near = list(trained)
        if np.any(memory_vector) or np.any(aligned_vector):
            ids = {hit.id for hit in trained}
            near += self._trained.scored([hit for hit in builtin if hit.id not in ids], query, vector)
            by_memory = self._builtin.cosines(near, memory_vector)
            by_view = self._builtin.cosines(near, aligned_vector, self._encoder.cross_lingual_part)
            near = [
                _mixed(hit, float(trained_share), first + second)
                for hit, first, second in zip(near, by_memory, by_view, strict=True)
            ]
        return top_k([*near, *_in_range(foreign, near)], len(near) + len(foreign))


def _mixed(hit: Hit, share: float, addition: float) -> Hit:
    score = round(share * hit.score + addition, DECIMALS)
    scores = {**hit.scores, "built-in": round(addition, DECIMALS), "dense": score}
    return Hit(hit.id, hit.row, hit.language, score, scores)


def _in_range(foreign: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """Hits with cosines of the built-in encoder, moved into the range of the others' scores."""
    if not others:
        return list(foreign)
    scores = [hit.score for hit in others]
    low, high = min(scores), max(scores)
    return [
        with_score(
            replace(hit, scores={**hit.scores, "built-in": hit.score}),
            round(low + max(hit.score, 0.0) * (high - low), DECIMALS),
            "dense",
        )
        for hit in foreign
    ]
