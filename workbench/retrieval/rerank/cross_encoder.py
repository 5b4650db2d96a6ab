"""Any cross-encoder through sentence-transformers (Nogueira and Cho (2019)): question and passage read as one text.

Scores are logits: any range, higher is better, comparable within a question. The sigmoid that models usually put
over them is left out, since it makes all good passages equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import Hit, Passage, Query, Ranking
from workbench.models import LocalModel, Resident, half_precision, longest_input, require_architecture
from workbench.retrieval.encoders.batching import BatchSize, in_batches
from workbench.retrieval.rerank.ordering import order_by_score, require_one_score

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class CrossEncoderReranker:
    """Implements `Reranker`; the model is loaded when first used. Safe to share between threads.

    `max_length` in tokens for question and passage (0: the model's own); `batch` is the first batch size tried.
    """

    def __init__(self, model: LocalModel, *, device: str = "auto", batch: int = 0, max_length: int = 512) -> None:
        """Loads nothing. Raises MissingError for a folder that holds no cross-encoder."""
        if not (model.folder / "modules.json").is_file():
            require_architecture(model, "ForSequenceClassification", "cross-encoder")
        self._model = model
        self._batch = batch
        self._max_length = longest_input(model, max_length) if max_length else 0
        self._resident = Resident(model, device, self._load)

    @property
    def identity(self) -> str:
        """Names the files, the libraries and the length."""
        return self._model.identity_as(
            "cross-encoder", ("sentence-transformers", "transformers"), max_length=self._max_length
        )

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """All `hits` by logit, best first. Raises WorkbenchError where a logit is not finite."""
        return order_by_score(
            hits, self.score(query.text, [passage.searchable for passage in passages]), self._model.name
        )

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One logit per text."""
        with self._resident.use() as (model, size):
            order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))

            def run(part: Sequence[int]) -> Any:
                from torch.nn import Identity

                pairs = [(question, texts[place]) for place in part]
                return model.predict(pairs, batch_size=len(part), activation_fn=Identity(), show_progress_bar=False)

            scores = np.zeros(len(texts))
            for start, batch in in_batches(order, size, run):
                scores[order[start : start + len(batch)]] = batch
        return [float(score) for score in scores]

    def _load(self, device: str) -> tuple[CrossEncoder, BatchSize]:
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(
            str(self._model.folder),
            device=device,
            max_length=self._max_length or None,
            local_files_only=True,
            trust_remote_code=False,
        )
        require_one_score(self._model.name, model.num_labels)
        if half_precision(device):
            model.half()
        return model, BatchSize.for_device(device, self._batch)
