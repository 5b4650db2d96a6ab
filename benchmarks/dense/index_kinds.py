"""The kinds of index that are compared, by name: ours over a folder, and FAISS's with exact re-scoring of the best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import faiss
import numpy as np
import numpy.typing as npt

from benchmarks.dense.synthetic_vectors import BLOCK, SyntheticVectors
from workbench.core.protocols import FloatArray
from workbench.core.records import Query
from workbench.retrieval.dense import DenseIndex

K = 50
RESCORED = 200
OURS = "ours"
"""The folder of our index, whose vectors all kinds search."""

Places = npt.NDArray[np.int64]


def stored_vectors(folder: Path) -> FloatArray:
    """The vectors that our index wrote, memory-mapped."""
    vectors: FloatArray = np.load(folder / OURS / "en.vectors.npy", mmap_mode="r")
    return vectors


class IndexKind(Protocol):
    """A kind of index. `settings` are what its search is measured with, the first as it is built."""

    settings: Sequence[int]

    def build(self, folder: Path, source: SyntheticVectors, /) -> list[Path]:
        """Builds the index; returns its files."""
        ...

    def open(self, folder: Path, source: SyntheticVectors, /) -> None:
        """Opens what `build` wrote."""
        ...

    def search(self, questions: FloatArray, setting: int) -> Places:
        """The K best places of each question, shape (questions, K)."""
        ...


class Ours:
    """The workbench's index, as a corpus has it, searched by vectors."""

    settings: Sequence[int] = (0,)
    exact = False

    def build(self, folder: Path, source: SyntheticVectors) -> list[Path]:
        DenseIndex.build(folder / OURS, source, source.passages(), batch=BLOCK)
        return sorted((folder / OURS).iterdir())

    def open(self, folder: Path, source: SyntheticVectors) -> None:
        index = DenseIndex.open(folder / OURS, source)
        self.index = index.exactly() if self.exact else index

    def search(self, questions: FloatArray, setting: int) -> Places:
        queries = [Query("", "en", ("en",))] * len(questions)
        rankings = self.index.nearest(queries, questions, K)
        return np.array([[hit.row for hit in ranking] for ranking in rankings])


class OursExact(Ours):
    """The same, all vectors read."""

    exact = True

    def build(self, folder: Path, source: SyntheticVectors) -> list[Path]:
        return [folder / OURS / "en.vectors.npy"]


class Bare:
    """A FAISS index by its factory's name, and exact re-scoring of the best RESCORED from the mapped vectors."""

    def __init__(self, factory: str, settings: Sequence[int] = (0,), parameter: str = "") -> None:
        self.factory = factory
        self.settings = settings
        self.parameter = parameter

    def _file(self, folder: Path) -> Path:
        return folder / f"{self.factory.replace(',', '-')}.faiss"

    def build(self, folder: Path, _source: SyntheticVectors) -> list[Path]:
        vectors = stored_vectors(folder)
        index = faiss.index_factory(vectors.shape[1], self.factory, faiss.METRIC_INNER_PRODUCT)
        if lists := faiss.try_extract_index_ivf(index):
            lists.cp.niter, lists.cp.max_points_per_centroid = 10, 64
        step = max(1, len(vectors) // 100_000)
        index.train(np.ascontiguousarray(vectors[::step]))
        for start in range(0, len(vectors), BLOCK):
            index.add(np.ascontiguousarray(vectors[start : start + BLOCK]))
        faiss.write_index(index, str(self._file(folder)))
        return [self._file(folder)]

    def open(self, folder: Path, _source: SyntheticVectors) -> None:
        self.index: Any = faiss.read_index(str(self._file(folder)))
        self.vectors = stored_vectors(folder)

    def search(self, questions: FloatArray, setting: int) -> Places:
        if self.parameter:
            faiss.ParameterSpace().set_index_parameter(self.index, self.parameter, setting)
        _, near = self.index.search(questions, RESCORED)
        best = np.empty((len(near), K), dtype=np.int64)
        for number, row in enumerate(near):
            places = np.sort(row[row >= 0])
            best[number] = places[np.argsort(-(self.vectors[places] @ questions[number]), kind="stable")[:K]]
        return best


class BareFlat:
    """FAISS's exact search, as it comes."""

    settings: Sequence[int] = (0,)

    def build(self, folder: Path, _source: SyntheticVectors) -> list[Path]:
        return [folder / OURS / "en.vectors.npy"]

    def open(self, folder: Path, _source: SyntheticVectors) -> None:
        vectors = stored_vectors(folder)
        self.index = faiss.IndexFlatIP(vectors.shape[1])
        for start in range(0, len(vectors), BLOCK):
            self.index.add(np.ascontiguousarray(vectors[start : start + BLOCK]))

    def search(self, questions: FloatArray, setting: int) -> Places:
        places: Places = self.index.search(questions, K)[1]
        return places


KINDS: dict[str, IndexKind] = {
    "ours": Ours(),
    "ours, exact": OursExact(),
    "FAISS Flat": BareFlat(),
    "FAISS RaBitQfs": Bare("RaBitQfs"),
    "FAISS SQ8": Bare("SQ8"),
    "FAISS IVF1024,SQ8": Bare("IVF1024,SQ8", (64, 256), "nprobe"),
    "FAISS HNSW32_SQ8": Bare("HNSW32_SQ8", (200, 500), "efSearch"),
}
"""To compare another one, write its class and list it here. `ours` comes first: the others search its vectors."""
