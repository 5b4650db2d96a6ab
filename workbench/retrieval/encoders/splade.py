"""SPLADE through sentence-transformers' sparse encoder (Formal et al. 2021, arXiv 2109.10086; Chirkova et al. Table 7).

A text becomes weights over the whole vocabulary, words that it does not hold included. The published models know
English only: across languages they need the question translated.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.identity import component
from workbench.records import Passage, Query
from workbench.retrieval.encoders.batching import BatchSize, in_batches
from workbench.retrieval.encoders.device import check_device, half_precision, torch_device
from workbench.retrieval.encoders.local import LocalModel, library, loading, require_architecture

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sentence_transformers import SparseEncoder


class SpladeEncoder:
    """Implements `sparse.SparseEncoder`; the model is loaded when first used. Safe to share between threads.

    `active` keeps the so many highest weights of a passage (0: all). `batch` is the first batch size tried.
    """

    def __init__(self, model: LocalModel, *, device: str = "auto", batch: int = 0, active: int = 0) -> None:
        if not (model.folder / "modules.json").is_file():
            require_architecture(model, "ForMaskedLM", "SPLADE model")
        self._model = model
        self._asked = check_device(device)
        self._batch = batch
        self._active = active
        self._loaded: tuple[SparseEncoder, BatchSize, int] | None = None
        # Also around computing: a fast tokenizer must not be used by two threads at once.
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return component(
            "splade",
            model=self._model.label,
            revision=self._model.revision,
            library=library("sentence-transformers", "transformers"),
            active=self._active,
        )

    @property
    def vocabulary(self) -> int:
        """Loads the model."""
        with self._lock:
            return self._load()[2]

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        return self._encode([passage.searchable for passage in passages], "encode_document", self._active)

    def encode_questions(self, queries: Sequence[Query]) -> csr_matrix:
        return self._encode([query.text for query in queries], "encode_query", 0)

    def _encode(self, texts: Sequence[str], method: str, active: int) -> csr_matrix:
        """float32 > 0, shape (texts, vocabulary); an empty row for a text of white space only."""
        from scipy.sparse import csr_matrix, vstack

        with self._lock:
            model, size, width = self._load()
            order = sorted((i for i, text in enumerate(texts) if text.strip()), key=lambda i: -len(texts[i]))

            def run(part: Sequence[int]) -> csr_matrix:
                found = getattr(model, method)(
                    [texts[i] for i in part],
                    batch_size=len(part),
                    show_progress_bar=False,
                    convert_to_sparse_tensor=True,
                    save_to_cpu=True,
                    max_active_dims=active or None,
                )
                return _matrix(found, len(part), width)

            blocks = [block for _, block in in_batches(order, size, run)]
        empty = [i for i, text in enumerate(texts) if not text.strip()]
        stacked = vstack(
            [csr_matrix((0, width), dtype="float32"), *blocks, csr_matrix((len(empty), width), dtype="float32")]
        )
        back = [0] * len(texts)
        for place, i in enumerate([*order, *empty]):
            back[i] = place
        return stacked.tocsr()[back]

    def _load(self) -> tuple[SparseEncoder, BatchSize, int]:
        """The model, its batch size and its vocabulary."""
        if self._loaded is None:
            from sentence_transformers import SparseEncoder

            device = torch_device(self._asked)
            with loading(self._model):
                model = SparseEncoder(str(self._model.folder), device=device, local_files_only=True)
            if half_precision(device):
                model.half()
            # Of a model saved in transformers' own form get_embedding_dimension() tells the hidden size, so try it.
            width = int(model.encode_query(["a"], show_progress_bar=False).shape[1])
            self._loaded = model, BatchSize.for_device(device, self._batch), width
        return self._loaded


def _matrix(found: Any, rows: int, width: int) -> csr_matrix:
    """torch's sparse tensor as scipy's rows."""
    from scipy.sparse import csr_matrix

    tensor = found.coalesce()
    places, values = tensor.indices().numpy(), tensor.values().float().numpy()
    matrix = csr_matrix((values, (places[0], places[1])), shape=(rows, width), dtype="float32")
    matrix.eliminate_zeros()
    return matrix
