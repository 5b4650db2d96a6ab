"""A causal language model on this machine through transformers: greedy, by its chat template where it has one.

Nothing is downloaded here.  A GGUF file is read as transformers reads it: its weights are unpacked to full size.
With int4 (bitsandbytes, NVIDIA GPUs only) a model takes about a quarter of its memory, as in Chirkova et al. 2024.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import groupby
from threading import Event
from typing import Literal

from workbench.errors import GenerationFailed, WorkbenchError, shorten
from workbench.llm.conversation import TokenLimits
from workbench.llm.local_llm import Loaded, Quantised, Read, Written, find, load
from workbench.llm.retrying import STOPPED, Deadline, Health, NotBegun, StreamStopped, relay
from workbench.llm.streaming import Stream
from workbench.models.resident import Resident
from workbench.records import Finish, Generation, Prompt, Task, Usage

VERSION = 1
CHECK = Prompt("", "Reply with the word OK.", Task("Reply with the word OK.", "en"))
CHECK_TOKENS = 4
BATCH = {"cpu": 1, "cuda": 8}
"""Prompts generated together, by device: on a CPU more together are no faster."""

Device = Literal["auto", "cpu", "cuda"]


class HuggingFaceGenerator:
    """Implements `streaming.StreamingGenerator`.  One generation at a time; others wait."""

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

        `facts` (size, licence) go into the message where it is missing.  Raises MissingError, UsageError.
        """
        found = find(model, revision=revision, facts=facts)
        self._found = found
        self._quantised: Quantised = quantised
        self._limits = limits or TokenLimits()
        self._resident = Resident(found, device, lambda where: load(found, quantised, where))

    def within(self, limits: TokenLimits) -> HuggingFaceGenerator:
        """The same model, in memory once for both, with other limits."""
        other = copy(self)
        other._limits = limits
        return other

    @property
    def identity(self) -> str:
        return self._found.identity_as(
            "huggingface",
            ("transformers", "torch"),
            version=VERSION,
            quantised=self._quantised,
            tokens=[self._limits.short, self._limits.dialectic],
        )

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer a prompt. Raises GenerationFailed, MissingError."""
        made: list[Generation] = []
        for one in self.attempt(prompts):
            if isinstance(one, WorkbenchError):
                raise one
            made.append(one)
        return made

    def attempt(self, prompts: Sequence[Prompt], stop: Event | None = None) -> list[Generation | WorkbenchError]:
        """One answer or failure a prompt, in order. The stop event ends the work between batches."""
        made: list[Generation | WorkbenchError] = []
        with self._resident.use() as loaded:
            for limit, alike in groupby(prompts, self._limits.of):
                rest = list(alike)
                while rest:
                    if stop is not None and stop.is_set():
                        made.extend(NotBegun(STOPPED) for _ in rest)
                        break
                    size = BATCH[loaded.device]
                    made.extend(_batch(loaded, rest[:size], limit))
                    rest = rest[size:]
        return made

    def stream(self, prompt: Prompt, stop: Event | None = None) -> Stream:
        """The answer in pieces, as soon as a token makes whole characters."""
        began = time.monotonic()
        read: list[tuple[Loaded, Read]] = []
        ended: list[Written] = []

        def conclude(text: str) -> Generation:
            seconds = time.monotonic() - began
            if ended:
                return _generation(ended[0], seconds)
            counts = (0, 0)
            if read:
                loaded, prompted = read[0]
                counts = (len(prompted.tokens), loaded.count(text))
            return Generation(text.strip(), usage=Usage(*counts, estimated=True, seconds=seconds), finish="stopped")

        return Stream(self._pieces(prompt, read, ended, stop), conclude)

    def check(self) -> Health:
        """Loads the model and generates a few tokens. Raises nothing."""
        began = time.monotonic()
        try:
            with self._resident.use() as loaded:
                loaded.write([loaded.read(CHECK, CHECK_TOKENS)])
        except WorkbenchError as error:
            return Health(False, str(error), time.monotonic() - began)
        seconds = time.monotonic() - began
        return Health(True, f"“{shorten(self._found.label)}” ran on {loaded.device} in {seconds:.1f} s.", seconds)

    def _pieces(
        self, prompt: Prompt, read: list[tuple[Loaded, Read]], ended: list[Written], stop: Event | None
    ) -> Iterator[str]:
        """Texts as they come. `read` gets the model and the prompt in tokens, `ended` the answer where nobody stopped
        it.
        """
        written: list[Written] = []

        def work(give: Callable[[str], None]) -> None:
            with self._resident.use() as loaded:
                prompted = loaded.read(prompt, self._limits.of(prompt))
                read.append((loaded, prompted))
                written.extend(loaded.write([prompted], give))

        try:
            for piece in relay(work, silence=math.inf, deadline=Deadline(math.inf), stop=stop):
                if piece:
                    yield piece
        except StreamStopped:
            return
        ended.extend(written)


def _batch(loaded: Loaded, prompts: Sequence[Prompt], limit: int) -> list[Generation | WorkbenchError]:
    """Answers of prompts generated together; halved where memory does not suffice."""
    began = time.monotonic()
    try:
        written = loaded.write([loaded.read(prompt, limit) for prompt in prompts])
    except GenerationFailed as error:
        if len(prompts) == 1:
            return [error]
        half = len(prompts) // 2
        return _batch(loaded, prompts[:half], limit) + _batch(loaded, prompts[half:], limit)
    seconds = (time.monotonic() - began) / len(prompts)
    return [_generation(one, seconds) for one in written]


def _generation(written: Written, seconds: float) -> Generation:
    finish: Finish = "stop" if written.done else "length"
    usage = Usage(written.prompt_tokens, written.completion_tokens, estimated=False, seconds=seconds)
    return Generation(written.text.strip(), usage=usage, finish=finish)
