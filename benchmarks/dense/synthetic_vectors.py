"""Synthetic vectors in any number, by a seed: clusters that overlap, of about 100 intrinsic dimensions.

A vector is a linear image, into 1,024 dimensions, of a point of a mixture of normal distributions in LATENT dimensions
(a cluster for each 1,000 vectors on average, of very different sizes), with a little noise in all dimensions, at length
1. `spread` is how far centres lie from each other in units of a cluster's width: at .5 the 50 nearest of a vector come
from many clusters. A question is a vector of the corpus with noise in the latent dimensions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.core.protocols import FloatArray
from workbench.core.records import Passage, Query

SEED = 11
DIMENSIONS, LATENT = 1_024, 100
IN_CLUSTER = 1_000
QUESTION_NOISE, FLAT_NOISE = 0.6, 0.25
BLOCK = 20_000


@dataclass
class SyntheticVectors:
    """`count` vectors and questions for them; implements `Encoder` for passages that are called by their number.

    `seconds` is how long it has drawn vectors for passages.
    """

    count: int
    spread: float
    seconds: float = 0.0

    dimensions = DIMENSIONS

    @property
    def identity(self) -> str:
        """Names all that the vectors depend on."""
        return f"synthetic {SEED} {self.count} {self.spread:g}"

    @cached_property
    def _mixture(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The clusters' centres and shares, and the map into all dimensions."""
        draw = np.random.default_rng(SEED)
        clusters = max(20, self.count // IN_CLUSTER)
        centres = self.spread * draw.standard_normal((clusters, LATENT), dtype=np.float32)
        image = draw.standard_normal((LATENT, DIMENSIONS), dtype=np.float32) / np.float32(np.sqrt(LATENT))
        return centres, draw.dirichlet(np.ones(clusters)).astype(np.float32), image

    def _latent(self, draw: np.random.Generator, count: int) -> FloatArray:
        centres, shares, _ = self._mixture
        weights = shares.astype(np.float64)
        points = centres[draw.choice(len(centres), count, p=weights / weights.sum())]
        latent: FloatArray = points + draw.standard_normal((count, LATENT), dtype=np.float32)
        return latent

    def _embedded(self, draw: np.random.Generator, latent: FloatArray) -> FloatArray:
        scale = np.float32(np.sqrt(1 + self.spread**2))
        vectors = latent @ self._mixture[2]
        vectors += FLAT_NOISE * scale * draw.standard_normal(vectors.shape, dtype=np.float32)
        unit: FloatArray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def block(self, number: int) -> FloatArray:
        """The vectors `number * BLOCK` and following."""
        draw = np.random.default_rng([SEED, number])
        return self._embedded(draw, self._latent(draw, min(BLOCK, self.count - number * BLOCK)))

    def questions(self, count: int) -> FloatArray:
        """At most BLOCK questions: vectors of the first block, with noise."""
        draw = np.random.default_rng([SEED, 0])
        latent = self._latent(draw, min(BLOCK, self.count))[:count]
        draw = np.random.default_rng([SEED, 1, 0])
        noise = QUESTION_NOISE * np.sqrt(1 + self.spread**2) * draw.standard_normal(latent.shape, dtype=np.float32)
        return self._embedded(draw, (latent + noise).astype(np.float32))

    def passages(self) -> Iterator[Passage]:
        """A passage for each vector, called by its number, without a text."""
        return (Passage(str(number), str(number), "", "en", "") for number in range(self.count))

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """The vectors of passages that begin a block and go on to its end."""
        first = int(passages[0].id)
        assert first % BLOCK == 0
        began = time.perf_counter()
        vectors = self.block(first // BLOCK)
        self.seconds += time.perf_counter() - began
        return vectors

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The questions whose numbers are the texts of `queries`."""
        return self.questions(1_000)[[int(query.text) for query in queries]]
