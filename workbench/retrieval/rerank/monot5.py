"""MonoT5 (Nogueira, Jiang and Lin (2020), arXiv 2003.06713): T5 is asked whether a passage is relevant.

It reads “Query: q Document: d Relevant:” and was trained to write “true” or “false”. The score is the difference of the
two tokens' logits at the first place of the answer: the log odds of “true”, so 0 is a probability of one half. That is
the order of the paper's probability, whose rounding would make all good passages equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core import DataError, shorten
from workbench.models import LocalModel
from workbench.retrieval.encoders.batching import BatchSize
from workbench.retrieval.rerank.token_reranker import TokenReranker, plain_ids, t5_on_device


class MonoT5Reranker(TokenReranker):
    """Implements `Reranker` with a T5 or mT5 that answers by one of two words."""

    name, architecture = "monot5", "ForConditionalGeneration"

    def __init__(
        self,
        model: LocalModel,
        *,
        device: str = "auto",
        batch: int = 0,
        max_length: int = 512,
        true_token: str = "▁true",  # noqa: S107 (a word of the model, no secret)
        false_token: str = "▁false",  # noqa: S107
    ) -> None:
        """`true_token` and `false_token` are the model's tokens for a relevant passage and for any other."""
        super().__init__(model, device=device, batch=batch, max_length=max_length)
        self._words = (true_token, false_token)

    def _options(self) -> dict[str, str]:
        true, false = self._words
        return {"true": true, "false": false}

    def _load(self, device: str, size: BatchSize) -> _TrueOrFalse:
        return _TrueOrFalse(self._model, device, size, self._max_length, self._words)


class _TrueOrFalse:
    def __init__(
        self, files: LocalModel, device: str, size: BatchSize, max_length: int, words: tuple[str, str]
    ) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        vocabulary = self._tokenizer.get_vocab()
        unknown = [word for word in words if word not in vocabulary]
        if unknown:
            raise DataError(
                f"The model “{shorten(files.name)}” has no token {' or '.join(unknown)}; choose a MonoT5 model, or a "
                "known one whose tokens differ, such as mt5-base-mmarco-v2."
            )
        self._places = [vocabulary[word] for word in words]
        model = AutoModelForSeq2SeqLM.from_pretrained(files.folder, local_files_only=True)
        self._model = t5_on_device(model, device)
        self._device = device
        self._max_length = max_length
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[list[int]]:
        """“Query: q Document: d Relevant:” and the end: the question cut at three quarters, then the passage."""
        end = [*plain_ids(self._tokenizer, "Relevant:"), self._tokenizer.eos_token_id]
        start = plain_ids(self._tokenizer, f"Query: {question}", self._max_length * 3 // 4)
        start += plain_ids(self._tokenizer, "Document:")
        room = max(0, self._max_length - len(start) - len(end))
        return [start + plain_ids(self._tokenizer, text)[:room] + end for text in texts]

    def run(self, tokens: Sequence[list[int]]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad({"input_ids": list(tokens)}, padding=True, return_tensors="pt").to(self._device)
        first = torch.full((len(tokens), 1), self._model.config.decoder_start_token_id, device=self._device)
        with torch.inference_mode():
            output = self._model(
                input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], decoder_input_ids=first
            )
        logits = output.logits[:, 0, self._places].float()
        return [float(score) for score in logits[:, 0] - logits[:, 1]]
