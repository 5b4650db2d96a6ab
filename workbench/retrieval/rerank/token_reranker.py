"""What the rerankers that run a model here share: question and passage as tokens, the longest first, a batch at a time.

A scorer is the loaded model. It turns a question and the passages into items of tokens and a batch of items into
scores. Scores have any range, higher is better, and they compare within a question.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from workbench.core import Hit, Passage, Query, Ranking
from workbench.models import LocalModel, Resident, half_precision, longest_input, require_architecture
from workbench.retrieval.encoders.batching import BatchSize, in_batches
from workbench.retrieval.rerank.ordering import order_by_score

Tokens = TypeVar("Tokens", bound=Sized)


class TokenScorer(Protocol[Tokens]):
    """A loaded model: an item of tokens per passage in, a score out. The length of an item decides its batch."""

    size: BatchSize

    def tokens(self, question: str, texts: Sequence[str]) -> list[Tokens]:
        """One item per text."""

    def run(self, tokens: Sequence[Tokens]) -> list[float]:
        """One score per item."""


class TokenReranker:
    """Implements `Reranker`; the model is loaded when first used. Safe to share between threads.

    `architecture` ends the name that a model's config.json must give; `libraries` are those that affect its scores.
    """

    name: ClassVar[str]
    architecture: ClassVar[str]
    libraries: ClassVar[tuple[str, ...]] = ("transformers",)

    def __init__(self, model: LocalModel, *, device: str = "auto", batch: int = 0, max_length: int = 512) -> None:
        """`max_length` in tokens for question and passage; `batch` is the first batch size tried (0: by device).

        Loads nothing. Raises MissingError for a model of another architecture, UsageError for a length without room.
        """
        self._check(model)
        self._model = model
        self._max_length = longest_input(model, max_length)
        self._resident = Resident(model, device, lambda where: self._load(where, BatchSize.for_device(where, batch)))

    @property
    def identity(self) -> str:
        """Names the kind, the files, the libraries, the length and what else the kind can be given."""
        return self._model.identity_as(self.name, self.libraries, max_length=self._max_length, **self._options())

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """All `hits` by score, best first. Raises WorkbenchError where a score is not finite."""
        return order_by_score(
            hits, self.score(query.text, [passage.searchable for passage in passages]), self._model.name
        )

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score per text."""
        if not texts:
            return []
        with self._resident.use() as scorer:
            tokens = scorer.tokens(question, texts)
            order = np.argsort([-len(item) for item in tokens], kind="stable")
            batches = in_batches([tokens[place] for place in order], scorer.size, scorer.run)
        scores = np.zeros(len(texts))
        scores[order] = [score for _, batch in batches for score in batch]
        return [float(score) for score in scores]

    def _check(self, model: LocalModel) -> None:
        require_architecture(model, self.architecture, f"{self.name} model")

    def _options(self) -> dict[str, str]:
        return {}

    def _load(self, device: str, size: BatchSize) -> TokenScorer[Any]:
        raise NotImplementedError


def plain_ids(tokenizer: Any, text: str, limit: int = 0) -> list[int]:
    """The tokens of a text without special ones, at most `limit` of them (0: all)."""
    ids = list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return ids[:limit] if limit else ids


def t5_on_device(model: Any, device: str) -> Any:
    """A T5 on its device, ready to score: its activations overflow 16 bits of the usual kind, but not bfloat16."""
    import torch

    is_brief = half_precision(device) and torch.cuda.is_bf16_supported()
    return model.to(device=device, dtype=torch.bfloat16 if is_brief else torch.float32).eval()
