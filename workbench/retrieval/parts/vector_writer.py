"""Writing the vectors of a dense index's part: exact ones, and where they are many one bit for each number, too.

`<part>.vectors.npy` (float32, shape (passages, dimensions)) is written as vectors come, so memory does not grow with
the corpus. `<part>.bits.faiss` is one FAISS index after another, each of BLOCK vectors in RaBitQ's code (Gao and Long
2024): a thirty-second of the memory, in seconds; of a block only the mean is computed before. `part_vectors` searches
both.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import numpy as np

from workbench.core import FloatArray
from workbench.retrieval.parts.shard_files import mapped

if TYPE_CHECKING:
    import faiss

VECTORS, BITS = "vectors.npy", "bits.faiss"
EXACT_NUMBERS = 1 << 25
"""Numbers of a part that are read completely for each question: 32,768 vectors of 1,024, 87,381 of 384, 5 ms."""
BLOCK = 1 << 17
"""Vectors of one FAISS index, which one thread searches; one more where a single one would be left for the last."""
CODE = "RaBitQfs"
"""One bit a number and two for each vector, laid out for FAISS's fast scan."""


class VectorWriter:
    """Collects a part's vectors in a file on the disk of the index, and writes them at the end."""

    def __init__(self, dimensions: int, directory: Path) -> None:
        """`directory` is that of the index."""
        self._dimensions = dimensions
        self._count = 0
        self._file: IO[bytes] = TemporaryFile(dir=directory)  # noqa: SIM115 (closed when written, or with the writer)

    def add(self, encoded: FloatArray) -> None:
        """Takes further vectors, float32, shape (vectors, dimensions)."""
        self._file.write(np.ascontiguousarray(encoded, dtype=np.float32).tobytes())
        self._count += len(encoded)

    def write(self, directory: Path, part: str) -> None:
        """Writes `<part>.vectors.npy`, and `<part>.bits.faiss` where they are many."""
        path = directory / f"{part}.{VECTORS}"
        shape = (self._count, self._dimensions)
        with path.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
            self._file.seek(0)
            shutil.copyfileobj(self._file, file, 1 << 20)
        self._file.close()
        if self._count * self._dimensions > EXACT_NUMBERS:
            write_bits(directory / f"{part}.{BITS}", mapped(path))


def write_bits(path: Path, vectors: FloatArray) -> None:
    """Writes one bit for each number of `vectors`, float32, shape (vectors, dimensions); the same bytes every time.

    What is no number, or infinite, counts as 0.
    """
    import faiss

    with path.open("wb") as file:
        writer = faiss.PyCallbackIOWriter(file.write)  # type: ignore[attr-defined]
        # A block of one vector would be its own mean, which leaves no bits that say anything.
        starts = list(range(0, max(len(vectors) - 1, 1), BLOCK))
        for start, end in zip(starts, [*starts[1:], len(vectors)], strict=True):
            # One NaN would make the block's mean, and so all its estimates, NaN.
            block = np.ascontiguousarray(np.nan_to_num(vectors[start:end], nan=0.0, posinf=0.0, neginf=0.0))
            index = faiss.index_factory(block.shape[1], CODE, faiss.METRIC_INNER_PRODUCT)
            index.train(block)
            index.add(block)
            faiss.write_index(index, writer)


def read_bits(path: Path) -> tuple[faiss.Index, ...]:
    """The indexes that `write_bits` wrote, in memory. Raises RuntimeError where the file is damaged."""
    import faiss

    indexes: list[faiss.Index] = []
    size = path.stat().st_size
    with path.open("rb") as file:
        reader = faiss.PyCallbackIOReader(file.read)  # type: ignore[attr-defined]
        while file.tell() < size:
            indexes.append(faiss.read_index(reader))
    return tuple(indexes)
