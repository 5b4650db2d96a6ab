"""Vectors of the sentences in each passage: what a long passage says somewhere is not lost in its mean.

A dense index finds candidates by one vector a passage; `SentenceRescoring` scores the best of them again, half by the
passage and half by its best sentence. On XQuAD that equals searching all sentences, at no cost in FAISS's memory.

On disk: as in `encoded_index`, with `sentences.json` and for each part `<part>.sentences.npy` (int8, shape (sentences,
dimensions)), `<part>.scales.npy` (float32, shape (sentences,): what a row is multiplied by) and `<part>.starts.npy`
(int64, shape (passages + 1,): where each passage's sentences begin).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from workbench.core import Encoder, FloatArray, Hit, Passage, Query, Ranking, component, top_k
from workbench.languages import sentences
from workbench.retrieval.dense import LEVEL, VectorSearch
from workbench.retrieval.encoded_index import Encode, IndexLayout, VectorIndex
from workbench.retrieval.encoders.late_interaction import sentence_of
from workbench.retrieval.encoders.vector_cache import ByteVectors
from workbench.retrieval.index_files import DECIMALS, Numbers, ShardPassages, load_arrays, save_array

ENDINGS = ("sentences.npy", "scales.npy", "starts.npy")
LAYOUT = IndexLayout("sentences", ENDINGS)
DEPTH = 100
"""Candidates of the dense index that are scored again."""
SENTENCE_SHARE = 0.5


def sentence_passages(passage: Passage) -> list[Passage]:
    """The sentences of a passage's text, each as a passage without a title; none for a text of white space."""
    return [sentence_of(passage, span) for span in sentences(passage.text)]


def count_sentences(passages: Iterable[Passage]) -> int:
    """How many sentences `build` encodes."""
    return sum(len(sentences(passage.text)) for passage in passages)


@dataclass(frozen=True, slots=True)
class _SentenceShard:
    vectors: npt.NDArray[np.int8]
    scales: FloatArray
    starts: npt.NDArray[np.int64]
    members: ShardPassages

    def best(self, row: int, question: FloatArray) -> float:
        """The cosine of the sentence nearest to `question` in the passage at `row` of the corpus; 0 for none."""
        span = self._span(self.members.position_of(row))
        if span.start == span.stop:
            return 0.0
        cosines = (self.vectors[span].astype(np.float32) @ question) * self.scales[span]
        return round(float(np.maximum.reduce(cosines)), DECIMALS)

    def encoded(self, positions: Numbers) -> npt.NDArray[np.object_]:
        """For each of the passages at `positions` the vectors of its sentences."""
        rows = np.empty(len(positions), dtype=np.object_)
        for number, span in enumerate(self._span(int(position)) for position in positions):
            rows[number] = ByteVectors(self.vectors[span], self.scales[span]).vectors
        return rows

    def _span(self, position: int) -> slice:
        return slice(*self.starts[position : position + 2].tolist())


class SentenceIndex(VectorIndex[_SentenceShard]):
    """The opened vectors of the sentences of each passage."""

    layout = LAYOUT

    @staticmethod
    def _encode(encoder: Encoder) -> Encode:
        def encode(_: int, passages: list[Passage]) -> npt.NDArray[np.object_]:
            texts = [sentence_passages(passage) for passage in passages]
            vectors = encoder.encode_passages([sentence for each in texts for sentence in each])
            ends = np.cumsum([len(each) for each in texts])
            rows = np.empty(len(passages), dtype=np.object_)
            for number, end in enumerate(ends.tolist()):
                rows[number] = vectors[end - len(texts[number]) : end]
            return rows

        return encode

    @staticmethod
    def _writer(encoder: Encoder, _directory: Path) -> _SentenceWriter:
        return _SentenceWriter(encoder.dimensions)

    @staticmethod
    def _open_shard(directory: Path, part: str, members: ShardPassages, width: int) -> _SentenceShard:
        vectors, scales, starts = load_arrays(directory, part, ENDINGS)
        if vectors.shape != (len(scales), width) or len(starts) != len(members) + 1 or starts[-1] != len(scales):
            raise ValueError("as many scales as sentences, of the encoder's dimensions")
        return _SentenceShard(vectors, scales, starts, members)

    def best_sentence(self, hit: Hit, question: FloatArray) -> float:
        """The cosine of the hit's best sentence with a question's vector."""
        return self._part_with(hit.language, hit.row).best(hit.row, question)


class SentenceRescoring:
    """Implements `VectorSearch`: one whose best hits are scored again by their sentences.

    Hits carry `dense`, the new score that orders them, and the `passage` and `sentence` cosines it is made of.
    """

    def __init__(
        self, dense: VectorSearch, index: SentenceIndex, *, depth: int = DEPTH, share: float = SENTENCE_SHARE
    ) -> None:
        """`depth` hits are scored again; `share`, in [0, 1], is how much the best sentence counts."""
        self._dense = dense
        self._index = index
        self._depth = depth
        self._share = share

    @property
    def identity(self) -> str:
        """Names both indexes, the depth and the share."""
        return component(
            "sentences", dense=self._dense.identity, index=self._index.identity, depth=self._depth, share=self._share
        )

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The `k` best of the `max(k, depth)` passages nearest to each query; () where the encoder knows nothing."""
        if not queries or k <= 0:
            return [()] * len(queries)
        return self.nearest(queries, self.encode(queries), k)

    def encode(self, queries: Sequence[Query]) -> FloatArray:
        """The encoder's vectors of the queries."""
        return self._dense.encode(queries)

    def nearest(self, queries: Sequence[Query], vectors: FloatArray, k: int) -> list[Ranking]:
        """As `retrieve`, for queries whose vectors are known; `k` is at least 1."""
        rankings = self._dense.nearest(queries, vectors, max(k, self._depth))
        return [
            top_k((self._with_sentence(hit, vector) for hit in ranking), k)
            for ranking, vector in zip(rankings, vectors, strict=True)
        ]

    def scored(self, hits: Sequence[Hit], query: Query, vector: FloatArray) -> list[Hit]:
        """Any passages of the corpus, scored as `retrieve` scores them; in the same order."""
        return [self._with_sentence(hit, vector) for hit in self._dense.scored(hits, query, vector)]

    def _with_sentence(self, hit: Hit, question: FloatArray) -> Hit:
        # Where the passages' cosines are levelled by language, those of the sentences are, too.
        best = round(self._index.best_sentence(hit, question) - hit.scores.get(LEVEL, 0.0), DECIMALS)
        score = round((1 - self._share) * hit.score + self._share * best, DECIMALS)
        scores = {**hit.scores, "passage": hit.score, "sentence": best, "dense": score}
        return Hit(hit.id, hit.row, hit.language, score, scores)


class _SentenceWriter:
    """Collects one language's sentences as int8: in a temporary file, since a large corpus does not fit in memory."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed when written, or with the writer)
        self._scales: list[FloatArray] = []
        self._counts: list[int] = []

    def add(self, encoded: npt.NDArray[np.object_]) -> None:
        for vectors in encoded:
            rounded = ByteVectors.of(vectors)
            self._file.write(rounded.steps.tobytes())
            self._scales.append(rounded.scales)
            self._counts.append(len(rounded))

    def write(self, directory: Path, part: str) -> None:
        scales = np.concatenate(self._scales)
        starts = np.concatenate([[0], np.cumsum(self._counts)]).astype(np.int64)
        vectors: np.memmap[Any, np.dtype[np.int8]] = np.lib.format.open_memmap(
            directory / f"{part}.{ENDINGS[0]}", mode="w+", dtype=np.int8, shape=(len(scales), self._dimensions)
        )
        self._file.seek(0)
        for start, some in _pieces(self._file, self._dimensions):
            vectors[start : start + len(some)] = some
        vectors.flush()
        self._file.close()
        save_array(directory, part, ENDINGS[1], scales)
        save_array(directory, part, ENDINGS[2], starts)


def _pieces(file: IO[bytes], dimensions: int, rows: int = 65_536) -> Iterator[tuple[int, npt.NDArray[np.int8]]]:
    """The vectors in `file`, some at a time, each part with the number of its first."""
    start = 0
    while data := file.read(rows * dimensions):
        part = np.frombuffer(data, np.int8).reshape(-1, dimensions)
        yield start, part
        start += len(part)
