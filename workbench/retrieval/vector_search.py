"""What is searched by vectors: a dense index, levelled or not, with or without sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.core import FloatArray, Hit, Query, Ranking, Retriever


class VectorSearch(Retriever, Protocol):
    """A retriever that searches by the vectors of questions. Scores lie in [-1, 1], or little beyond."""

    def encode(self, queries: Sequence[Query]) -> FloatArray:
        """The vectors of the queries, shape (queries, dimensions); a zero row for one that means nothing to it."""
        ...

    def nearest(self, queries: Sequence[Query], vectors: FloatArray, k: int) -> list[Ranking]:
        """As `retrieve`, for queries whose vectors are known; `k` is at least 1."""
        ...

    def scored(self, hits: Sequence[Hit], query: Query, vector: FloatArray) -> list[Hit]:
        """Any passages of the corpus, scored as `retrieve` scores them; in the same order."""
        ...
