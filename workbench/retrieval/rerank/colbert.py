"""Re-scoring with BGE-M3's views, above all ColBERT's late interaction (Khattab and Zaharia (2020), arXiv 2004.12832).

- tokens: the mean over the question's tokens of the best cosine with a passage token, in [-1, 1];
- dense: the cosine of the two vectors, in [-1, 1];
- sparse: the dot product of the lexical weights, >= 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from workbench.core import FloatArray, Hit, Passage, Query, Ranking, unknown_name
from workbench.retrieval.encoders.bge_m3 import BgeM3, View
from workbench.retrieval.rerank.ordering import order_by_score


def late_interaction(question: FloatArray, passage: FloatArray) -> float:
    """The mean over question tokens of the best match; both of shape (tokens, dimensions), L2-normalised.

    0 where either has no tokens.

    >>> import numpy as np
    >>> late_interaction(np.eye(2, dtype=np.float32), np.array([[0.6, 0.8]], dtype=np.float32))
    0.7
    """
    if not len(question) or not len(passage):
        return 0.0
    return round(float((question @ passage.T).max(axis=1).mean()), 7)


class BgeM3Reranker:
    """Implements `Reranker` over a loaded BGE-M3, which an encoder may share."""

    def __init__(self, model: BgeM3, *, view: View = "tokens") -> None:
        """Raises UsageError for an unknown view."""
        if view not in get_args(View):
            raise unknown_name("view", view, get_args(View))
        self._model = model
        self._view: View = view

    @property
    def identity(self) -> str:
        """The model's, and the view."""
        return f"{self._model.identity} rescored={self._view}"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """All `hits` by score, best first; `passages[i]` belongs to `hits[i]`."""
        texts = [passage.searchable for passage in passages]
        return order_by_score(hits, self.score(query.text, texts) if texts else [], self.identity)

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score per text, in the range of the view."""
        if self._view == "dense":
            return [float(score) for score in self._model.dense(texts) @ self._model.dense([question])[0]]
        if self._view == "sparse":
            product = self._model.weights(texts) @ self._model.weights([question]).T
            return [float(score) for score in product.toarray()[:, 0]]
        question_tokens = self._model.token_vectors([question])[0]
        return [late_interaction(question_tokens, tokens) for tokens in self._model.token_vectors(texts)]
