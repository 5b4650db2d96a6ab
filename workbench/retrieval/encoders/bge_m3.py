"""BGE-M3 (Chen et al. (2024), arXiv 2402.03216) through FlagEmbedding: one model, three views of a text.

- dense: the first token's vector, L2-normalised;
- lexical weights: one weight >= 0 for each token of the text, a sparse vector over the vocabulary;
- token vectors (ColBERT): one L2-normalised vector per token, compared by the best match of each question token.

FlagEmbedding loads the model and computes the views. Batches are cut here: its own loop runs the first batch of every
call twice to try its size, never ends where an error is not a lack of memory, and draws progress bars.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np

from workbench.core import DataError, FloatArray, Passage, Query, shorten
from workbench.models import BatchSize, LocalModel, Resident, half_precision, in_batches, longest_input, require_files
from workbench.retrieval.encoders.latent_space import unit_dense

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

View = Literal["dense", "sparse", "tokens"]
Rows = TypeVar("Rows")
HEADS = ("sparse_linear.pt", "colbert_linear.pt")
"""Where either file is missing, FlagEmbedding uses random weights for both."""
UNUSED = ("cls_token", "eos_token", "pad_token", "unk_token")
"""Tokens without a lexical weight, as in FlagEmbedding."""


@dataclass(frozen=True, slots=True)
class _Output:
    """One batch: what was computed of the views, with the tokens (int64 and bool, shape (batch, longest))."""

    dense: FloatArray | None
    weights: FloatArray | None
    tokens: FloatArray | None
    ids: np.ndarray[Any, np.dtype[np.int64]]
    mask: np.ndarray[Any, np.dtype[np.bool_]]


class BgeM3:
    """The model, loaded when first used and shared by its views; safe to share between threads.

    Texts are cut at `max_length` tokens (at most 8192). `batch` is the first batch size tried (0: by device).
    """

    def __init__(self, model: LocalModel, *, device: str = "auto", batch: int = 0, max_length: int = 512) -> None:
        """Loads nothing. Raises MissingError for a folder without the heads, DataError for a damaged config."""
        require_files(model, HEADS)
        self._model = model
        self._max_length = longest_input(model, max_length)
        self._resident = Resident(model, device, lambda where: _LoadedBgeM3(model, where, batch, self._max_length))
        try:
            config = json.loads((model.folder / "config.json").read_text(encoding="utf-8"))
            self.dimensions, self.vocabulary = int(config["hidden_size"]), int(config["vocab_size"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"The model “{shorten(model.name)}” has a config.json that cannot be read.") from error

    @property
    def identity(self) -> str:
        """Names the files, the libraries and the length; not the device, whose vectors differ by rounding only."""
        return self._model.identity_as("bge-m3", ("FlagEmbedding", "transformers"), max_length=self._max_length)

    def dense(self, texts: Sequence[str]) -> FloatArray:
        """Shape (texts, dimensions), L2-normalised; a zero row for a text of white space only."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for places, output in self._encode(texts, "dense"):
            if output.dense is not None:
                vectors[places] = output.dense
        vectors[[not text.strip() for text in texts]] = 0.0
        return unit_dense(vectors)

    def weights(self, texts: Sequence[str]) -> csr_matrix:
        """Lexical weights, float32 > 0, shape (texts, vocabulary); of a token that occurs twice the higher one."""
        from scipy.sparse import csr_matrix

        rows: list[np.ndarray[Any, Any]] = [np.empty(0, dtype=np.int64)]
        columns: list[np.ndarray[Any, Any]] = [np.empty(0, dtype=np.int64)]
        values: list[np.ndarray[Any, Any]] = [np.empty(0, dtype=np.float32)]
        for places, output in self._encode(texts, "sparse"):
            if output.weights is None:
                continue
            used = output.mask & (output.weights > 0) & ~np.isin(output.ids, self._unused())
            row = np.broadcast_to(places[:, None], used.shape)[used]
            keys = row * self.vocabulary + output.ids[used]
            weight = output.weights[used]
            order = np.lexsort((-weight, keys))
            highest, first = np.unique(keys[order], return_index=True)
            rows.append(highest // self.vocabulary)
            columns.append(highest % self.vocabulary)
            values.append(weight[order][first])
        parts = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        matrix = csr_matrix(parts, shape=(len(texts), self.vocabulary), dtype=np.float32)
        matrix.sort_indices()
        return matrix

    def token_vectors(self, texts: Sequence[str]) -> list[FloatArray]:
        """One array per text, L2-normalised, shape (its tokens but the first, dimensions)."""
        vectors = [np.zeros((0, self.dimensions), dtype=np.float32)] * len(texts)
        for places, output in self._encode(texts, "tokens"):
            if output.tokens is not None:
                for place, tokens, length in zip(places.tolist(), output.tokens, output.mask.sum(axis=1), strict=True):
                    vectors[place] = np.array(tokens[: length - 1], dtype=np.float32)
        return vectors

    def _encode(self, texts: Sequence[str], view: View) -> list[tuple[np.ndarray[Any, Any], _Output]]:
        """Batches of texts of similar length: the places of each, and what was computed."""
        if not texts:
            return []
        with self._resident.use() as model:
            tokens = model.tokenizer(list(texts), truncation=True, max_length=self._max_length)["input_ids"]
            order = np.argsort([-len(ids) for ids in tokens], kind="stable")
            sorted_tokens = [tokens[place] for place in order]
            batches = in_batches(sorted_tokens, model.size, lambda part: model.run(part, view))
            return [(order[start : start + len(output.ids)], output) for start, output in batches]

    def _unused(self) -> list[int]:
        with self._resident.use() as model:
            return model.unused


class _LoadedBgeM3:
    """FlagEmbedding's model on its device."""

    def __init__(self, model: LocalModel, device: str, batch: int, max_length: int) -> None:
        from FlagEmbedding import BGEM3FlagModel

        self._flag = BGEM3FlagModel(
            str(model.folder),
            use_fp16=half_precision(device),
            devices=device,
            passage_max_length=max_length,
            trust_remote_code=False,
        )
        self._flag.model.to(device)
        self._flag.model.eval()
        self._device = device
        self.tokenizer = self._flag.tokenizer
        self.size = BatchSize.for_device(device, batch)
        special = self.tokenizer.special_tokens_map
        self.unused = [self.tokenizer.convert_tokens_to_ids(special[name]) for name in UNUSED if name in special]

    def run(self, tokens: Sequence[list[int]], view: View) -> _Output:
        """One pass of the model over tokenised texts."""
        import torch

        inputs = self.tokenizer.pad({"input_ids": list(tokens)}, padding=True, return_tensors="pt")
        with torch.inference_mode():
            views = self._flag.model(
                inputs.to(self._device),
                return_dense=view == "dense",
                return_sparse=view == "sparse",
                return_colbert_vecs=view == "tokens",
            )

        def array(name: str) -> FloatArray | None:
            tensor = views.get(name)
            return None if tensor is None else np.asarray(tensor.float().cpu().numpy(), dtype=np.float32)

        weights = array("sparse_vecs")
        return _Output(
            dense=array("dense_vecs"),
            weights=None if weights is None else weights[..., 0],
            tokens=array("colbert_vecs"),
            ids=inputs["input_ids"].cpu().numpy(),
            mask=inputs["attention_mask"].cpu().numpy().astype(bool),
        )


class _View(Generic[Rows]):
    """One view of the model as an encoder: `encode` returns one row per text."""

    def __init__(self, model: BgeM3, view: View, encode: Callable[[Sequence[str]], Rows]) -> None:
        """`encode` is the model's method for `view`."""
        self._model = model
        self._view = view
        self._encode = encode

    @property
    def identity(self) -> str:
        """The model's, and the view."""
        return f"{self._model.identity} view={self._view}"

    def encode_passages(self, passages: Sequence[Passage]) -> Rows:
        """One row per passage, of its searchable text."""
        return self._encode([passage.searchable for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> Rows:
        """One row per query; BGE-M3 encodes questions as it does passages."""
        return self._encode([query.text for query in queries])


class BgeM3Dense(_View[FloatArray]):
    """Implements `Encoder` with BGE-M3's dense vectors."""

    def __init__(self, model: BgeM3) -> None:
        """The model may be shared with other views."""
        super().__init__(model, "dense", model.dense)

    @property
    def dimensions(self) -> int:
        """The model's hidden size, from its configuration."""
        return self._model.dimensions


class BgeM3Sparse(_View["csr_matrix"]):
    """Implements `sparse.SparseEncoder` with BGE-M3's lexical weights."""

    def __init__(self, model: BgeM3) -> None:
        """The model may be shared with other views."""
        super().__init__(model, "sparse", model.weights)

    @property
    def vocabulary(self) -> int:
        """The model's number of tokens, from its configuration."""
        return self._model.vocabulary
