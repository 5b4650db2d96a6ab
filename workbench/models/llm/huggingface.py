"""A causal language model on this machine through transformers: greedy, by its chat template where it has one.

Chat models get the turns by their own template; where it has no system role, or silently drops it, the instructions
go into the user's turn. A model without a template continues the plain text.

Nothing is downloaded here. A GGUF file is read as transformers reads it: its weights are unpacked to full size.
With int4 (bitsandbytes, NVIDIA GPUs only) a model takes about a quarter of its memory, as in Chirkova et al. (2024).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

from workbench.core import (
    Finish,
    Generation,
    GenerationFailed,
    MissingError,
    Prompt,
    SampledPrompt,
    Task,
    Usage,
    WorkbenchError,
    current_stop,
    fingerprint,
    shorten,
)
from workbench.models.llm.conversation import Stream, TokenLimits, plain_text, turns
from workbench.models.llm.retrying import STOPPED, Deadline, Health, NotStarted, StreamStopped, relay
from workbench.models.local import LocalModel, Resident, find_model, out_of_memory

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


Quantised = Literal["none", "int4"]
INCOMPLETE = "\N{REPLACEMENT CHARACTER}"
"""What a decoder shows for a character of which only some bytes have arrived."""


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """A prompt in tokens, how many new ones may follow it, and the temperature they are drawn at, 0 for greedily."""

    tokens: list[int]
    limit: int
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. `finished`: the model ended it, not the limit."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    finished: bool


def find_llm(model: str, *, revision: str = "main", facts: str = "") -> LocalModel:
    """The model's files: a folder, a downloaded model of the hub, or a GGUF file. Raises MissingError, UsageError."""
    path = Path(model).expanduser()
    if path.suffix.lower() != ".gguf":
        return find_model(model, revision=revision, facts=facts)
    if not path.is_file():
        raise MissingError(f"There is no file {shorten(path)}; give the path of a .gguf file on this machine.")
    if find_spec("gguf") is None:
        raise MissingError("Reading GGUF files needs a package that is not installed; type: python -m pip install gguf")
    stat = path.stat()
    return LocalModel(path.name, path.absolute(), fingerprint("gguf", [path.name, stat.st_size, stat.st_mtime_ns]))


def load_llm(files: LocalModel, quantised: Quantised, device: str, adapter: Path | None = None) -> LoadedLLM:
    """The model in memory, with the adapter in a folder where there is one; `device` is torch's name for the device.

    Raises MissingError where int4 is requested but not available, or the files cannot be read.
    """
    kind: Literal["cpu", "cuda"] = "cpu" if device == "cpu" else "cuda"
    tokenizer, model = pretrained(files, **(_quantisation(kind) if quantised == "int4" else {"dtype": "auto"}))
    if adapter is not None:
        model = _adapted(model, adapter)
    if quantised == "none":
        model.to(kind)
    model.eval()
    return LoadedLLM(shorten(files.name), tokenizer, model, kind)


def pretrained(files: LocalModel, **weights: Any) -> tuple[PreTrainedTokenizerBase, Any]:
    """A model's tokenizer and weights; `weights` are options of transformers on how these are read.

    Raises MissingError where the files cannot be read.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    folder = files.folder
    if folder.is_file():
        folder, options["gguf_file"] = folder.parent, folder.name
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **options)
        return tokenizer, AutoModelForCausalLM.from_pretrained(folder, **options, **weights)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise MissingError(
            f"The model “{shorten(files.name)}” cannot be loaded ({shorten(error, 160)}); "
            "use a causal language model that this version of transformers supports."
        ) from error


def _adapted(model: Any, adapter: Path) -> Any:
    """A model with the adapter in a folder. Raises MissingError without peft."""
    if find_spec("peft") is None:
        raise MissingError("A tuned model needs a package that is not installed; type: python -m pip install peft")
    from peft import PeftModel

    return PeftModel.from_pretrained(model, adapter, local_files_only=True)


def merge_adapter(files: LocalModel, adapter: Path, target: Path) -> None:
    """Writes a model and its adapter as one checkpoint: merged in 32 bits, stored in the model's own precision.

    Raises MissingError where the files cannot be read.
    """
    import torch

    tokenizer, model = pretrained(files, dtype="auto")
    kept = model.dtype
    merged = _adapted(model.to(torch.float32), adapter).merge_and_unload().to(kept)
    merged.save_pretrained(target)
    tokenizer.save_pretrained(target)


def _quantisation(device: str) -> dict[str, Any]:
    """Options for weights of 4 bits. Raises MissingError."""
    if device != "cuda":
        raise MissingError("int4 needs an NVIDIA GPU, and none is used; leave out “quantised”.")
    if find_spec("bitsandbytes") is None:
        raise MissingError("int4 needs a package that is not installed; type: python -m pip install bitsandbytes")
    import torch
    from transformers import BitsAndBytesConfig

    config_class: Any = BitsAndBytesConfig
    config = config_class(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    return {"quantization_config": config, "device_map": {"": 0}}


class LoadedLLM:
    """A model and its tokenizer. Not safe to use from two threads at once."""

    def __init__(
        self,
        name: str,
        tokenizer: PreTrainedTokenizerBase,
        model: Any,
        device: Literal["cpu", "cuda"],
    ) -> None:
        """`model` is a transformers model that generates, which its annotations do not state."""
        self.device = device
        self._name = name
        self._tokenizer = tokenizer
        self._model = model
        ends = model.generation_config.eos_token_id if model.generation_config is not None else None
        ends = tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset([ends] if isinstance(ends, int) else ends or ())
        pad = tokenizer.pad_token_id
        self._pad = pad if isinstance(pad, int) else min(self._ends, default=0)

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def tokenise(self, prompt: Prompt, limit: int) -> PromptTokens:
        """`prompt` in tokens; `limit` is cut to the rest of the context. Raises GenerationFailed where none is left."""
        if self._tokenizer.chat_template:
            tokens = self._tokenizer(self._chat(prompt), add_special_tokens=False)["input_ids"]
        else:
            tokens = self._tokenizer(plain_text(prompt))["input_ids"]
        longest = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        if isinstance(longest, int):
            if len(tokens) >= longest:
                raise GenerationFailed(
                    f"The prompt ({len(tokens)} tokens) is longer than “{self._name}” can read ({longest}); "
                    "give fewer passages (a smaller k), or a model with a longer context."
                )
            limit = min(limit, longest - len(tokens))
        return PromptTokens(list(tokens), limit, prompt.temperature if isinstance(prompt, SampledPrompt) else 0.0)

    def complete(self, prompts: Sequence[PromptTokens], emit: Callable[[str], None] | None = None) -> list[Completion]:
        """The answers to prompts generated together, all greedily or all at one temperature.

        `emit` gets the pieces of a single one as they arrive, and may end it by raising. Raises GenerationFailed where
        memory does not suffice.
        """
        import torch

        width = max(len(one.tokens) for one in prompts)
        padded = [[self._pad] * (width - len(one.tokens)) + one.tokens for one in prompts]
        attention = [[0] * (width - len(one.tokens)) + [1] * len(one.tokens) for one in prompts]
        try:
            with torch.inference_mode():
                rows = self._model.generate(
                    input_ids=torch.tensor(padded, device=self.device),
                    attention_mask=torch.tensor(attention, device=self.device),
                    max_new_tokens=min(one.limit for one in prompts),
                    do_sample=prompts[0].temperature > 0,
                    num_beams=1,
                    temperature=prompts[0].temperature or None,
                    top_p=None,
                    top_k=None,
                    pad_token_id=self._pad,
                    eos_token_id=sorted(self._ends) or None,
                    streamer=_streamer(self._decode, emit) if emit else None,
                )
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            torch.cuda.empty_cache()
            raise GenerationFailed(
                f"There is not enough memory for “{self._name}”; give fewer passages (a smaller k), a smaller model, "
                "or on a GPU quantised: int4."
            ) from None
        return [self._completion(one, row[width:].tolist()) for one, row in zip(prompts, rows, strict=True)]

    def _completion(self, prompt: PromptTokens, tokens: list[int]) -> Completion:
        end = next((at for at, token in enumerate(tokens) if token in self._ends), None)
        count = len(tokens) if end is None else end + 1
        return Completion(self._decode(tokens[:count]), len(prompt.tokens), count, end is not None)

    def _decode(self, tokens: list[int]) -> str:
        text = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return str(text)

    def _chat(self, prompt: Prompt) -> str:
        messages = chat_messages(self._tokenizer, prompt)
        return str(self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False))


def chat_messages(tokenizer: PreTrainedTokenizerBase, prompt: Prompt) -> list[dict[str, str]]:
    """The turns for the model's template, with the instructions in the user's turn where it has no system role."""
    from jinja2 import TemplateError

    with_system = [{"role": turn.role, "content": turn.text} for turn in turns(prompt, system_role=True)]
    try:
        text = str(tokenizer.apply_chat_template(with_system, tokenize=False))
    except TemplateError:
        text = ""
    if text and prompt.system.strip() in text:
        return with_system
    return [{"role": turn.role, "content": turn.text} for turn in turns(prompt, system_role=False)]


def _streamer(decode: Callable[[list[int]], str], emit: Callable[[str], None]) -> Any:
    """A streamer that emits each new piece of text once its characters are complete.

    Unlike transformers' own streamers it does not wait for a space, which Thai and Japanese do not write.
    """
    from transformers.generation.streamers import BaseStreamer

    class Pieces(BaseStreamer):
        def __init__(self) -> None:
            self.tokens: list[int] | None = None
            self.emitted = ""

        def put(self, value: Any) -> None:
            if self.tokens is None:  # the prompt comes first
                self.tokens = []
                return
            self.tokens.extend(value.flatten().tolist())
            self.show(decode(self.tokens), complete=False)

        def end(self) -> None:
            self.show(decode(self.tokens or []), complete=True)

        def show(self, text: str, *, complete: bool) -> None:
            text = text.lstrip()
            if not text.startswith(self.emitted) or (text.endswith(INCOMPLETE) and not complete):
                emit("")
                return
            emit(text[len(self.emitted) :])
            self.emitted = text

    return Pieces()


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
        self._device: Device = device
        self._adapter_version = ""
        self._resident = Resident(files, device, lambda where: load_llm(files, quantised, where))

    def with_limits(self, limits: TokenLimits) -> HuggingFaceGenerator:
        """The same model with other limits; both share one copy in memory."""
        other = copy(self)
        other._limits = limits
        return other

    def with_adapter(self, adapter: Path, version: str) -> HuggingFaceGenerator:
        """The model with the adapter in a folder, in a copy of its own in memory.

        `version` stands for the adapter's content in the identity.
        """
        other = copy(self)
        other._adapter_version = version
        files, quantised = self._files, self._quantised
        other._resident = Resident(files, self._device, lambda where: load_llm(files, quantised, where, adapter))
        return other

    @property
    def files(self) -> LocalModel:
        """The model's files."""
        return self._files

    @property
    def is_adapted(self) -> bool:
        """Whether it has an adapter."""
        return bool(self._adapter_version)

    @property
    def identity(self) -> str:
        """Weights, adapter, quantisation, token limits and the versions of the packages that compute."""
        adapter = {"adapter": self._adapter_version} if self.is_adapted else {}
        return self._files.identity_as(
            "huggingface",
            ("transformers", "torch", *(["peft"] if adapter else [])),
            version=VERSION,
            quantised=self._quantised,
            tokens=[self._limits.short, self._limits.dialectic],
            **adapter,
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
