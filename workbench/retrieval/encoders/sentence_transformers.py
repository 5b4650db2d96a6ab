"""Encoders that run through sentence-transformers: any of its dense models, and SPLADE.

Dense ones are multilingual-e5, paraphrase-multilingual-mpnet (the encoder of Singh et al. (n.d.)) and others. Some
expect a prefix that states what a text is: E5 wants "query: " and "passage: " (Wang et al. (2024), arXiv 2402.05672).
Such prefixes are parameters here; without them the model's own prompts are used where its configuration has some.

With SPLADE (Formal et al. (2021), arXiv 2109.10086) a text becomes weights over the entire vocabulary, including words
that it does not hold. The published models know English only: across languages they need the question translated.
Chirkova et al. (2024), Table 7 compare it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import FloatArray, Passage, Query
from workbench.models import (
    BatchSize,
    LocalModel,
    Resident,
    half_precision,
    in_batches,
    longest_input,
    require_architecture,
)
from workbench.retrieval.encoders.latent_space import unit_dense

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sentence_transformers import SentenceTransformer, SparseEncoder


class SentenceTransformersEncoder:
    """Implements `Encoder`; the model is loaded when first used. Safe to share between threads.

    `question_prefix`, `passage_prefix`: prepended as they are; None leaves this to the model's configuration.
    `max_length` in tokens and `batch` (the first size tried) are left to the model and the device where they are 0.
    """

    def __init__(
        self,
        model: LocalModel,
        *,
        question_prefix: str | None = None,
        passage_prefix: str | None = None,
        device: str = "auto",
        batch: int = 0,
        max_length: int = 0,
    ) -> None:
        """Loads nothing. Raises UsageError for a length that the model cannot read."""
        self._model = model
        self._question_prefix = question_prefix
        self._passage_prefix = passage_prefix
        self._batch = batch
        self._max_length = longest_input(model, max_length) if max_length else 0
        self._resident = Resident(model, device, self._load)

    @property
    def identity(self) -> str:
        """Names the files, the libraries, the prefixes and the length."""
        return self._model.identity_as(
            "sentence-transformers",
            ("sentence-transformers", "transformers"),
            question_prefix=self._question_prefix,
            passage_prefix=self._passage_prefix,
            max_length=self._max_length,
        )

    @property
    def dimensions(self) -> int:
        """The length of a vector. Loads the model: only its modules together determine it."""
        with self._resident.use() as (model, _):
            return int(model.get_embedding_dimension() or 0)

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """Unit vectors, shape (passages, dimensions); a zero row for a text of white space only."""
        return self._encode([passage.searchable for passage in passages], "encode_document", self._passage_prefix)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The same for questions, with their prefix."""
        return self._encode([query.text for query in queries], "encode_query", self._question_prefix)

    def _encode(self, texts: Sequence[str], method: str, prefix: str | None) -> FloatArray:
        with self._resident.use() as (model, size):
            vectors = np.zeros((len(texts), int(model.get_embedding_dimension() or 0)), dtype=np.float32)
            # By characters, longest first: near enough to tokens for the first batch to be the hardest.
            order = sorted((i for i, text in enumerate(texts) if text.strip()), key=lambda i: -len(texts[i]))

            def run(part: Sequence[int]) -> Any:
                options = {"prompt": prefix} if prefix is not None else {}
                return getattr(model, method)(
                    [texts[i] for i in part],
                    batch_size=len(part),
                    show_progress_bar=False,
                    normalize_embeddings=True,
                    **options,
                )

            for start, batch in in_batches(order, size, run):
                vectors[order[start : start + len(batch)]] = batch
        return unit_dense(vectors)

    def _load(self, device: str) -> tuple[SentenceTransformer, BatchSize]:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(
            str(self._model.folder), device=device, local_files_only=True, trust_remote_code=False
        )
        if half_precision(device):
            model.half()
        if self._max_length:
            model.max_seq_length = self._max_length
        return model, BatchSize.for_device(device, self._batch)


class SpladeEncoder:
    """Implements `sparse.SparseEncoder`; the model is loaded when first used. Safe to share between threads.

    `active` limits a passage to that number of weights, the highest (0: all). `batch` is the first batch size tried.
    """

    def __init__(self, model: LocalModel, *, device: str = "auto", batch: int = 0, active: int = 0) -> None:
        """Loads nothing. Raises MissingError for a folder that holds no masked language model."""
        if not (model.folder / "modules.json").is_file():
            require_architecture(model, "ForMaskedLM", "SPLADE model")
        self._model = model
        self._batch = batch
        self._active = active
        self._resident = Resident(model, device, self._load)

    @property
    def identity(self) -> str:
        """Names the files, the libraries and `active`."""
        return self._model.identity_as("splade", ("sentence-transformers", "transformers"), active=self._active)

    @property
    def vocabulary(self) -> int:
        """The number of tokens. Loads the model."""
        with self._resident.use() as (_, _, width):
            return width

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        """Weights > 0, float32, shape (passages, vocabulary); at most `active` in a row."""
        return self._encode([passage.searchable for passage in passages], "encode_document", self._active)

    def encode_queries(self, queries: Sequence[Query]) -> csr_matrix:
        """Weights > 0, float32, shape (queries, vocabulary)."""
        return self._encode([query.text for query in queries], "encode_query", 0)

    def _encode(self, texts: Sequence[str], method: str, active: int) -> csr_matrix:
        """float32 > 0, shape (texts, vocabulary); an empty row for a text of white space only."""
        from scipy.sparse import csr_matrix, vstack

        with self._resident.use() as (model, size, width):
            order = sorted((i for i, text in enumerate(texts) if text.strip()), key=lambda i: -len(texts[i]))

            def run(part: Sequence[int]) -> csr_matrix:
                tensor = getattr(model, method)(
                    [texts[i] for i in part],
                    batch_size=len(part),
                    show_progress_bar=False,
                    convert_to_sparse_tensor=True,
                    save_to_cpu=True,
                    max_active_dims=active or None,
                )
                return _matrix(tensor, len(part), width)

            blocks = [block for _, block in in_batches(order, size, run)]
        empty = [i for i, text in enumerate(texts) if not text.strip()]
        stacked = vstack(
            [csr_matrix((0, width), dtype="float32"), *blocks, csr_matrix((len(empty), width), dtype="float32")]
        )
        row_of = [0] * len(texts)
        for row, i in enumerate([*order, *empty]):
            row_of[i] = row
        return stacked.tocsr()[row_of]

    def _load(self, device: str) -> tuple[SparseEncoder, BatchSize, int]:
        """The model, its batch size and its vocabulary."""
        from sentence_transformers import SparseEncoder

        model = SparseEncoder(str(self._model.folder), device=device, local_files_only=True, trust_remote_code=False)
        if half_precision(device):
            model.half()
        # For a model saved in transformers' own form get_embedding_dimension() returns the hidden size, so try it out.
        width = int(model.encode_query(["a"], show_progress_bar=False).shape[1])
        return model, BatchSize.for_device(device, self._batch), width


def _matrix(tensor: Any, rows: int, width: int) -> csr_matrix:
    """Torch's sparse tensor as scipy's rows."""
    from scipy.sparse import csr_matrix

    entries = tensor.coalesce()
    places, values = entries.indices().numpy(), entries.values().float().numpy()
    matrix = csr_matrix((values, (places[0], places[1])), shape=(rows, width), dtype="float32")
    matrix.eliminate_zeros()
    return matrix
