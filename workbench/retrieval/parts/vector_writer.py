"""Writing the vectors of a dense index's part as a FAISS index: exact ones, or one byte a number.

Up to FLAT_LIMIT passages the vectors are kept as they are; above it each number becomes one byte (FAISS's SQ8), a
quarter of the memory. Its levels are those of the first vectors; passages that are added to a quantised language get
the levels that it has, as they would if it were built anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.protocols import FloatArray

if TYPE_CHECKING:
    import faiss

FLAT_LIMIT = 50_000
"""Vectors of a language that are kept exact; above it they are quantised (recall@50 .999 on 100,000 synthetic ones)."""


class VectorWriter:
    """Collects a part's vectors: exact ones up to FLAT_LIMIT, then quantised by those collected so far."""

    def __init__(self, dimensions: int, like: faiss.Index | None = None) -> None:
        """`like`: where it is quantised, the vectors are quantised from the first, by its levels."""
        import faiss

        self._index: faiss.Index = faiss.IndexFlatIP(dimensions)
        self._is_flat = True
        if isinstance(like, faiss.IndexScalarQuantizer):
            quantised = _quantiser(dimensions)
            faiss.copy_array_to_vector(faiss.vector_to_array(like.sq.trained), quantised.sq.trained)
            quantised.is_trained = True
            self._index, self._is_flat = quantised, False

    def add(self, encoded: FloatArray) -> None:
        """Takes further vectors, float32, shape (vectors, dimensions)."""
        self._index.add(encoded)
        if self._is_flat and self._index.ntotal > FLAT_LIMIT:
            vectors = self._index.reconstruct_n(0, self._index.ntotal)
            self._index = _quantiser(vectors.shape[1])
            self._index.train(vectors)
            self._index.add(vectors)
            self._is_flat = False

    def write(self, directory: Path, part: str) -> None:
        """Writes `<part>.faiss`."""
        import faiss

        faiss.write_index(self._index, str(directory / f"{part}.faiss"))


def _quantiser(dimensions: int) -> faiss.IndexScalarQuantizer:
    import faiss

    return faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
