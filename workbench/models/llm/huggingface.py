"""A causal language model on this machine through transformers: greedy, by its chat template where it has one.

Nothing is downloaded here.  A GGUF file is read as transformers reads it: its weights are unpacked to full size.
With int4 (bitsandbytes, NVIDIA GPUs only) a model takes about a quarter of its memory, as in Chirkova et al. (2024).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import groupby
from threading import Event
from typing import Literal

from workbench.core import (
    Finish,
    Generation,
    GenerationFailed,
    Prompt,
    Task,
    Usage,
    WorkbenchError,
    current_stop,
    shorten,
)
from workbench.models.llm.conversation import TokenLimits
from workbench.models.llm.live_text import Stream
from workbench.models.llm.local_llm import Completion, LoadedLLM, PromptTokens, Quantised, find_llm, load_llm
from workbench.models.llm.retrying import STOPPED, Deadline, Health, NotStarted, StreamStopped, relay
from workbench.models.resident import Resident

VERSION = 1
CHECK = Prompt("", "Reply with the word OK.", Task("Reply with the word OK.", "en"))
CHECK_TOKENS = 4
BATCH = {"cpu": 1, "cuda": 8}
"""Prompts generated together, by device: on a CPU larger batches are not faster."""

Device = Literal["auto", "cpu", "cuda"]


class HuggingFaceGenerator:
    """Implements `live_text.StreamingGenerator`.  It generates one batch at a time; other threads wait."""

    def __init__(
        self,
        model: str,
        *,
        quantised: Quantised = "none",
        device: Device = "auto",
        limits: TokenLimits | None = None,
        revision: str = "main",
        facts: str = "",
    ) -> None:
        """`model`: a folder, a downloaded model of the hub (`owner/model`), or a `.gguf` file.

        `facts` (size, licence) go into the message where the model is missing.  Raises MissingError, UsageError.
        """
        files = find_llm(model, revision=revision, facts=facts)
        self._files = files
        self._quantised: Quantised = quantised
        self._limits = limits or TokenLimits()
        self._resident = Resident(files, device, lambda where: load_llm(files, quantised, where))

    def with_limits(self, limits: TokenLimits) -> HuggingFaceGenerator:
        """The same model with other limits; both share one copy in memory."""
        other = copy(self)
        other._limits = limits
        return other

    @property
    def identity(self) -> str:
        """Weights, quantisation, token limits and the versions of transformers and torch."""
        return self._files.identity_as(
            "huggingface",
            ("transformers", "torch"),
            version=VERSION,
            quantised=self._quantised,
            tokens=[self._limits.short, self._limits.dialectic],
        )

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt. Raises GenerationFailed, MissingError."""
        generations: list[Generation] = []
        for one in self.attempt(prompts):
            if isinstance(one, WorkbenchError):
                raise one
            generations.append(one)
        return generations

    def attempt(self, prompts: Sequence[Prompt]) -> list[Generation | WorkbenchError]:
        """One answer or failure per prompt, in order. A stop ends the work between batches."""
        stop = current_stop()
        results: list[Generation | WorkbenchError] = []
        with self._resident.use() as llm:
            for limit, group in groupby(prompts, self._limits.for_prompt):
                rest = list(group)
                while rest:
                    if stop is not None and stop.is_set():
                        results.extend(NotStarted(STOPPED) for _ in rest)
                        break
                    size = BATCH[llm.device]
                    results.extend(_batch(llm, rest[:size], limit))
                    rest = rest[size:]
        return results

    def stream(self, prompt: Prompt) -> Stream:
        """The answer in pieces, each as soon as its characters are complete."""
        started = time.monotonic()
        inputs: list[tuple[LoadedLLM, PromptTokens]] = []
        completions: list[Completion] = []

        def conclude(text: str) -> Generation:
            seconds = time.monotonic() - started
            if completions:
                return _generation(completions[0], seconds)
            counts = (0, 0)
            if inputs:
                llm, prompt_tokens = inputs[0]
                counts = (len(prompt_tokens.tokens), llm.count(text))
            return Generation(text.strip(), usage=Usage(*counts, estimated=True, seconds=seconds), finish="stopped")

        return Stream(self._pieces(prompt, inputs, completions, current_stop()), conclude)

    def check(self) -> Health:
        """Loads the model and generates a few tokens. Raises nothing."""
        started = time.monotonic()
        try:
            with self._resident.use() as llm:
                llm.complete([llm.tokenise(CHECK, CHECK_TOKENS)])
        except WorkbenchError as error:
            return Health(False, str(error), time.monotonic() - started)
        seconds = time.monotonic() - started
        return Health(True, f"“{shorten(self._files.label)}” ran on {llm.device} in {seconds:.1f} s.", seconds)

    def _pieces(
        self,
        prompt: Prompt,
        inputs: list[tuple[LoadedLLM, PromptTokens]],
        completions: list[Completion],
        stop: Event | None,
    ) -> Iterator[str]:
        """Texts as they arrive; `inputs` gets model and prompt, `completions` the answer if it was not stopped."""
        finished: list[Completion] = []

        def work(emit: Callable[[str], None]) -> None:
            with self._resident.use() as llm:
                prompt_tokens = llm.tokenise(prompt, self._limits.for_prompt(prompt))
                inputs.append((llm, prompt_tokens))
                finished.extend(llm.complete([prompt_tokens], emit))

        try:
            for piece in relay(work, silence=math.inf, deadline=Deadline(math.inf), stop=stop):
                if piece:
                    yield piece
        except StreamStopped:
            return
        completions.extend(finished)


def _batch(llm: LoadedLLM, prompts: Sequence[Prompt], limit: int) -> list[Generation | WorkbenchError]:
    """Answers to prompts generated together; the batch is halved where memory does not suffice."""
    started = time.monotonic()
    try:
        completions = llm.complete([llm.tokenise(prompt, limit) for prompt in prompts])
    except GenerationFailed as error:
        if len(prompts) == 1:
            return [error]
        half = len(prompts) // 2
        return _batch(llm, prompts[:half], limit) + _batch(llm, prompts[half:], limit)
    seconds = (time.monotonic() - started) / len(prompts)
    return [_generation(one, seconds) for one in completions]


def _generation(completion: Completion, seconds: float) -> Generation:
    finish: Finish = "stop" if completion.finished else "length"
    usage = Usage(completion.prompt_tokens, completion.completion_tokens, estimated=False, seconds=seconds)
    return Generation(completion.text.strip(), usage=usage, finish=finish)
