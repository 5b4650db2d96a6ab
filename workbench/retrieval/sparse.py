"""Sparse search over learned weights: BGE-M3's lexical weights, SPLADE; an inverted index a language.

On disk: as in `shards`, with `sparse.json` and for each language a matrix of weights in compressed columns: `data`
(float32), `indices` (int32: the passage's place in its language) and `indptr` (int64, shape (vocabulary + 1,)), all
`.npy`. A column is a token's list of passages. All are memory-mapped. A score is the dot product of the question's
weights and the passage's; passages that share no token with the question are not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from workbench.protocols import FloatArray
from workbench.records import Hit, Passage, Query, Ranking, top_k
from workbench.retrieval.shards import BATCH, DECIMALS, IndexLayout, ShardedIndex, ShardPassages
from workbench.retrieval.sparse_parts import SparseParts

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ARRAYS = ("data", "indices", "indptr")
LAYOUT = IndexLayout("sparse", tuple(f"{name}.npy" for name in ARRAYS), sizes=("vocabulary",))
PARTS = "parts"


@runtime_checkable
class SparseEncoder(Protocol):
    """Turns texts into weights >= 0 over a vocabulary, float32, shape (n, vocabulary); a row may be empty."""

    @property
    def identity(self) -> str: ...

    @property
    def vocabulary(self) -> int: ...

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix: ...

    def encode_questions(self, queries: Sequence[Query]) -> csr_matrix: ...


@dataclass(frozen=True, slots=True)
class _Shard:
    members: ShardPassages
    data: FloatArray
    indices: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]

    def search(self, tokens: npt.NDArray[np.int32], weights: FloatArray, k: int) -> list[tuple[int, float]]:
        """The `k` best places with their scores > 0, and all that tie with the last of them."""
        scores = np.zeros(len(self.members), dtype=np.float32)
        for token, weight in zip(tokens.tolist(), weights.tolist(), strict=True):
            start, end = self.indptr[token], self.indptr[token + 1]
            # No passage comes twice in a token's list, so plain addition is right.
            scores[self.indices[start:end]] += np.float32(weight) * self.data[start:end]
        scores = np.round(scores, DECIMALS)
        found = np.flatnonzero(scores > 0)
        if len(found) > k:
            found = found[scores[found] >= np.partition(scores[found], -k)[-k]]
        return [(int(place), float(scores[place])) for place in found]


class SparseIndex(ShardedIndex[SparseEncoder, _Shard]):
    """An opened sparse index; a `Retriever`. Memory-mapped, safe to share between threads."""

    layout = LAYOUT

    @staticmethod
    def build(
        directory: Path,
        encoder: SparseEncoder,
        passages: Iterable[Passage],
        progress: Callable[[int], None] | None = None,
        batch: int = BATCH,
        checkpoint: Path | None = None,
    ) -> None:
        """Indexes `passages` into `directory` as `Layout.build` does.

        Encodes `batch` passages at a time and keeps each part in `checkpoint` (a folder of its own, by default in
        `directory`) until the index is whole, so that a killed build goes on where it was. Then holds all weights of
        a language in memory, about 16 bytes each.
        """
        kept = SparseParts(checkpoint or directory / PARTS, encoder.identity)
        LAYOUT.build(
            directory,
            encoder,
            passages,
            lambda number, part: kept.get(number, part, encoder.encode_passages),
            _Columns,
            sizes={"vocabulary": encoder.vocabulary},
            batch=batch,
            progress=progress,
        )
        kept.discard()

    @classmethod
    def open(cls, directory: Path, encoder: SparseEncoder) -> SparseIndex:
        """Opens a built index.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made it.
        """
        manifest = LAYOUT.manifest(directory, encoder)
        # Not the encoder's own word: it would have to load a model to say it.
        vocabulary = manifest.sizes["vocabulary"]
        shards = {code: _open_shard(directory, code, vocabulary) for code in manifest.languages}
        return cls(encoder, shards, manifest.fingerprint)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The best `k` passages for each query, all in its languages; () where it shares no token with any."""
        if not queries or k <= 0:
            return [()] * len(queries)
        weights = self._encoder.encode_questions(queries)
        return [top_k(self._hits(query, row, k), k) for query, row in zip(queries, weights, strict=True)]

    def _hits(self, query: Query, weights: csr_matrix, k: int) -> Iterator[Hit]:
        for code, shard in self._within(query.languages):
            for place, score in shard.search(weights.indices, weights.data, k):
                yield shard.members.hit(place, code, score, LAYOUT.kind)


class _Columns:
    """One language's weights, until they are written by column."""

    def __init__(self) -> None:
        self._blocks: list[csr_matrix] = []

    def add(self, encoded: csr_matrix) -> None:
        self._blocks.append(encoded)

    def write(self, directory: Path, code: str) -> None:
        from scipy.sparse import vstack

        columns = vstack(self._blocks).tocsc()
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "data": columns.data.astype(np.float32),
            "indices": columns.indices.astype(np.int32),
            "indptr": columns.indptr.astype(np.int64),
        }
        for name, array in arrays.items():
            np.save(directory / f"{code}.{name}.npy", array, allow_pickle=False)


def _open_shard(directory: Path, code: str, vocabulary: int) -> _Shard:
    with LAYOUT.reading(directory):
        members = ShardPassages.open(directory, code)
        data, indices, indptr = (
            np.load(directory / f"{code}.{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS
        )
        if len(indptr) != vocabulary + 1 or not int(indptr[-1]) == len(indices) == len(data):
            raise ValueError("a list of passages for each token of the vocabulary")
    return _Shard(members, data, indices, indptr)
