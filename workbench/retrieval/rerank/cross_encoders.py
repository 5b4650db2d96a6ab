"""Rerankers that read question and passage together, and what all rerankers share.

Scores are logits: any range, higher is better, comparable within a question. The sigmoid that models usually put over
them is left out, since it makes all good passages equal.

`CrossEncoderReranker` runs any cross-encoder of sentence-transformers (Nogueira and Cho (2019)). A `TokenReranker`
turns the question and the passages into tokens, the longest first, and scores a batch at a time: FlagEmbedding's
cross-encoder (bge-reranker-v2-m3) and its language model (bge-reranker-v2-gemma). FlagEmbedding loads the models and
formats their input. Batches are cut here: its own loop runs the first batch of every call twice, which for one
question's candidates doubles the work, and never ends where an error is not a lack of memory.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from workbench.core import DataError, Hit, Passage, Query, Ranking, WorkbenchError, shorten, with_score
from workbench.models import (
    BatchSize,
    LocalModel,
    Resident,
    half_precision,
    in_batches,
    longest_input,
    require_architecture,
)

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

NAME = "rerank"
"""What a reranker's score is called in a hit's scores."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the make-up of a batch shows."""


def order_by_score(hits: Sequence[Hit], scores: Sequence[float], reranker: str) -> Ranking:
    """`hits` by `scores` (any range, higher is better), best first; equal ones keep their earlier order.

    `reranker` is its name for people. Raises WorkbenchError where a score is not a finite number.
    """
    if not all(math.isfinite(score) for score in scores):
        raise WorkbenchError(
            f"The reranker “{shorten(reranker)}” gave a score that is not a number; its weights are damaged."
        )
    rounded = [round(float(score), DECIMALS) for score in scores]
    places = sorted(range(len(hits)), key=lambda place: -rounded[place])
    return tuple(with_score(hits[place], rounded[place], NAME) for place in places)


def order_by_rank(hits: Sequence[Hit]) -> Ranking:
    """`hits`, already best first, scored by 1 / rank: for a reranker that orders and gives no score."""
    return tuple(with_score(hit, 1 / rank, NAME) for rank, hit in enumerate(hits, start=1))


def require_one_score(model: str, scores: int) -> None:
    """Raises DataError unless the model called `model` gives one score per pair of question and passage."""
    if scores != 1:
        raise DataError(
            f"The model “{shorten(model)}” gives {scores} scores per pair; choose a reranker, which gives one."
        )


Tokens = TypeVar("Tokens", bound=Sized)


class TokenScorer(Protocol[Tokens]):
    """A loaded model: an item of tokens per passage in, a score out. The length of an item decides its batch."""

    size: BatchSize

    def tokens(self, question: str, texts: Sequence[str]) -> list[Tokens]:
        """One item per text."""

    def run(self, tokens: Sequence[Tokens]) -> list[float]:
        """One score per item."""


class TokenReranker(ABC):
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

    @abstractmethod
    def _load(self, device: str, size: BatchSize) -> TokenScorer[Any]:
        """The model on a device, ready to score."""


def plain_ids(tokenizer: Any, text: str, limit: int = 0) -> list[int]:
    """The tokens of a text without special ones, at most `limit` of them (0: all)."""
    ids = list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return ids[:limit] if limit else ids


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
