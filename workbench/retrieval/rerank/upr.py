"""UPR (Sachan et al. (2022), arXiv 2204.07496): how likely a language model is to ask the question of the passage.

No training: the model reads the passage and the request to write a question, and the score is the mean log-likelihood
of the question's tokens, at most 0. Any T5-like or causal language model will do; the paper's best is T0-3B, Kim et al.
(2024) use T5-large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core import MissingError
from workbench.models import LocalModel, half_precision, require_architecture
from workbench.retrieval.encoders.batching import BatchSize
from workbench.retrieval.rerank.token_reranker import TokenReranker, plain_ids, t5_on_device

REQUEST = "Please write a question based on this passage."
"""The paper's instruction."""
QUESTION_TOKENS = 128
"""A longer question is cut."""
CAUSAL = "ForCausalLM"


@dataclass(frozen=True, slots=True)
class _Pair:
    """What the model reads, and the question, whose likelihood is wanted."""

    passage: list[int]
    question: list[int]

    def __len__(self) -> int:
        return len(self.passage)


class UprReranker(TokenReranker):
    """Implements `Reranker` with a language model, encoder and decoder or causal."""

    name, architecture = "upr", "ForConditionalGeneration"

    def _check(self, model: LocalModel) -> None:
        self._is_causal = False
        try:
            require_architecture(model, self.architecture, "language model")
        except MissingError:
            require_architecture(model, CAUSAL, "language model")
            self._is_causal = True

    def _load(self, device: str, size: BatchSize) -> _EncodedPassage | _ReadPassage:
        kind = _ReadPassage if self._is_causal else _EncodedPassage
        return kind(self._model, device, size, self._max_length)


class _EncodedPassage:
    """A model with an encoder for the passage and a decoder for the question."""

    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        self._model = t5_on_device(AutoModelForSeq2SeqLM.from_pretrained(files.folder, local_files_only=True), device)
        self._device = device
        self._max_length = max_length
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[_Pair]:
        """“Passage: d”, the request and the end; the question and the end."""
        end = [self._tokenizer.eos_token_id]
        target = plain_ids(self._tokenizer, question, QUESTION_TOKENS - 1) + end
        return [_Pair(ids + end, target) for ids in _passages(self._tokenizer, texts, self._max_length - 1)]

    def run(self, tokens: Sequence[_Pair]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad(
            {"input_ids": [pair.passage for pair in tokens]}, padding=True, return_tensors="pt"
        ).to(self._device)
        # All pairs are of one question, so that nothing is padded on the decoder's side.
        targets = torch.tensor([pair.question for pair in tokens], device=self._device)
        with torch.inference_mode():
            output = self._model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], labels=targets)
        return _mean_log_likelihood(output.logits, targets)


class _ReadPassage:
    """A causal language model, which reads passage and question as one text."""

    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        model = AutoModelForCausalLM.from_pretrained(files.folder, local_files_only=True)
        model = model.half() if half_precision(device) else model.float()
        self._model = model.to(device).eval()
        self._device = device
        self._max_length = max_length
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[_Pair]:
        """[start] “Passage: d” and the request; the question."""
        start = self._tokenizer.bos_token_id
        opening = [] if start is None else [start]
        target = plain_ids(self._tokenizer, f" {question}", min(QUESTION_TOKENS, self._max_length // 4))
        room = self._max_length - len(opening) - len(target)
        return [_Pair(opening + ids, target) for ids in _passages(self._tokenizer, texts, room)]

    def run(self, tokens: Sequence[_Pair]) -> list[float]:
        import torch

        question = tokens[0].question
        # Padded on the left, so that the question, which all share, ends every row: only its logits are computed.
        inputs = self._tokenizer.pad(
            {"input_ids": [pair.passage + pair.question for pair in tokens]},
            padding=True,
            padding_side="left",
            return_tensors="pt",
        ).to(self._device)
        mask = inputs["attention_mask"]
        with torch.inference_mode():
            output = self._model(
                input_ids=inputs["input_ids"],
                attention_mask=mask,
                position_ids=(mask.cumsum(-1) - 1).clamp(min=0),
                logits_to_keep=len(question) + 1,
            )
        targets = torch.tensor([question] * len(tokens), device=self._device)
        return _mean_log_likelihood(output.logits[:, :-1], targets)


def _passages(tokenizer: Any, texts: Sequence[str], room: int) -> list[list[int]]:
    """“Passage: d Please write …” as tokens, at most `room`: the passage is cut, the request is not."""
    start, end = plain_ids(tokenizer, "Passage:"), plain_ids(tokenizer, f" {REQUEST}")
    left = max(0, room - len(start) - len(end))
    return [start + plain_ids(tokenizer, f" {text}")[:left] + end for text in texts]


def _mean_log_likelihood(logits: Any, targets: Any) -> list[float]:
    """The mean over each row of the log-likelihood of its targets; `logits` has one place per target."""
    chances = logits.float().log_softmax(dim=-1).gather(2, targets.unsqueeze(2)).squeeze(2)
    return [float(score) for score in chances.mean(dim=1)]
