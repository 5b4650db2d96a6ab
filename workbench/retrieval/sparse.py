"""Sparse search over learned weights: BGE-M3's lexical weights, SPLADE; one inverted index per language.

On disk: as in `encoded_index`, with `sparse.json` and for each part a matrix of weights in compressed columns: `data`
(float32), `indices` (int32: the passage's position in its part) and `indptr` (int64, shape (vocabulary + 1,)), all
`.npy`. A column is a token's list of passages. All are memory-mapped. A score is the dot product of the question's
weights and the passage's; passages that share no token with the question are not ranked.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from workbench.core import DIGITS, FloatArray, Hit, Passage, Query, Ranking, top_k
from workbench.retrieval.encoded_index import IndexLayout, ShardedIndex
from workbench.retrieval.index_files import BATCH, DECIMALS, NONE, Numbers, ShardPassages, load_arrays, save_array

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class SparseParts:
    """The encoded parts of an index that is being built: what a killed build left for the next attempt.

    They are in `folder`, one `.npz` file each (arrays only, no pickle); `encoder` is an identity. A file's name is a
    fingerprint of the encoder and of the part's texts, so a changed passage is encoded again.
    """

    def __init__(self, folder: Path, encoder: str) -> None:
        """Reads nothing; `folder` is made with the first part."""
        self._folder = folder
        self._encoder = encoder

    def get(
        self, number: int, passages: Sequence[Passage], encode: Callable[[Sequence[Passage]], csr_matrix]
    ) -> csr_matrix:
        """The weights of the `number`-th part, shape (passages, vocabulary): stored ones, else encoded and stored."""
        from scipy.sparse import load_npz, save_npz

        path = self._folder / f"{number:06d}-{self._fingerprint(passages)}.npz"
        if path.is_file():
            return load_npz(path)
        weights = encode(passages)
        self._folder.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half.npz")
        save_npz(half, weights, compressed=False)
        half.replace(path)
        return weights

    def discard(self) -> None:
        """Removes all parts, once the index is complete."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _fingerprint(self, passages: Sequence[Passage]) -> str:
        digest = hashlib.sha256(self._encoder.encode())
        for passage in passages:
            digest.update(f"\x1e{passage.language}\x1f{passage.searchable}".encode(errors="surrogatepass"))
        return digest.hexdigest()[:DIGITS]


DATA, INDICES, INDPTR = ARRAYS = ("data.npy", "indices.npy", "indptr.npy")
VOCABULARY = "vocabulary"
LAYOUT = IndexLayout("sparse", ARRAYS, sizes=(VOCABULARY,))
PARTS = "parts"


@runtime_checkable
class SparseEncoder(Protocol):
    """Turns texts into weights >= 0 over a vocabulary, float32, shape (n, vocabulary); a row may be empty."""

    @property
    def identity(self) -> str:
        """Everything about the encoder that affects its weights, as text."""
        ...

    @property
    def vocabulary(self) -> int:
        """The number of tokens, one column each; may load a model."""
        ...

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        """One row per passage, of its searchable text."""
        ...

    def encode_queries(self, queries: Sequence[Query]) -> csr_matrix:
        """One row per query."""
        ...


@dataclass(frozen=True, slots=True)
class _SparseShard:
    members: ShardPassages
    data: FloatArray
    indices: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]

    def search(self, tokens: npt.NDArray[np.int32], weights: FloatArray, k: int) -> list[tuple[int, float]]:
        """The `k` best positions with their scores > 0, and all that tie with the last of them."""
        scores = np.zeros(len(self.members), dtype=np.float32)
        for token, weight in zip(tokens.tolist(), weights.tolist(), strict=True):
            start, end = self.indptr[token], self.indptr[token + 1]
            # No passage comes twice in a token's list, so plain addition is right.
            scores[self.indices[start:end]] += np.float32(weight) * self.data[start:end]
        scores = np.round(scores, DECIMALS)
        positions = self.members.without_removed(np.flatnonzero(scores > 0))
        if len(positions) > k:
            positions = positions[scores[positions] >= np.partition(scores[positions], -k)[-k]]
        return [(int(position), float(scores[position])) for position in positions]

    def score(self, positions: Numbers, tokens: npt.NDArray[np.int32], weights: FloatArray) -> FloatArray:
        """The scores of the passages at `positions`, added up as `search` adds them."""
        scores = np.zeros(len(positions), dtype=np.float32)
        for token, weight in zip(tokens.tolist(), weights.tolist(), strict=True):
            start, end = self.indptr[token], self.indptr[token + 1]
            column = self.indices[start:end]
            at = np.minimum(np.searchsorted(column, positions), max(len(column) - 1, 0))
            matches = column[at] == positions if len(column) else np.zeros(len(positions), dtype=bool)
            scores[matches] += np.float32(weight) * self.data[start:end][at[matches]]
        rounded: FloatArray = np.round(scores, DECIMALS)
        return rounded

    def encoded(self, positions: Numbers) -> csr_matrix:
        """The weights of the passages at `positions`, one row each."""
        from scipy.sparse import csc_matrix

        shape = (len(self.members), len(self.indptr) - 1)
        return csc_matrix((self.data, self.indices, self.indptr), shape).tocsr()[positions]


class SparseIndex(ShardedIndex[SparseEncoder, _SparseShard]):
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
        rows: Iterable[int] | None = None,
    ) -> None:
        """Indexes `passages` into `directory` as `IndexLayout.build` does.

        Encodes `batch` passages at a time and keeps each part in `checkpoint` (a folder for it alone, by default in
        `directory`) until the index is complete, so that a killed build resumes where it was. Then holds all weights
        of a language in memory, about 16 bytes each.
        """
        parts = SparseParts(checkpoint or directory / PARTS, encoder.identity)
        LAYOUT.build(
            directory,
            encoder,
            passages,
            lambda number, part: parts.get(number, part, encoder.encode_passages),
            _ColumnWriter,
            sizes={VOCABULARY: encoder.vocabulary},
            batch=batch,
            progress=progress,
            rows=rows,
        )
        parts.discard()

    def extend(
        self,
        directory: Path,
        passages: Sequence[Passage],
        rows: Sequence[int],
        progress: Callable[[int], None] | None = None,
        *,
        batch: int = BATCH,
        checkpoint: Path,
    ) -> None:
        """Adds passages to the files of this index in `directory`, as `IndexLayout.extend` does; resumes as `build`."""
        parts = SparseParts(checkpoint, self._encoder.identity)
        LAYOUT.extend(
            directory,
            passages,
            rows,
            lambda number, part: parts.get(number, part, self._encoder.encode_passages),
            _ColumnWriter,
            self._parts,
            batch=batch,
            progress=progress,
        )
        parts.discard()

    @classmethod
    def open(cls, directory: Path, encoder: SparseEncoder, removed: Numbers = NONE) -> Self:
        """Opens a built index; `removed` rows, ascending, are left out.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made it.
        """
        # The encoder's own figure would need a loaded model.
        return cls._open(directory, encoder, lambda manifest: manifest.sizes[VOCABULARY], removed)

    @staticmethod
    def _open_shard(directory: Path, part: str, members: ShardPassages, width: int) -> _SparseShard:
        data, indices, indptr = load_arrays(directory, part, ARRAYS)
        if len(indptr) != width + 1 or not int(indptr[-1]) == len(indices) == len(data):
            raise ValueError("a list of passages for each token of the vocabulary")
        return _SparseShard(members, data, indices, indptr)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The best `k` passages for each query, all in its languages; () where it shares no token with any."""
        if not queries or k <= 0:
            return [()] * len(queries)
        weights = self._encoder.encode_queries(queries)
        return [top_k(self._hits(query, row, k), k) for query, row in zip(queries, weights, strict=True)]

    def _hits(self, query: Query, weights: csr_matrix, k: int) -> Iterator[Hit]:
        for language, shard in self._within(query.languages):
            for position, score in shard.search(weights.indices, weights.data, k):
                yield shard.members.hit(position, language, score, LAYOUT.kind)


class _ColumnWriter:
    """Collects one language's weights, which are written by column."""

    def __init__(self) -> None:
        self._blocks: list[csr_matrix] = []

    def add(self, encoded: csr_matrix) -> None:
        self._blocks.append(encoded)

    def write(self, directory: Path, part: str) -> None:
        from scipy.sparse import vstack

        columns = vstack(self._blocks).tocsc()
        save_array(directory, part, DATA, columns.data.astype(np.float32))
        save_array(directory, part, INDICES, columns.indices.astype(np.int32))
        save_array(directory, part, INDPTR, columns.indptr.astype(np.int64))
