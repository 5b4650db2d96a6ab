"""Passages nearest to a question by an encoder of meaning: half by the passage, half by its best sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from workbench.core.protocols import Encoder
from workbench.core.records import Evidence, Passage, Query
from workbench.retrieval.sentence_index import sentence_passages

Mask = npt.NDArray[np.bool_]


class NearestPassages:
    """Exact search over passages that have at least one sentence each."""

    def __init__(self, encoder: Encoder, passages: Sequence[Passage]) -> None:
        self._encoder = encoder
        self._passages = passages
        sentences = [sentence_passages(passage) for passage in passages]
        self._starts = np.cumsum([0, *(len(each) for each in sentences)])[:-1]
        self._vectors = encoder.encode_passages(passages)
        self._sentences = encoder.encode_passages([sentence for each in sentences for sentence in each])

    def evidence(self, question: str, language: str, k: int, allowed: Mask | None = None) -> tuple[Evidence, ...]:
        """The `k` best of the allowed passages, ranked from 1; all are allowed where `allowed` is None."""
        (vector,) = self._encoder.encode_queries([Query(question, language, ())])
        scores = self._vectors @ vector + np.maximum.reduceat(self._sentences @ vector, self._starts)
        if allowed is not None:
            scores = np.where(allowed, scores, -np.inf)
        best = np.argsort(-scores, kind="stable")[:k]
        return tuple(Evidence(self._passages[row], rank) for rank, row in enumerate(best.tolist(), start=1))
