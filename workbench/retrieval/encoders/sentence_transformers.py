"""Any sentence-transformers model as an encoder: multilingual-e5, paraphrase-multilingual-mpnet and others.

The latter is the encoder of Singh et al. (n.d.). Some models expect a prefix that states what a text is: E5 wants
"query: " and "passage: " (Wang et al. (2024), arXiv 2402.05672). Such prefixes are parameters here; without them the
model's own prompts are used where its configuration has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import FloatArray, Passage, Query
from workbench.models import LocalModel, Resident, half_precision, longest_input
from workbench.retrieval.encoders.batching import BatchSize, in_batches
from workbench.retrieval.encoders.builtin.latent_space import unit_dense

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


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
