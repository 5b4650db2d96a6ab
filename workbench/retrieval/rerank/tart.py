"""TART-full (Asai et al. (2022), arXiv 2211.09260): relevance to a question under an instruction.

A T5 encoder reads “<s> instruction [SEP] question </s> passage </s>”, and a linear layer over the first token gives two
logits. The score is their difference, the log odds of a relevant passage: the order of the paper's probability, whose
rounding would make all good passages equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import DataError, shorten
from workbench.models import LocalModel
from workbench.retrieval.encoders.batching import BatchSize
from workbench.retrieval.rerank.token_reranker import TokenReranker, plain_ids, t5_on_device

if TYPE_CHECKING:
    from transformers import T5EncoderModel

INSTRUCTION = "Find passage to answer given question"
"""The instruction of Kim et al. (2024)."""
BEGINNING = "<s>"
"""The token that the linear layer reads; T5 knows none, and its tokenizer gives the unknown one's number for it."""


class TartReranker(TokenReranker):
    """Implements `Reranker` with TART-full."""

    name, architecture = "tart", "ForSequenceClassification"

    def __init__(
        self,
        model: LocalModel,
        *,
        device: str = "auto",
        batch: int = 0,
        max_length: int = 512,
        instruction: str = INSTRUCTION,
    ) -> None:
        """`instruction` states in words what makes a passage relevant."""
        super().__init__(model, device=device, batch=batch, max_length=max_length)
        self._instruction = instruction

    def _options(self) -> dict[str, str]:
        return {"instruction": self._instruction}

    def _load(self, device: str, size: BatchSize) -> _Instructed:
        return _Instructed(self._model, device, size, self._max_length, self._instruction)


class _Instructed:
    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int, instruction: str) -> None:
        from transformers import T5Tokenizer

        # By its class: the model's files name a tokenizer that transformers does not have.
        self._tokenizer = T5Tokenizer.from_pretrained(files.folder, local_files_only=True)
        encoder, lacking = _classifying(files)
        if lacking:
            raise DataError(f"The model “{shorten(files.name)}” lacks {', '.join(lacking)}; choose a TART-full model.")
        self._model = t5_on_device(encoder, device)
        self._instruction = instruction
        self._device = device
        self._max_length = max_length
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[list[int]]:
        """Instruction and question, cut at three quarters of the length, and the passage."""
        end = [self._tokenizer.eos_token_id]
        beginning = self._tokenizer.get_vocab().get(BEGINNING, self._tokenizer.unk_token_id)
        intent = f"{self._instruction} [SEP] {question}"
        start = [beginning, *plain_ids(self._tokenizer, intent, self._max_length * 3 // 4), *end]
        room = max(0, self._max_length - len(start) - 1)
        return [start + plain_ids(self._tokenizer, text)[:room] + end for text in texts]

    def run(self, tokens: Sequence[list[int]]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad({"input_ids": list(tokens)}, padding=True, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            hidden = self._model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
            logits = self._model.classifier(hidden.last_hidden_state[:, 0]).float()
        return [float(score) for score in logits[:, 1] - logits[:, 0]]


def _classifying(files: LocalModel) -> tuple[T5EncoderModel, list[str]]:
    """T5's encoder with a linear layer of two logits, and what of the layer the files lack."""
    from torch.nn import Linear
    from transformers import T5Config, T5EncoderModel

    class EncoderWithClassifier(T5EncoderModel):
        def __init__(self, config: T5Config) -> None:
            super().__init__(config)
            self.classifier = Linear(config.d_model, 2)
            self.post_init()  # type: ignore[no-untyped-call]

    loaded: Any = EncoderWithClassifier.from_pretrained(files.folder, local_files_only=True, output_loading_info=True)
    model, facts = loaded
    return model, sorted(key for key in facts["missing_keys"] if key.startswith("classifier"))
