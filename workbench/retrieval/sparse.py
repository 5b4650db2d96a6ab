"""Sparse search over learned weights: BGE-M3's lexical weights, SPLADE; an inverted index a language.

On disk: `sparse.json` (the manifest, written last and atomically) and for each language, beside `rows` (int64) and
`ids` (UTF-8 bytes) of its passages, a matrix of weights in compressed columns: `data` (float32), `indices` (int32: the
passage's place in its language) and `indptr` (int64, shape (vocabulary + 1,)). A column is a token's list of
passages. All are memory-mapped, a scope is a set of shards, hence exact. A score is the dot product of the question's
weights and the passage's; passages that share no token with the question are not found.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from workbench.errors import DataError, MissingError, shorten
from workbench.identity import component, file_fingerprint, fingerprint
from workbench.languages import language
from workbench.protocols import FloatArray
from workbench.records import Hit, Passage, Query, Ranking
from workbench.retrieval.sparse_parts import Parts
from workbench.storage.atomic import write_text
from workbench.storage.pieces import pieces

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FORMAT = 1
MANIFEST, PARTS = "sparse.json", "parts"
ARRAYS = ("data", "indices", "indptr", "rows", "ids")
BATCH = 512
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""
HINT = "Build it again: python -m workbench corpora index"


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
    data: FloatArray
    indices: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    ids: npt.NDArray[np.bytes_]

    def search(self, tokens: npt.NDArray[np.int32], weights: FloatArray, k: int) -> list[tuple[int, float]]:
        """The `k` best places with their scores > 0, and all that tie with the last of them."""
        scores = np.zeros(len(self.rows), dtype=np.float32)
        for token, weight in zip(tokens.tolist(), weights.tolist(), strict=True):
            start, end = self.indptr[token], self.indptr[token + 1]
            # No passage comes twice in a token's list, so plain addition is right.
            scores[self.indices[start:end]] += np.float32(weight) * self.data[start:end]
        scores = np.round(scores, DECIMALS)
        found = np.flatnonzero(scores > 0)
        if len(found) > k:
            found = found[scores[found] >= np.partition(scores[found], -k)[-k]]
        return [(int(place), float(scores[place])) for place in found]


class SparseIndex:
    """An opened sparse index; a `Retriever`. Memory-mapped, safe to share between threads."""

    def __init__(self, encoder: SparseEncoder, shards: Mapping[str, _Shard], mark: str) -> None:
        self._encoder = encoder
        self._shards = shards
        self._mark = mark

    @staticmethod
    def build(
        directory: Path,
        encoder: SparseEncoder,
        passages: Iterable[Passage],
        progress: Callable[[int], None] | None = None,
        batch: int = BATCH,
        checkpoint: Path | None = None,
    ) -> None:
        """Indexes `passages` into `directory`, replacing an index that is there; the n-th passage gets row n.

        Encodes `batch` passages at a time and keeps each part in `checkpoint` (a folder of its own, by default in
        `directory`) until the index is whole, so that a killed build goes on where it was. Then holds all weights of
        a language in memory, about 16 bytes each. Raises UsageError for a language that is no ISO 639 code.
        """
        directory.mkdir(parents=True, exist_ok=True)
        (directory / MANIFEST).unlink(missing_ok=True)
        for name in ARRAYS:
            for old in directory.glob(f"*.{name}.npy"):
                old.unlink()
        kept = Parts(checkpoint or directory / PARTS, encoder.identity)
        gathered: defaultdict[str, _Gathered] = defaultdict(_Gathered)
        done = 0
        for number, part in enumerate(pieces(passages, batch)):
            weights = kept.get(number, part, encoder.encode_passages)
            for code in dict.fromkeys(passage.language for passage in part):
                places = [place for place, passage in enumerate(part) if passage.language == code]
                gathered[language(code).code].add(
                    weights[places], [done + place for place in places], [part[place].id for place in places]
                )
            done += len(part)
            if progress:
                progress(done)
        for code in gathered:
            gathered[code].write(directory, code)
        files = sorted(directory / f"{code}.{name}.npy" for code in gathered for name in ARRAYS)
        facts = {
            "format": FORMAT,
            "encoder": encoder.identity,
            "vocabulary": encoder.vocabulary,
            "languages": sorted(gathered),
            "fingerprint": fingerprint("sparse", [[path.name, file_fingerprint(path)] for path in files]),
        }
        write_text(directory / MANIFEST, json.dumps(facts, indent=1))
        kept.discard()

    @classmethod
    def open(cls, directory: Path, encoder: SparseEncoder) -> SparseIndex:
        """Opens a built index.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made it.
        """
        made_by, vocabulary, languages, mark = _read_manifest(directory / MANIFEST)
        if made_by != encoder.identity:
            raise DataError(
                f"The sparse index in {shorten(directory)} was made by the encoder “{shorten(made_by)}”, "
                f"not by “{shorten(encoder.identity)}”. {HINT}"
            )
        return cls(encoder, {code: _open_shard(directory, code, vocabulary) for code in languages}, mark)

    @property
    def identity(self) -> str:
        """Names the encoder and the indexed files."""
        return component("sparse", encoder=self._encoder.identity, index=self._mark)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self._shards)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The best `k` passages for each query, all in its languages; () where it shares no token with any."""
        if not queries or k <= 0:
            return [()] * len(queries)
        weights = self._encoder.encode_questions(queries)
        return [
            tuple(sorted(self._hits(query, row, k), key=lambda hit: (-hit.score, hit.row))[:k])
            for query, row in zip(queries, weights, strict=True)
        ]

    def _hits(self, query: Query, weights: csr_matrix, k: int) -> Iterator[Hit]:
        for code in dict.fromkeys(query.languages):
            shard = self._shards.get(code)
            if shard is not None:
                for place, score in shard.search(weights.indices, weights.data, k):
                    id = bytes(shard.ids[place]).decode(errors="surrogatepass")
                    score = round(score, DECIMALS)
                    yield Hit(id, int(shard.rows[place]), code, score, {"sparse": score})


class _Gathered:
    """One language's weights, until they are written by column."""

    def __init__(self) -> None:
        self._blocks: list[csr_matrix] = []
        self._rows: list[int] = []
        self._ids: list[bytes] = []

    def add(self, weights: csr_matrix, rows: Sequence[int], ids: Sequence[str]) -> None:
        self._blocks.append(weights)
        self._rows.extend(rows)
        self._ids.extend(id.encode(errors="surrogatepass") for id in ids)

    def write(self, directory: Path, code: str) -> None:
        from scipy.sparse import vstack

        columns = vstack(self._blocks).tocsc()
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "data": columns.data.astype(np.float32),
            "indices": columns.indices.astype(np.int32),
            "indptr": columns.indptr.astype(np.int64),
            "rows": np.array(self._rows, dtype=np.int64),
            "ids": np.array(self._ids, dtype=np.bytes_),
        }
        for name, array in arrays.items():
            np.save(directory / f"{code}.{name}.npy", array, allow_pickle=False)


def _open_shard(directory: Path, code: str, vocabulary: int) -> _Shard:
    try:
        arrays = {name: np.load(directory / f"{code}.{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS}
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"The sparse index in {shorten(directory)} is damaged. {HINT}") from error
    shard = _Shard(**arrays)
    if (
        len(shard.rows) != len(shard.ids)
        or len(shard.indptr) != vocabulary + 1
        or not int(shard.indptr[-1]) == len(shard.indices) == len(shard.data)
    ):
        raise DataError(f"The sparse index in {shorten(directory)} is damaged. {HINT}")
    return shard


def _read_manifest(path: Path) -> tuple[str, int, tuple[str, ...], str]:
    """The encoder's identity, its vocabulary, the languages and the fingerprint."""
    if not path.is_file():
        raise MissingError(f"There is no sparse index in {shorten(path.parent)}. {HINT}")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        codes = tuple(language(code).code for code in facts["languages"])
        return str(facts["encoder"]), int(facts["vocabulary"]), codes, str(facts["fingerprint"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"The sparse index's manifest {shorten(path)} cannot be read. {HINT}") from error
