"""Rerankers over T5 and other language models: MonoT5, TART-full and UPR.

MonoT5 (Nogueira, Jiang and Lin (2020), arXiv 2003.06713) reads “Query: q Document: d Relevant:” and was trained to
write “true” or “false”. The score is the difference of the two tokens' logits at the first position of the answer.

TART-full (Asai et al. (2022), arXiv 2211.09260) judges relevance to a question under an instruction. A T5 encoder reads
“<s> instruction [SEP] question </s> passage </s>”, and a linear layer over the first token gives two logits. The score
is their difference. Both scores are the log odds of a relevant passage, so 0 is a probability of one half: the order of
the papers' probability, whose rounding would make all good passages equal.

UPR (Sachan et al. (2022), arXiv 2204.07496) asks how likely a language model is to ask the question of the passage,
without training: the model reads the passage and the request to write a question, and the score is the mean
log-likelihood of the question's tokens, at most 0. Any T5-like or causal language model will do; the paper's best is
T0-3B, Kim et al. (2024) use T5-large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core import DataError, MissingError, shorten
from workbench.models import (
    BatchSize,
    LocalModel,
    half_precision,
    require_architecture,
)
from workbench.retrieval.rerank.cross_encoders import TokenReranker, plain_ids

if TYPE_CHECKING:
    from transformers import T5EncoderModel


def t5_on_device(model: Any, device: str) -> Any:
    """A T5 on its device, ready to score: its activations overflow 16 bits of the usual kind, but not bfloat16."""
    import torch

    is_brief = half_precision(device) and torch.cuda.is_bf16_supported()
    return model.to(device=device, dtype=torch.bfloat16 if is_brief else torch.float32).eval()


class _Loaded:
    """A tokenizer and a model in memory."""

    def __init__(self, tokenizer: Any, model: Any, device: str, size: BatchSize, max_length: int) -> None:
        self._tokenizer, self._model, self._device = tokenizer, model, device
        self._max_length, self.size = max_length, size


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


class _TrueOrFalse(_Loaded):
    def __init__(
        self, files: LocalModel, device: str, size: BatchSize, max_length: int, words: tuple[str, str]
    ) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        vocabulary = tokenizer.get_vocab()
        unknown = [word for word in words if word not in vocabulary]
        if unknown:
            raise DataError(
                f"The model “{shorten(files.name)}” has no token {' or '.join(unknown)}; choose a MonoT5 model, or a "
                "known one whose tokens differ, such as mt5-base-mmarco-v2."
            )
        self._places = [vocabulary[word] for word in words]
        model = AutoModelForSeq2SeqLM.from_pretrained(files.folder, local_files_only=True)
        super().__init__(tokenizer, t5_on_device(model, device), device, size, max_length)

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


class _Instructed(_Loaded):
    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int, instruction: str) -> None:
        from transformers import T5Tokenizer

        # By its class: the model's files name a tokenizer that transformers does not have.
        tokenizer = T5Tokenizer.from_pretrained(files.folder, local_files_only=True)
        encoder, lacking = _classifying(files)
        if lacking:
            raise DataError(f"The model “{shorten(files.name)}” lacks {', '.join(lacking)}; choose a TART-full model.")
        super().__init__(tokenizer, t5_on_device(encoder, device), device, size, max_length)
        self._instruction = instruction

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


class _EncodedPassage(_Loaded):
    """A model with an encoder for the passage and a decoder for the question."""

    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        model = AutoModelForSeq2SeqLM.from_pretrained(files.folder, local_files_only=True)
        super().__init__(tokenizer, t5_on_device(model, device), device, size, max_length)

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


class _ReadPassage(_Loaded):
    """A causal language model, which reads passage and question as one text."""

    def __init__(self, files: LocalModel, device: str, size: BatchSize, max_length: int) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        model = AutoModelForCausalLM.from_pretrained(files.folder, local_files_only=True)
        model = model.half() if half_precision(device) else model.float()
        super().__init__(tokenizer, model.to(device).eval(), device, size, max_length)

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
