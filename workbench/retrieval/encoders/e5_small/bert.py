"""The forward pass of BERT in numpy, over texts of different lengths without padding.

Numpy rather than torch because of start and memory: measured on one core, `transformers` takes 6.5 s and 1.3 GB from
its import to the first vector, this 1.1 s and 0.46 GB, at the same speed (decision 0007). Tokens of all texts of a
batch lie in one matrix; only attention looks at each text by itself. Word embeddings stay in 4 bits, memory-mapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from workbench.models import E5SmallWeights

Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

GELU_REACH = 8
"""Beyond it GELU is the identity, or 0, to the last digit of float32."""
GELU_STEPS = 4096
"""Steps of the table for each unit: an error of at most 1.4e-4, of which the vectors keep less than 1e-5."""
GELU_ROWS = 64
"""Tokens looked up at once: their activations stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class _Dense:
    weight: Matrix
    bias: Matrix

    def __call__(self, states: Matrix) -> Matrix:
        result: Matrix = states @ self.weight
        result += self.bias
        return result


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: Matrix
    bias: Matrix
    epsilon: float

    def __call__(self, states: Matrix) -> Matrix:
        """Normalises every row of `states`, in place."""
        states -= states.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", states, states) / states.shape[1]
        states *= (1.0 / np.sqrt(variance + self.epsilon)).astype(np.float32)[:, None]
        states *= self.weight
        states += self.bias
        return states


@dataclass(frozen=True, slots=True)
class _Layer:
    heads_in: _Dense
    heads_out: _Dense
    after_heads: _Norm
    inner: _Dense
    outer: _Dense
    after_outer: _Norm


class Bert:
    """The encoder of BERT: token numbers in, the mean of the last layer's states out. Safe to share between threads."""

    def __init__(
        self, weights: E5SmallWeights, embedding_norm: _Norm, layers: Sequence[_Layer], positions: Matrix
    ) -> None:
        """Use `load`."""
        self._weights = weights
        self._embedding_norm = embedding_norm
        self._layers = tuple(layers)
        self._positions = positions
        self._heads = weights.sizes.num_attention_heads
        self._gelu = _gelu_table()

    @classmethod
    def load(cls, weights: E5SmallWeights) -> Self:
        """Unpacks the layers into float32 (85 MB for 12 of width 384)."""
        sizes = weights.sizes
        width, inner = sizes.hidden_size, sizes.intermediate_size

        def dense(name: str, rows: int, scale: float = 1.0) -> _Dense:
            weight = np.ascontiguousarray(weights.matrix(f"{name}.w", rows).T * np.float32(scale))
            return _Dense(weight, weights.vector(f"{name}.b") * np.float32(scale))

        def norm(name: str) -> _Norm:
            return _Norm(weights.vector(f"{name}.w"), weights.vector(f"{name}.b"), weights.epsilon)

        layers = []
        for number in range(sizes.num_hidden_layers):
            # The scale of attention is put into the queries' weights.
            parts = [
                dense(f"l{number}.{part}", width, (width / sizes.num_attention_heads) ** -0.5 if part == "q" else 1.0)
                for part in "qkv"
            ]
            heads_in = _Dense(
                np.concatenate([part.weight for part in parts], axis=1), np.concatenate([part.bias for part in parts])
            )
            layers.append(
                _Layer(
                    heads_in,
                    dense(f"l{number}.ao", width),
                    norm(f"l{number}.aln"),
                    dense(f"l{number}.fi", inner),
                    dense(f"l{number}.fo", width),
                    norm(f"l{number}.oln"),
                )
            )
        positions = weights.vector("emb.pos").reshape(-1, width) + weights.vector("emb.type")[:width]
        return cls(weights, norm("emb.ln"), layers, positions)

    @property
    def width(self) -> int:
        """The length of a state."""
        return self._weights.sizes.hidden_size

    def mean_states(self, texts: Sequence[Numbers]) -> Matrix:
        """The mean state of each text's tokens, float32 (texts, width); each text has 1 to 512 token numbers."""
        ends = np.cumsum([0, *(len(text) for text in texts)])
        spans = [slice(start, end) for start, end in pairwise(ends.tolist())]
        places = np.concatenate([np.arange(len(text)) for text in texts])
        words = self._weights.rows("emb.word", np.concatenate(texts))
        states = self._embedding_norm(words + self._positions[places])
        for layer in self._layers:
            states = self._run(layer, states, spans)
        sums: Matrix = np.add.reduceat(states, ends[:-1], axis=0)
        sums /= np.diff(ends).astype(np.float32)[:, None]
        return sums

    def _run(self, layer: _Layer, states: Matrix, spans: Sequence[slice]) -> Matrix:
        attended = layer.heads_out(self._attention(layer.heads_in(states), spans))
        attended += states
        states = layer.after_heads(attended)
        inner = layer.inner(states)
        for start in range(0, len(inner), GELU_ROWS):
            self._apply_gelu(inner[start : start + GELU_ROWS])
        outer = layer.outer(inner)
        outer += states
        return layer.after_outer(outer)

    def _attention(self, heads_in: Matrix, spans: Sequence[slice]) -> Matrix:
        result = np.empty((len(heads_in), self.width), dtype=np.float32)
        for span in spans:
            length = span.stop - span.start
            queries, keys, values = heads_in[span].reshape(length, 3, self._heads, -1).transpose(1, 2, 0, 3)
            shares = queries @ keys.transpose(0, 2, 1)
            shares -= shares.max(axis=-1, keepdims=True)
            np.exp(shares, out=shares)
            shares /= shares.sum(axis=-1, keepdims=True)
            result[span] = (shares @ values).transpose(1, 0, 2).reshape(length, -1)
        return result

    def _apply_gelu(self, states: Matrix) -> None:
        steps = states * np.float32(GELU_STEPS)
        steps += np.float32(GELU_REACH * GELU_STEPS + 0.5)
        np.clip(steps, 0, len(self._gelu) - 1, out=steps)
        is_linear = states >= GELU_REACH - 1 / GELU_STEPS
        values = self._gelu[steps.astype(np.int32)]
        np.copyto(states, values, where=~is_linear)


def _gelu_table() -> Matrix:
    """The values of x · Φ(x) for x from -GELU_REACH to GELU_REACH in steps of 1 / GELU_STEPS."""
    from scipy.special import ndtr

    x = np.arange(-GELU_REACH * GELU_STEPS, GELU_REACH * GELU_STEPS, dtype=np.float64) / GELU_STEPS
    table: Matrix = (x * ndtr(x)).astype(np.float32)
    return table
