"""Late interaction of a question's and a passage's tokens: BGE-M3's token vectors, and ColBERTv2.

BGE-M3's views (Khattab and Zaharia (2020), arXiv 2004.12832, for the first):

- tokens: the mean over the question's tokens of the best cosine with a passage token, in [-1, 1];
- dense: the cosine of the two vectors, in [-1, 1];
- sparse: the dot product of the lexical weights, >= 0.

ColBERTv2 (Santhanam et al. (2022), arXiv 2112.01488): BERT encodes “[CLS] [Q] question [SEP]”, filled up with [MASK] to
a fixed length, and “[CLS] [D] passage [SEP]”; a linear layer makes each token a short vector of length 1. The score is
the sum over the question's vectors of the best cosine with one of the passage's (MaxSim), at most the number of the
question's vectors. Punctuation of the passage does not count.
"""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from workbench.core import DataError, FloatArray, Hit, Passage, Query, Ranking, shorten, unknown_name
from workbench.models import BatchSize, LocalModel, half_precision
from workbench.retrieval.encoders.bge_m3 import BgeM3, View
from workbench.retrieval.rerank.cross_encoders import TokenReranker, order_by_score, plain_ids


def late_interaction(question: FloatArray, passage: FloatArray) -> float:
    """The mean over question tokens of the best match; both of shape (tokens, dimensions), L2-normalised.

    0 where either has no tokens.

    >>> import numpy as np
    >>> late_interaction(np.eye(2, dtype=np.float32), np.array([[0.6, 0.8]], dtype=np.float32))
    0.7
    """
    if not len(question) or not len(passage):
        return 0.0
    return round(float((question @ passage.T).max(axis=1).mean()), 7)


class BgeM3Reranker:
    """Implements `Reranker` over a loaded BGE-M3, which an encoder may share."""

    def __init__(self, model: BgeM3, *, view: View = "tokens") -> None:
        """Raises UsageError for an unknown view."""
        if view not in get_args(View):
            raise unknown_name("view", view, get_args(View))
        self._model = model
        self._view: View = view

    @property
    def identity(self) -> str:
        """The model's, and the view."""
        return f"{self._model.identity} rescored={self._view}"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """All `hits` by score, best first; `passages[i]` belongs to `hits[i]`."""
        texts = [passage.searchable for passage in passages]
        return order_by_score(hits, self.score(query.text, texts) if texts else [], self.identity)

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score per text, in the range of the view."""
        if self._view == "dense":
            return [float(score) for score in self._model.dense(texts) @ self._model.dense([question])[0]]
        if self._view == "sparse":
            product = self._model.weights(texts) @ self._model.weights([question]).T
            return [float(score) for score in product.toarray()[:, 0]]
        question_tokens = self._model.token_vectors([question])[0]
        return [late_interaction(question_tokens, tokens) for tokens in self._model.token_vectors(texts)]


SETTINGS = "artifact.metadata"
"""The file in which a ColBERT keeps how it was trained."""
DEFAULTS: Mapping[str, Any] = {
    "dim": 128,
    "query_maxlen": 32,
    "doc_maxlen": 180,
    "mask_punctuation": True,
    "query_token_id": "[unused0]",
    "doc_token_id": "[unused1]",
}
"""What holds where that file says nothing: the settings of colbert-ir/colbertv2.0."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A passage's tokens, with the vectors of the question, which all candidates share."""

    passage: list[int]
    question: Any

    def __len__(self) -> int:
        return len(self.passage)


class ColbertReranker(TokenReranker):
    """Implements `Reranker` with a ColBERT over BERT. A passage is cut at the model's length, or a shorter one."""

    name, architecture = "colbert", "HF_ColBERT"

    def _load(self, device: str, size: BatchSize) -> _LateInteraction:
        return _LateInteraction(self._model, device, size, self._max_length)


class _LateInteraction:
    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int) -> None:
        from transformers import AutoTokenizer

        settings = _settings(files)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        model, lacking = _projecting(files, int(settings["dim"]))
        if lacking:
            raise DataError(f"The model “{shorten(files.name)}” lacks {', '.join(lacking)}; choose a ColBERT model.")
        model = model.half() if half_precision(device) else model.float()
        self._model = model.to(device).eval()
        self._device = device
        vocabulary: dict[str, int] = self._tokenizer.get_vocab()
        markers = [str(settings["query_token_id"]), str(settings["doc_token_id"])]
        self._question_mark, self._passage_mark = (vocabulary[marker] for marker in markers)
        self._question_length = int(settings["query_maxlen"])
        self._passage_length = min(int(settings["doc_maxlen"]), max_length)
        signs = string.punctuation if settings["mask_punctuation"] else ""
        self._skipped = {plain_ids(self._tokenizer, sign)[0] for sign in signs}
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[_Candidate]:
        """Each passage with its marker, and the question's vectors."""
        vectors = self._question_vectors(question)
        marked = (self._marked(self._passage_mark, text, self._passage_length) for text in texts)
        return [_Candidate(ids, vectors) for ids in marked]

    def run(self, tokens: Sequence[_Candidate]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad(
            {"input_ids": [item.passage for item in tokens]}, padding=True, return_tensors="pt"
        ).to(self._device)
        vectors = self._vectors(inputs["input_ids"], inputs["attention_mask"])
        skipped = torch.tensor(sorted(self._skipped), device=self._device, dtype=inputs["input_ids"].dtype)
        counts = inputs["attention_mask"].bool() & ~torch.isin(inputs["input_ids"], skipped)
        cosines = torch.einsum("qd,btd->bqt", tokens[0].question, vectors)
        best = cosines.masked_fill(~counts[:, None, :], -torch.inf).amax(dim=2)
        return [float(score) for score in best.float().sum(dim=1)]

    def _question_vectors(self, question: str) -> Any:
        import torch

        ids = self._marked(self._question_mark, question, self._question_length)
        fill = self._question_length - len(ids)
        # The [MASK] tokens read the question, and the question does not read them.
        mask = [1] * len(ids) + [0] * fill
        filled = torch.tensor([ids + [self._tokenizer.mask_token_id] * fill], device=self._device)
        return self._vectors(filled, torch.tensor([mask], device=self._device))[0]

    def _vectors(self, ids: Any, mask: Any) -> Any:
        import torch

        with torch.inference_mode():
            hidden = self._model.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            return torch.nn.functional.normalize(self._model.linear(hidden), dim=-1)

    def _marked(self, marker: int, text: str, length: int) -> list[int]:
        return [
            self._tokenizer.cls_token_id,
            marker,
            *plain_ids(self._tokenizer, text)[: length - 3],
            self._tokenizer.sep_token_id,
        ]


def _settings(files: LocalModel) -> dict[str, Any]:
    """How the model was trained, by its file; DEFAULTS for what that does not say."""
    try:
        values = json.loads((files.folder / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        values = {}
    known = values if isinstance(values, dict) else {}
    return {name: known.get(name, default) for name, default in DEFAULTS.items()}


def _projecting(files: LocalModel, dimensions: int) -> tuple[Any, list[str]]:
    """BERT with a linear layer over its tokens, and what of the layer the files lack."""
    from torch.nn import Linear
    from transformers import BertConfig, BertModel, BertPreTrainedModel

    class BertWithProjection(BertPreTrainedModel):
        def __init__(self, config: BertConfig) -> None:
            super().__init__(config)
            self.bert = BertModel(config, add_pooling_layer=False)
            self.linear = Linear(config.hidden_size, dimensions, bias=False)
            self.post_init()  # type: ignore[no-untyped-call]

    loaded: Any = BertWithProjection.from_pretrained(files.folder, local_files_only=True, output_loading_info=True)
    model, facts = loaded
    return model, sorted(key for key in facts["missing_keys"] if key.startswith("linear"))
