"""FlagEmbedding's rerankers: a cross-encoder (bge-reranker-v2-m3) and a language model (bge-reranker-v2-gemma).

FlagEmbedding loads the models and formats their input. Batches are cut here: its own loop runs the first batch of every
call twice, which for one question's candidates doubles the work, and never ends where an error is not a lack of memory.
Scores are the models' logits: any range, higher is better, comparable within a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.models import half_precision
from workbench.retrieval.encoders.batching import BatchSize
from workbench.retrieval.rerank.ordering import require_one_score
from workbench.retrieval.rerank.token_reranker import TokenReranker, plain_ids

PROMPT = (
    "Given a query A and a passage B, determine whether the passage contains an answer to the query by providing a "
    "prediction of either 'Yes' or 'No'."
)
"""FlagEmbedding's default prompt, which its language models were trained with."""
LIBRARIES = ("FlagEmbedding", "transformers")


class FlagReranker(TokenReranker):
    """Implements `Reranker` with a cross-encoder."""

    name, architecture = "flag-reranker", "ForSequenceClassification"
    libraries = LIBRARIES

    def _load(self, device: str, size: BatchSize) -> _CrossEncoder:
        return _CrossEncoder(str(self._model.folder), device, size, self._max_length)


class FlagLLMReranker(TokenReranker):
    """Implements `Reranker` with a language model: the logit of "Yes" as the next token."""

    name, architecture = "flag-llm-reranker", "ForCausalLM"
    libraries = LIBRARIES

    def _load(self, device: str, size: BatchSize) -> _YesOrNo:
        return _YesOrNo(str(self._model.folder), device, size, self._max_length)


def _on_device(model: Any, device: str) -> Any:
    """The model on its device, in half precision there where that pays."""
    model = model.half() if half_precision(device) else model.float()
    return model.to(device).eval()


class _CrossEncoder:
    def __init__(self, folder: str, device: str, size: BatchSize, max_length: int) -> None:
        from FlagEmbedding import FlagReranker as Flag

        flag = Flag(folder, devices=device, max_length=max_length, trust_remote_code=False)
        require_one_score(Path(folder).name, flag.model.config.num_labels)
        self._model = _on_device(flag.model, device)
        self._tokenizer = flag.tokenizer
        self._device = device
        self._max_length = max_length
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[list[int]]:
        """Pairs in which the question is cut at three quarters of the length, and then the passage alone."""
        cut = self._cut(question, self._max_length * 3 // 4)
        pairs = self._tokenizer([cut] * len(texts), list(texts), truncation="only_second", max_length=self._max_length)
        return [list(ids) for ids in pairs["input_ids"]]

    def _cut(self, text: str, limit: int) -> str:
        ends = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        return text if len(ends) <= limit else text[: ends[limit - 1][1]]

    def run(self, tokens: Sequence[list[int]]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad({"input_ids": list(tokens)}, padding=True, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            return list(self._model(**inputs, return_dict=True).logits.view(-1).float().tolist())


class _YesOrNo:
    def __init__(self, folder: str, device: str, size: BatchSize, max_length: int) -> None:
        from FlagEmbedding import FlagLLMReranker as Flag

        self._flag = Flag(folder, devices=device, max_length=max_length, trust_remote_code=False)
        self._model = _on_device(self._flag.model, device)
        self._tokenizer = self._flag.tokenizer
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._device = device
        self._max_length = max_length
        self.size = size

    def tokens(self, question: str, texts: Sequence[str]) -> list[list[int]]:
        """[start] "A: question" newline "B: passage", cut, then newline and the prompt."""
        pairs = self._flag.get_detailed_inputs([(question, text) for text in texts])
        start = self._tokenizer.bos_token_id
        opening = [] if start is None or start == self._tokenizer.pad_token_id else [start]
        question_ids = opening + plain_ids(self._tokenizer, pairs[0][0], self._max_length * 3 // 4)
        newline, prompt = plain_ids(self._tokenizer, "\n"), plain_ids(self._tokenizer, PROMPT)
        room = self._max_length + len(newline) + len(prompt)
        passages = [plain_ids(self._tokenizer, text, self._max_length) for _, text in pairs]
        return [(question_ids + newline + passage)[:room] + newline + prompt for passage in passages]

    def run(self, tokens: Sequence[list[int]]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad(
            {"input_ids": list(tokens)}, padding=True, padding_side="left", return_tensors="pt"
        ).to(self._device)
        mask = inputs["attention_mask"]
        with torch.inference_mode():
            # Padded on the left, so that the last position is a token of every text: only its logits are computed.
            output = self._model(
                input_ids=inputs["input_ids"],
                attention_mask=mask,
                position_ids=(mask.cumsum(-1) - 1).clamp(min=0),
                logits_to_keep=1,
            )
        return list(output.logits[:, -1, self._flag.yes_loc].float().tolist())
