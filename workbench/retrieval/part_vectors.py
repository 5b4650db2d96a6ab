"""The vectors of a dense index's part: exact ones, and where they are many one bit for each number, too.

`<part>.vectors.npy` (float32, shape (passages, dimensions)) is written as vectors come, so memory does not grow with
the corpus. `<part>.bits.faiss` is one FAISS index after another, each of BLOCK vectors in RaBitQ's code (Gao and Long
2024): a thirty-second of the memory, in seconds; of a block only the mean is computed before.

An exact search multiplies the question by each vector, with one BLAS thread for each share of the vectors: it takes as
long as reading them. With the bits FAISS estimates each cosine from a thirty-second of that, and the caller scores the
best exactly.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from workbench.core import FloatArray
from workbench.retrieval.index_files import Numbers, mapped

if TYPE_CHECKING:
    import faiss


VECTORS, BITS = "vectors.npy", "bits.faiss"
EXACT_NUMBERS = 1 << 25
"""Numbers of a part that are read completely for each question: 32,768 vectors of 1,024, 87,381 of 384, 5 ms."""
BLOCK = 1 << 17
"""Vectors of one FAISS index, which one thread searches; one more where a single one would be left for the last."""
CODE = "RaBitQfs"
"""One bit a number and two for each vector, laid out for FAISS's fast scan."""
MADV_COLLAPSE = 25
"""Of Linux 6.1 and later; `mmap` of Python 3.11 does not name it. A kernel without it refuses."""


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
            _prefer_huge_pages(indexes[-1])
    return tuple(indexes)


def _prefer_huge_pages(block: faiss.Index) -> None:
    """Moves a block's bits into huge pages, where the system has them: a question then takes a fifth less time."""
    import faiss

    codes = faiss.downcast_index(block).codes  # type: ignore[attr-defined]
    start = -(-int(codes.get()) // mmap.PAGESIZE) * mmap.PAGESIZE
    size = int(codes.get()) + codes.size() - start
    if sys.platform == "linux" and size > 0:
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_COLLAPSE)


SHARED = 1 << 22
"""Numbers from which vectors are shared out among threads: with fewer, threads take longer to start than to read."""
GATHERED = 1 << 18
"""The same where the vectors lie apart, so that each is waited for."""
TOGETHER = 3
"""Questions from which vectors are read once for all of them; before that once for each is as fast."""
BLAS_FROM = 4
"""Questions from which FAISS multiplies matrices; as it comes (1.15.1) from 128,000: each then reads all anew."""

SPREAD = 3
"""Times its share of the best that a block gives first: passages about one thing may be neighbours."""
IN_CACHE = 64
"""Vectors that are multiplied together."""

Doubles = npt.NDArray[np.float64]
Result = TypeVar("Result")
Scored = tuple[FloatArray, Numbers]
"""For each question scores and positions, shape (questions, candidates), best first or in no order."""


@dataclass(frozen=True, slots=True)
class PartVectors:
    """The exact vectors of a part, by position, and where they are many, their bits."""

    vectors: FloatArray
    blocks: tuple[faiss.Index, ...] = ()

    @classmethod
    def open(cls, directory: Path, part: str) -> PartVectors:
        """What `VectorWriter` wrote, memory-mapped but for the bits. Raises OSError, ValueError and RuntimeError."""
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
        """For each question the positions of the `count` vectors of the highest product, best first; -1 for none."""
        if self.blocks and not exact:
            return _best(self._estimates(questions, count), count)
        jobs = [_in_share(self.vectors[start:end], start, questions, count) for start, end in self._shares()]
        return _best(_run(jobs), count)

    def _estimates(self, questions: FloatArray, count: int) -> list[Scored]:
        """From each block the estimates that may be among the `count` highest of a question, and their positions.

        Keeping the best of a block takes the longer, the more they are. So each block first gives SPREAD times its
        share of `count`; one whose last is still among the best of all may have more of them, and is asked again.
        """
        limit = min(count, -(-SPREAD * count // len(self.blocks)))
        starts = np.cumsum([0, *(block.ntotal for block in self.blocks)]).tolist()
        blocks = list(zip(self.blocks, starts, strict=False))
        everyone = np.arange(len(questions))
        near = _run([_in_block(block, start, questions, everyone, limit) for block, start in blocks])
        falling = -np.concatenate([scores for scores, _ in near], axis=1)
        cut = min(count, falling.shape[1]) - 1
        last = -np.partition(falling, cut, axis=1)[:, cut]
        jobs = []
        for (block, start), (scores, positions) in zip(blocks, near, strict=True):
            again = np.flatnonzero(scores[:, -1] >= last)
            if limit < min(count, block.ntotal) and len(again):
                positions[again] = -1
                jobs.append(_in_block(block, start, questions, again, count))
        return [*near, *_run(jobs)]

    def reaching(self, question: FloatArray, product: float) -> Numbers:
        """The positions, ascending, of all vectors whose product with a question is `product` or more.

        `question` has shape (dimensions,). All vectors are read.
        """

        def search(start: int, end: int) -> Numbers:
            return (start + np.flatnonzero(self.vectors[start:end] @ question >= product)).astype(np.int64)

        return np.concatenate(_run([partial(search, start, end) for start, end in self._shares()]))

    def products(self, positions: Sequence[Numbers], questions: FloatArray) -> list[Doubles]:
        """For each question its products, in float64, with the vectors at positions of its own."""

        def multiply(some: Numbers, question: Doubles) -> Doubles:
            # So few at a time that they are still in the processor's cache as float64: memory is read once.
            parts = (self.vectors[some[start : start + IN_CACHE]] for start in range(0, len(some), IN_CACHE))
            return np.concatenate([np.zeros(0), *(part.astype(np.float64) @ question for part in parts)])

        alone = sum(map(len, positions)) * self.shape[1] < GATHERED
        shares = 1 if alone else max(1, _threads() // len(positions))
        jobs = [
            partial(multiply, share, question)
            for some, question in zip(positions, questions.astype(np.float64), strict=True)
            for share in np.array_split(some, shares)
        ]
        products = _run(jobs, alone=alone)
        return [np.concatenate(products[start : start + shares]) for start in range(0, len(products), shares)]

    def _shares(self) -> list[tuple[int, int]]:
        """Where the share of each thread begins and ends."""
        shares = _threads() if self.vectors.size > SHARED else 1
        return list(pairwise(np.linspace(0, len(self.vectors), shares + 1).astype(int).tolist()))


def _best(parts: Sequence[Scored], count: int) -> Numbers:
    """For each question the positions of its `count` highest scores, best first; -1 for none."""
    scores, positions = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    best = np.argsort(np.where(positions < 0, np.inf, -scores), axis=1, kind="stable")[:, :count]
    return np.take_along_axis(positions, best, axis=1)


def _in_block(
    block: faiss.Index, start: int, questions: FloatArray, numbers: Numbers, count: int
) -> Callable[[], Scored]:
    """Searches a block for the questions of these numbers; the others have no positions in it."""

    def search() -> Scored:
        shape = (len(questions), min(count, block.ntotal))
        scores, positions = np.zeros(shape, np.float32), np.full(shape, -1)
        _in_one_thread()
        scores[numbers], near = block.search(questions[numbers], shape[1])
        positions[numbers] = np.where(near < 0, -1, near + start)
        return scores, positions

    return search


def _in_share(vectors: FloatArray, start: int, questions: FloatArray, count: int) -> Callable[[], Scored]:
    def search() -> Scored:
        limit = min(count, len(vectors))
        if len(questions) >= TOGETHER:
            import faiss

            _in_one_thread()
            scores, positions = faiss.knn(questions, vectors, limit, metric=faiss.METRIC_INNER_PRODUCT)
        else:
            products = np.stack([vectors @ question for question in questions])
            positions = np.argpartition(-products, limit - 1, axis=1)[:, :limit].astype(np.int64)
            scores = np.take_along_axis(products, positions, axis=1)
        return scores, np.where(positions < 0, -1, positions + start)

    return search


def _run(jobs: Sequence[Callable[[], Result]], *, alone: bool = False) -> list[Result]:
    """Each job's result, by one thread or as many as there are processors, each with products of one thread."""
    _one_thread_a_product()
    if alone or min(_threads(), len(jobs)) <= 1:
        return [job() for job in jobs]
    return list(_pool().map(lambda job: job(), jobs))


def _in_one_thread() -> None:
    """Has FAISS work in the calling thread alone, and multiply matrices."""
    import faiss

    faiss.cvar.distance_compute_blas_threshold = BLAS_FROM
    faiss.omp_set_num_threads(1)


@cache
def _one_thread_a_product() -> None:
    """One BLAS thread for each matrix product, for good: see docs/decisions/0007."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads of all searches: new ones would each take a millisecond or two until FAISS has its memory."""
    return ThreadPoolExecutor(_threads(), thread_name_prefix="vectors")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


@cache
def _threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
