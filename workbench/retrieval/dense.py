"""Dense search: cosine over an encoder's vectors, one FAISS index a language.

On disk: `dense.json` (the manifest, written last and atomically) and for each language `<language>.faiss`,
`<language>.rows.npy` (int64, shape (passages,)) and `<language>.ids.npy` (UTF-8 bytes, same shape). A scope is a set of
shards, hence exact.
Scores are cosines in [-1, 1]. Up to FLAT_LIMIT passages a language the vectors are kept as they are; above it each
number becomes one byte (FAISS's SQ8), a quarter of the memory. Both are memory-mapped, and searched exhaustively.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from workbench.errors import DataError, MissingError, shorten
from workbench.identity import component, file_fingerprint, fingerprint
from workbench.languages import language
from workbench.protocols import Encoder, FloatArray
from workbench.records import Hit, Passage, Query, Ranking

if TYPE_CHECKING:
    import faiss

FORMAT = 1
MANIFEST = "dense.json"
BATCH = 512
FLAT_LIMIT = 50_000
"""Vectors of a language that are kept exact; above it they are quantised (recall@50 .999 on 100,000 synthetic ones)."""
THREADS = 2
BLAS_FROM = 20
"""Questions in a batch from which FAISS multiplies matrices: 8 times faster at 32 than one by one."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""
HINT = "Build it again: python -m workbench corpora index"


@dataclass(frozen=True, slots=True)
class _Shard:
    index: faiss.Index
    rows: npt.NDArray[np.int64]
    ids: npt.NDArray[np.bytes_]


class DenseIndex:
    """An opened dense index; a `Retriever`. Memory-mapped, safe to share between threads."""

    def __init__(self, encoder: Encoder, shards: Mapping[str, _Shard], mark: str) -> None:
        self._encoder = encoder
        self._shards = shards
        self._mark = mark

    @staticmethod
    def build(
        directory: Path,
        encoder: Encoder,
        passages: Iterable[Passage],
        progress: Callable[[int], None] | None = None,
        batch: int = BATCH,
    ) -> None:
        """Indexes `passages` into `directory`, replacing an index that is there; the n-th passage gets row n.

        Streams `batch` passages at a time. `progress` is told how many are done. Until the new manifest is written
        the directory holds no index that `open` would take. Raises UsageError for a language that is no ISO 639 code.
        """
        directory.mkdir(parents=True, exist_ok=True)
        (directory / MANIFEST).unlink(missing_ok=True)
        for old in (*directory.glob("*.faiss"), *directory.glob("*.rows.npy"), *directory.glob("*.ids.npy")):
            old.unlink()
        writers: dict[str, _Writer] = {}
        done = 0
        for part in _batches(passages, batch):
            vectors = encoder.encode_passages(part)
            places: defaultdict[str, list[int]] = defaultdict(list)
            for place, passage in enumerate(part):
                places[passage.language].append(place)
            for code, chosen in places.items():
                if code not in writers:
                    writers[language(code).code] = _Writer(encoder.dimensions)
                writers[code].add(vectors[chosen], [done + i for i in chosen], [part[i].id for i in chosen])
            done += len(part)
            if progress:
                progress(done)
        for code, writer in writers.items():
            writer.write(directory, code)
        files = sorted(path for code in writers for path in directory.glob(f"{code}.*"))
        mark = fingerprint("dense", [[path.name, file_fingerprint(path)] for path in files])
        _write_manifest(directory / MANIFEST, encoder.identity, sorted(writers), mark)

    @classmethod
    def open(cls, directory: Path, encoder: Encoder) -> DenseIndex:
        """Opens a built index.

        Raises MissingError where there is none, DataError where it is damaged or another encoder made it.
        """
        import faiss

        faiss.omp_set_num_threads(THREADS)
        faiss.cvar.distance_compute_blas_threshold = BLAS_FROM
        made_by, languages, mark = _read_manifest(directory / MANIFEST)
        if made_by != encoder.identity:
            raise DataError(
                f"The dense index in {shorten(directory)} was made by the encoder “{shorten(made_by)}”, "
                f"not by “{shorten(encoder.identity)}”. {HINT}"
            )
        return cls(encoder, {code: _open_shard(directory, code, encoder.dimensions) for code in languages}, mark)

    @property
    def identity(self) -> str:
        """Names the encoder and the indexed files."""
        return component("dense", encoder=self._encoder.identity, index=self._mark)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self._shards)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The `k` passages nearest to each query, all in its languages; () where the encoder knows nothing of it."""
        found: list[Ranking] = [()] * len(queries)
        if not queries or k <= 0:
            return found
        vectors = self._encoder.encode_questions(queries)
        scopes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, query in enumerate(queries):
            if vectors[place].any():
                scopes[tuple(sorted(set(query.languages)))].append(place)
        for scope, places in scopes.items():
            for place, ranking in zip(places, self._search(scope, vectors[places], k), strict=True):
                found[place] = ranking
        return found

    def _search(self, scope: Sequence[str], vectors: FloatArray, k: int) -> Iterator[Ranking]:
        """One ranking a vector, merged over the shards of `scope`; equal scores in order of row."""
        gathered: list[list[Hit]] = [[] for _ in vectors]
        for code in scope:
            shard = self._shards.get(code)
            if shard is None:
                continue
            scores, places = shard.index.search(vectors, min(k, len(shard.rows)))
            for hits, row_scores, row_places in zip(gathered, scores, places, strict=True):
                for score, place in zip(row_scores.tolist(), row_places.tolist(), strict=True):
                    if place >= 0:
                        cosine = round(score, DECIMALS)
                        id = bytes(shard.ids[place]).decode(errors="surrogatepass")
                        hits.append(Hit(id, int(shard.rows[place]), code, cosine, {"dense": cosine}))
        for hits in gathered:
            yield tuple(sorted(hits, key=lambda hit: (-hit.score, hit.row))[:k])


class _Writer:
    """Gathers one language's vectors: exact ones up to FLAT_LIMIT, then quantised by what it has seen so far."""

    def __init__(self, dimensions: int) -> None:
        import faiss

        self._index: faiss.Index = faiss.IndexFlatIP(dimensions)
        self._flat = True
        self._rows: list[int] = []
        self._ids: list[bytes] = []

    def add(self, vectors: FloatArray, rows: Sequence[int], ids: Sequence[str]) -> None:
        self._index.add(vectors)
        self._rows.extend(rows)
        self._ids.extend(id.encode(errors="surrogatepass") for id in ids)
        if self._flat and len(self._rows) > FLAT_LIMIT:
            self._quantise()

    def _quantise(self) -> None:
        import faiss

        vectors = self._index.reconstruct_n(0, self._index.ntotal)
        self._index = faiss.IndexScalarQuantizer(
            vectors.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
        )
        self._index.train(vectors)
        self._index.add(vectors)
        self._flat = False

    def write(self, directory: Path, code: str) -> None:
        import faiss

        faiss.write_index(self._index, str(directory / f"{code}.faiss"))
        np.save(directory / f"{code}.rows.npy", np.array(self._rows, dtype=np.int64), allow_pickle=False)
        np.save(directory / f"{code}.ids.npy", np.array(self._ids, dtype=np.bytes_), allow_pickle=False)


def _batches(passages: Iterable[Passage], size: int) -> Iterator[list[Passage]]:
    rest = iter(passages)
    while part := list(islice(rest, size)):
        yield part


def _open_shard(directory: Path, code: str, dimensions: int) -> _Shard:
    import faiss

    try:
        # This flag maps the vectors; the older IO_FLAG_MMAP reads a flat index into memory.
        index = faiss.read_index(str(directory / f"{code}.faiss"), faiss.IO_FLAG_MMAP_IFC)
        rows = np.load(directory / f"{code}.rows.npy", mmap_mode="r", allow_pickle=False)
        ids = np.load(directory / f"{code}.ids.npy", mmap_mode="r", allow_pickle=False)
    except (OSError, RuntimeError, ValueError, EOFError) as error:
        raise DataError(f"The dense index in {shorten(directory)} is damaged. {HINT}") from error
    if not len(rows) == len(ids) == index.ntotal or index.d != dimensions:
        raise DataError(f"The dense index in {shorten(directory)} is damaged. {HINT}")
    return _Shard(index, rows, ids)


def _write_manifest(path: Path, encoder: str, languages: Sequence[str], mark: str) -> None:
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, "encoder": encoder, "languages": languages, "fingerprint": mark}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _read_manifest(path: Path) -> tuple[str, tuple[str, ...], str]:
    """The encoder's identity, the languages and the fingerprint."""
    if not path.is_file():
        raise MissingError(f"There is no dense index in {shorten(path.parent)}. {HINT}")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        return (
            str(facts["encoder"]),
            tuple(language(code).code for code in facts["languages"]),
            str(facts["fingerprint"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"The dense index's manifest {shorten(path)} cannot be read. {HINT}") from error
