"""Searching the vectors of a dense index's part: all of them, or one bit of each number first.

All: a question's product with each vector, by one BLAS thread for each share of the vectors, takes as long as reading
them. Bits: FAISS estimates each cosine from a thirty-second of that; whoever asks scores the best exactly.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from workbench.core import FloatArray
from workbench.retrieval.parts.shard_files import Numbers, mapped
from workbench.retrieval.parts.vector_writer import BITS, VECTORS, read_bits

if TYPE_CHECKING:
    import faiss

SHARED = 1 << 22
"""Numbers from which vectors are shared out among threads: with fewer, threads take longer to start than to read."""
TOGETHER = 3
"""Questions from which vectors are read once for all of them; before that once for each is as fast."""
BLAS_FROM = 4
"""Questions from which FAISS multiplies matrices; as it comes (1.15.1) from 128,000: each then reads all anew."""

Result = TypeVar("Result")
Scored = tuple[FloatArray, Numbers]
"""For each question scores and places, shape (questions, candidates), best first or in no order."""


@dataclass(frozen=True, slots=True)
class PartVectors:
    """The exact vectors of a part, by place, and where they are many, their bits."""

    vectors: FloatArray
    blocks: tuple[faiss.Index, ...] = ()

    @classmethod
    def open(cls, directory: Path, part: str) -> PartVectors:
        """What `VectorWriter` wrote, memory-mapped but for the bits. Raises OSError, ValueError and RuntimeError."""
        import faiss

        faiss.cvar.distance_compute_blas_threshold = BLAS_FROM
        vectors, bits = mapped(directory / f"{part}.{VECTORS}"), directory / f"{part}.{BITS}"
        blocks = read_bits(bits) if bits.is_file() else ()
        if vectors.dtype != np.float32 or (blocks and sum(block.ntotal for block in blocks) != len(vectors)):
            raise ValueError("as many bits as vectors")
        return cls(vectors, blocks)

    @property
    def shape(self) -> tuple[int, int]:
        """How many, and of how many numbers."""
        return self.vectors.shape[0], self.vectors.shape[1]

    @property
    def is_estimated(self) -> bool:
        """Whether `near` estimates products, unless it is to be exact, and should be asked for far more than needed."""
        return bool(self.blocks)

    def near(self, questions: FloatArray, count: int, *, exact: bool) -> Numbers:
        """For each question the places of the `count` vectors of the highest product, best first; -1 for none."""
        if self.blocks and not exact:
            ends = np.cumsum([0, *(block.ntotal for block in self.blocks)]).tolist()
            jobs = [_in_block(block, start, questions, count) for block, start in zip(self.blocks, ends, strict=False)]
        else:
            shares = self._shares()
            jobs = [_in_share(self.vectors[start:end], start, questions, count) for start, end in shares]
        near = _run(jobs)
        scores = np.concatenate([scores for scores, _ in near], axis=1)
        places = np.concatenate([places for _, places in near], axis=1)
        best = np.argsort(np.where(places < 0, np.inf, -scores), axis=1, kind="stable")[:, :count]
        return np.take_along_axis(places, best, axis=1)

    def reaching(self, question: FloatArray, product: float) -> Numbers:
        """The places, ascending, of all vectors whose product with a question is `product` or more.

        `question` has shape (dimensions,). All vectors are read.
        """

        def search(start: int, end: int) -> Numbers:
            return (start + np.flatnonzero(self.vectors[start:end] @ question >= product)).astype(np.int64)

        return np.concatenate(_run([partial(search, start, end) for start, end in self._shares()]))

    def at(self, places: Numbers) -> FloatArray:
        """The vectors at `places`, float32, shape (places, dimensions)."""
        return self.vectors[places]

    def _shares(self) -> list[tuple[int, int]]:
        """Where the share of each thread begins and ends."""
        shares = _threads() if self.vectors.size > SHARED else 1
        return list(pairwise(np.linspace(0, len(self.vectors), shares + 1).astype(int).tolist()))


def _in_block(block: faiss.Index, start: int, questions: FloatArray, count: int) -> Callable[[], Scored]:
    def search() -> Scored:
        scores, places = block.search(questions, min(count, block.ntotal))
        return scores, np.where(places < 0, -1, places + start)

    return search


def _in_share(vectors: FloatArray, start: int, questions: FloatArray, count: int) -> Callable[[], Scored]:
    def search() -> Scored:
        import faiss

        limit = min(count, len(vectors))
        if len(questions) >= TOGETHER:
            scores, places = faiss.knn(questions, vectors, limit, metric=faiss.METRIC_INNER_PRODUCT)
        else:
            products = np.stack([vectors @ question for question in questions])
            places = np.argpartition(-products, limit - 1, axis=1)[:, :limit].astype(np.int64)
            scores = np.take_along_axis(products, places, axis=1)
        return scores, np.where(places < 0, -1, places + start)

    return search


def _run(jobs: Sequence[Callable[[], Result]]) -> list[Result]:
    """Each job's result, by as many threads as there are processors, each with products of one thread."""
    _one_thread_a_product()

    def alone(job: Callable[[], Result]) -> Result:
        import faiss

        faiss.omp_set_num_threads(1)  # of the calling thread alone
        return job()

    workers = min(_threads(), len(jobs))
    if workers <= 1:
        return [alone(job) for job in jobs]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(alone, jobs))


@cache
def _one_thread_a_product() -> None:
    """One BLAS thread for each matrix product, for good: see docs/decisions/0007."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


@cache
def _threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
