"""SPLADE through sentence-transformers' sparse encoder (Formal et al. (2021), arXiv 2109.10086).

A text becomes weights over the entire vocabulary, including words that it does not hold. The published models know
English only: across languages they need the question translated. Chirkova et al. (2024), Table 7 compare it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import Passage, Query
from workbench.models import LocalModel, Resident, half_precision, require_architecture
from workbench.retrieval.encoders.batching import BatchSize, in_batches

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sentence_transformers import SparseEncoder


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
