"""Dense search: cosine over an encoder's vectors, parts by language.

On disk: as in `encoded_index`, with `dense.json` and for each part its vectors (`part_vectors`), memory-mapped. A part
with few vectors is searched by reading them all. In one with many, FAISS estimates each cosine from one bit a number,
and the best CANDIDATES are scored by their vectors. Scores are cosines in [-1, 1], exact either way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import repeat
from math import isfinite
from pathlib import Path
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from workbench.core import (
    AveragedQuery,
    Encoder,
    FloatArray,
    Hit,
    Passage,
    Query,
    Ranking,
    Retriever,
    component,
    with_score,
)
from workbench.retrieval.encoded_index import Encode, IndexLayout, VectorIndex
from workbench.retrieval.index_files import DECIMALS, Numbers, ShardPassages
from workbench.retrieval.part_vectors import BITS, VECTORS, Doubles, PartVectors, VectorWriter


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


Levels = Mapping[str, float]
"""By language, what its scores lose; see `balance.LevelledSearch`."""
WHOLE = slice(None)
"""All dimensions of a vector."""
LEVEL = "level"
"""That loss among a hit's scores."""

LAYOUT = IndexLayout("dense", (VECTORS, BITS))

MEAN_OF = 2_000
"""Passages whose mean stands for a language's: more do not move it."""
OVERSAMPLE = 16
"""Passages beyond the k best that are scored too, since FAISS may order those on the edge otherwise."""
EQUAL = 1.5e-5
"""Below the k-th score by less, a product may be of the same score: rounding, and sums in another order."""
TIED = 4_096
"""Of passages that may have the k-th score, so many of the first are scored, and k more."""
CANDIDATES, CANDIDATES_EACH = 500, 5
"""Of estimated cosines so many of the highest are scored exactly, or so many times k if that is more."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class _DenseShard:
    vectors: PartVectors
    members: ShardPassages

    def nearest(self, vectors: FloatArray, k: int, *, exact: bool) -> Iterator[tuple[Numbers, Doubles]]:
        """For each vector the positions of its `k` nearest, and their cosines.

        Products are added up in another order where many vectors are searched at once, or are estimates. So the
        candidates, more than `k`, are scored again one vector at a time: no score depends on what else is searched for.
        Nor does which of equal passages come first. Where more are equal than are candidates, any of them may be
        candidates; so where the last candidate has about the k-th score, those of the lowest positions are looked up.
        """
        rough = self.vectors.is_estimated and not exact
        count = max(CANDIDATES, CANDIDATES_EACH * k) if rough else k + OVERSAMPLE
        candidates = [np.sort(row) for row in self._near(vectors, min(count, self.members.live), exact)]
        products = self.vectors.products(candidates, vectors)
        for vector, positions, cosines in zip(vectors, candidates, products, strict=True):
            scores, best = _ordered(cosines)
            if k <= len(best) and len(positions) < self.members.live and scores[best[-1]] > scores[best[k - 1]] - EQUAL:
                equal = self.members.without_removed(self.vectors.reaching(vector, scores[best[k - 1]] - EQUAL))
                positions = np.union1d(positions, equal[: TIED + k])
                scores, best = _ordered(*self.vectors.products([positions], vector[np.newaxis]))
            yield positions[best[:k]], scores[best[:k]]

    def _near(self, vectors: FloatArray, count: int, exact: bool) -> Iterator[Numbers]:
        """For each vector the positions of the `count` passages that come first, without those removed."""
        if count == self.members.live:
            yield from repeat(self.members.live_positions(), len(vectors))
            return
        removed, total = len(self.members.removed), len(self.members)
        # Where removed passages are spread evenly this many suffice, mostly.
        limit = min(total, count + (OVERSAMPLE + 2 * count * removed // self.members.live if removed else 0))
        rows = self.vectors.near(vectors, limit, exact=exact)
        for number, row in enumerate(rows):
            more, live = limit, self.members.without_removed(row[row >= 0])
            while len(live) < count and more < total and row[-1] >= 0:
                more = min(4 * more, total)
                (row,) = self.vectors.near(vectors[number : number + 1], more, exact=exact)
                live = self.members.without_removed(row[row >= 0])
            yield live[:count]

    def cosines(self, rows: Sequence[int], vector: FloatArray, part: slice) -> list[float]:
        """The cosine of `vector` with each passage, by its row in the corpus, in `part` of the dimensions."""
        passages = self.encoded(self.members.rows.searchsorted(rows))[:, part].astype(np.float64)
        cosines = passages @ vector[part].astype(np.float64)
        if part != WHOLE:
            lengths = np.linalg.norm(passages, axis=1)
            cosines /= np.where(lengths > 0, lengths, 1)
        return [score if isfinite(score) else 0.0 for score in cosines.round(DECIMALS).tolist()]

    def encoded(self, positions: Numbers) -> FloatArray:
        """The vectors at `positions`, float32, shape (positions, dimensions)."""
        return self.vectors.vectors[positions]


class DenseIndex(VectorIndex[_DenseShard]):
    """An opened dense index; a `Retriever`. Memory-mapped, safe to share between threads."""

    layout = LAYOUT
    _exact: bool = False

    @staticmethod
    def _encode(encoder: Encoder) -> Encode:
        return lambda _, passages: encoder.encode_passages(passages)

    @staticmethod
    def _writer(encoder: Encoder, directory: Path) -> VectorWriter:
        return VectorWriter(encoder.dimensions, directory)

    def exactly(self) -> DenseIndex:
        """The same index, searched by reading all vectors, however many there are."""
        index = copy(self)
        index._exact = True
        return index

    @property
    def identity(self) -> str:
        """Names the encoder and the indexed files, and whether all vectors are read where they need not be."""
        estimated = any(part.vectors.is_estimated for parts in self._parts.values() for part in parts.values())
        return component(super().identity, exact=True) if self._exact and estimated else super().identity

    @staticmethod
    def _open_shard(directory: Path, part: str, members: ShardPassages, width: int) -> _DenseShard:
        vectors = PartVectors.open(directory, part)
        if vectors.shape != (len(members), width):
            raise ValueError("as many vectors as passages, of the encoder's dimensions")
        return _DenseShard(vectors, members)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The `k` passages nearest to each query, all in its languages; () where the encoder knows nothing of it."""
        if not queries or k <= 0:
            return [()] * len(queries)
        return self.nearest(queries, self.encode(queries), k)

    def encode(self, queries: Sequence[Query]) -> FloatArray:
        """The encoder's vectors of the queries; of an averaged one, the mean with those of its passages, normalised."""
        vectors = self._encoder.encode_queries(queries)
        averaged = [(place, query) for place, query in enumerate(queries) if isinstance(query, AveragedQuery)]
        if averaged:
            vectors = vectors.copy()  # an encoder's own may not be written to
        for place, query in averaged:
            passages = [Passage("", "", "", query.language, text) for text in query.passages]
            mean = np.vstack([vectors[place : place + 1], self._encoder.encode_passages(passages)]).mean(axis=0)
            vectors[place] = mean / (float(np.linalg.norm(mean)) or 1.0)
        return vectors

    def nearest(
        self, queries: Sequence[Query], vectors: FloatArray, k: int, levels: Sequence[Levels] | None = None
    ) -> list[Ranking]:
        """As `retrieve`, for queries whose vectors are known; `k` is at least 1.

        `levels`: for each query, how much its scores lose in each language.
        """
        rankings: list[Ranking] = [()] * len(queries)
        scopes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for position, query in enumerate(queries):
            if vectors[position].any():
                scopes[tuple(sorted(set(query.languages)))].append(position)
        for scope, positions in scopes.items():
            within = [levels[position] for position in positions] if levels else [{}] * len(positions)
            for position, ranking in zip(positions, self._search(scope, vectors[positions], k, within), strict=True):
                rankings[position] = ranking
        return rankings

    def mean(self, language: str) -> tuple[FloatArray, int]:
        """The mean vector of a language's passages (of MEAN_OF of them, evenly spread), and how many it has."""
        parts = tuple(self._parts[language].values())
        # Parts are opened together, so the first one stands for all.
        mean = MEANS.get(parts[0])
        if mean is None:
            mean = MEANS[parts[0]] = _mean(parts)
        return mean

    def scored(self, hits: Sequence[Hit], _query: Query, vector: FloatArray) -> list[Hit]:
        """Any passages of the corpus with their cosine to the query's vector as score, `dense`; in the same order."""
        return [
            with_score(hit, cosine, LAYOUT.kind) for hit, cosine in zip(hits, self.cosines(hits, vector), strict=True)
        ]

    def cosines(self, hits: Sequence[Hit], vector: FloatArray, part: slice = WHOLE) -> list[float]:
        """The cosine of `vector` with each of any passages of the corpus, in order.

        `part`: the dimensions that are compared; passages have length 1 in them.
        """
        members: dict[int, tuple[_DenseShard, list[int]]] = {}
        for hit in hits:
            shard = self._part_with(hit.language, hit.row)
            members.setdefault(id(shard), (shard, []))[1].append(hit.row)
        cosines: dict[int, float] = {}
        for shard, rows in members.values():
            cosines.update(zip(rows, shard.cosines(rows, vector, part), strict=True))
        return [cosines[hit.row] for hit in hits]

    def _search(self, scope: Sequence[str], vectors: FloatArray, k: int, levels: Sequence[Levels]) -> Iterator[Ranking]:
        """One ranking per vector, merged over the shards of `scope`."""
        shards = list(self._within(scope))
        per_shard = [list(shard.nearest(vectors, k, exact=self._exact)) for _, shard in shards]
        for number, lost in enumerate(levels):
            near = [candidates[number] for candidates in per_shard]
            scores = [
                np.round(cosines - lost.get(code, 0.0), DECIMALS)
                for (code, _), (_, cosines) in zip(shards, near, strict=True)
            ]
            rows = [shard.members.rows[positions] for (_, shard), (positions, _) in zip(shards, near, strict=True)]
            ends = np.cumsum([0, *(len(positions) for positions, _ in near)])
            best = np.lexsort((np.concatenate([*rows, []]), -np.concatenate([*scores, []])))[:k]
            owners = np.searchsorted(ends, best, side="right") - 1
            yield tuple(
                _hit(shards[owner], int(near[owner][0][at]), float(scores[owner][at]), lost)
                for owner, at in zip(owners.tolist(), (best - ends[owners]).tolist(), strict=True)
            )


MEANS: WeakKeyDictionary[_DenseShard, tuple[FloatArray, int]] = WeakKeyDictionary()
"""What `DenseIndex.mean` computed once, as long as the parts stay open."""


def _ordered(cosines: Doubles) -> tuple[Doubles, npt.NDArray[np.intp]]:
    """The cosines, rounded, and where those that are numbers stand, the best first, of equals the first."""
    scores = np.round(cosines, DECIMALS)
    best = np.argsort(-scores, kind="stable")
    return scores, best[np.isfinite(scores[best])]


def _mean(parts: tuple[_DenseShard, ...]) -> tuple[FloatArray, int]:
    """See `DenseIndex.mean`."""
    ends = np.cumsum([0, *(part.members.live for part in parts)])
    numbers = np.unique(np.linspace(0, ends[-1] - 1, MEAN_OF).astype(np.int64))
    vectors = [
        part.encoded(part.members.live_positions()[numbers[(start <= numbers) & (numbers < end)] - start])
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True)
    ]
    mean = np.nan_to_num(np.concatenate(vectors).astype(np.float64)).mean(axis=0).astype(np.float32)
    return mean, int(ends[-1])


def _hit(shard: tuple[str, _DenseShard], position: int, score: float, lost: Levels) -> Hit:
    code, opened = shard
    members, rounded = opened.members, round(score, DECIMALS)
    scores = {LAYOUT.kind: rounded, LEVEL: lost[code]} if code in lost else {LAYOUT.kind: rounded}
    return Hit(members.id(position), int(members.rows[position]), code, rounded, scores)
