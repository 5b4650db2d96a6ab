"""A causal language model in memory: found on this machine, loaded, prompts read into tokens, answers written.

Chat models get the turns by their own template; where it has no system role, or silently drops it, the instructions
go into the user's turn.  A model without a template goes on from the plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.errors import GenerationFailed, MissingError, shorten
from workbench.identity import fingerprint
from workbench.llm.conversation import plain, turns
from workbench.models.local import LocalModel, find_model
from workbench.records import Prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Quantised = Literal["none", "int4"]
INCOMPLETE = "\N{REPLACEMENT CHARACTER}"
"""What a decoder shows for a character of which only some bytes are there yet."""


@dataclass(frozen=True, slots=True)
class Read:
    """A prompt in tokens, and how many new ones may follow it."""

    tokens: list[int]
    limit: int


@dataclass(frozen=True, slots=True)
class Written:
    """An answer. `done`: the model ended it, not the limit."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    done: bool


def find(model: str, *, revision: str = "main", facts: str = "") -> LocalModel:
    """The model's files: a folder, a downloaded model of the hub, or a GGUF file. Raises MissingError, UsageError."""
    path = Path(model).expanduser()
    if path.suffix.lower() != ".gguf":
        return find_model(model, revision=revision, facts=facts)
    if not path.is_file():
        raise MissingError(f"There is no file {shorten(path)}; give the path of a .gguf file on this machine.")
    if find_spec("gguf") is None:
        raise MissingError("Reading GGUF files needs a package that is not here; type: python -m pip install gguf")
    about = path.stat()
    return LocalModel(path.name, path.absolute(), fingerprint("gguf", [path.name, about.st_size, about.st_mtime_ns]))


def load(found: LocalModel, quantised: Quantised, device: str) -> Loaded:
    """The model in memory; `device` is torch's name for where.

    Raises MissingError where int4 is asked for and not to be had, or the files cannot be read.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: Literal["cpu", "cuda"] = "cpu" if device == "cpu" else "cuda"
    options: dict[str, Any] = {"local_files_only": True}
    folder = found.folder
    if folder.is_file():
        folder, options["gguf_file"] = folder.parent, folder.name
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **options)
        weights = _quantisation(place) if quantised == "int4" else {"dtype": "auto"}
        model: Any = AutoModelForCausalLM.from_pretrained(folder, **options, **weights)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise MissingError(
            f"The model “{shorten(found.name)}” cannot be loaded ({shorten(error, 160)}); "
            "take a causal language model that this version of transformers knows."
        ) from error
    if quantised == "none":
        model.to(place)
    model.eval()
    return Loaded(shorten(found.name), tokenizer, model, place)


def _quantisation(place: str) -> dict[str, Any]:
    """Options for weights of 4 bits. Raises MissingError."""
    if place != "cuda":
        raise MissingError("int4 needs an NVIDIA GPU, and none is used here; leave out “quantised”.")
    if find_spec("bitsandbytes") is None:
        raise MissingError("int4 needs a package that is not here; type: python -m pip install bitsandbytes")
    import torch
    from transformers import BitsAndBytesConfig

    make: Any = BitsAndBytesConfig
    config = make(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    return {"quantization_config": config, "device_map": {"": 0}}


class Loaded:
    """A model and its tokenizer. Not safe to use from two threads at once."""

    def __init__(
        self,
        name: str,
        tokenizer: PreTrainedTokenizerBase,
        model: Any,
        device: Literal["cpu", "cuda"],
    ) -> None:
        """`model` is a transformers model that generates, whose own annotations do not say so."""
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
        """Tokens of `text`."""
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def read(self, prompt: Prompt, limit: int) -> Read:
        """`prompt` in tokens. Raises GenerationFailed where it fills the model's context."""
        if self._tokenizer.chat_template:
            tokens = self._tokenizer(self._chat(prompt), add_special_tokens=False)["input_ids"]
        else:
            tokens = self._tokenizer(plain(prompt))["input_ids"]
        longest = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        if isinstance(longest, int):
            if len(tokens) >= longest:
                raise GenerationFailed(
                    f"The prompt ({len(tokens)} tokens) is longer than “{self._name}” can read ({longest}); "
                    "give fewer passages (a smaller --k), or a model with a longer context."
                )
            limit = min(limit, longest - len(tokens))
        return Read(list(tokens), limit)

    def write(self, reads: Sequence[Read], give: Callable[[str], None] | None = None) -> list[Written]:
        """The answers to prompts generated together, greedily. `give` gets the pieces of a single one as they come,
        and may end it by raising. Raises GenerationFailed where memory does not suffice.
        """
        import torch

        width = max(len(one.tokens) for one in reads)
        padded = [[self._pad] * (width - len(one.tokens)) + one.tokens for one in reads]
        seen = [[0] * (width - len(one.tokens)) + [1] * len(one.tokens) for one in reads]
        try:
            with torch.inference_mode():
                rows = self._model.generate(
                    input_ids=torch.tensor(padded, device=self.device),
                    attention_mask=torch.tensor(seen, device=self.device),
                    max_new_tokens=min(one.limit for one in reads),
                    do_sample=False,
                    num_beams=1,
                    temperature=None,
                    top_p=None,
                    top_k=None,
                    pad_token_id=self._pad,
                    eos_token_id=sorted(self._ends) or None,
                    streamer=_streamer(self._decode, give) if give else None,
                )
        except (torch.cuda.OutOfMemoryError, MemoryError):
            torch.cuda.empty_cache()
            raise GenerationFailed(
                f"Memory does not suffice for “{self._name}”; give fewer passages (a smaller --k), a smaller model, "
                "or on a GPU quantised: int4."
            ) from None
        return [self._written(one, row[width:].tolist()) for one, row in zip(reads, rows, strict=True)]

    def _written(self, read: Read, tokens: list[int]) -> Written:
        end = next((at for at, token in enumerate(tokens) if token in self._ends), None)
        count = len(tokens) if end is None else end + 1
        return Written(self._decode(tokens[:count]), len(read.tokens), count, end is not None)

    def _decode(self, tokens: list[int]) -> str:
        text = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return str(text)

    def _chat(self, prompt: Prompt) -> str:
        """The turns by the model's template, with the instructions in the user's turn where it takes no others."""
        from jinja2 import TemplateError

        try:
            text = self._render(prompt, system_role=True)
        except TemplateError:
            text = ""
        return text if prompt.system.strip() in text and text else self._render(prompt, system_role=False)

    def _render(self, prompt: Prompt, *, system_role: bool) -> str:
        told = [{"role": turn.role, "content": turn.text} for turn in turns(prompt, system_role=system_role)]
        return str(self._tokenizer.apply_chat_template(told, add_generation_prompt=True, tokenize=False))


def _streamer(decode: Callable[[list[int]], str], give: Callable[[str], None]) -> Any:
    """Gives each new piece of text once its characters are whole. Unlike transformers' own streamers it does not wait
    for a space, which Thai and Japanese do not write.
    """
    from transformers.generation.streamers import BaseStreamer

    class Pieces(BaseStreamer):
        def __init__(self) -> None:
            self.tokens: list[int] | None = None
            self.given = ""

        def put(self, value: Any) -> None:
            if self.tokens is None:  # the prompt comes first
                self.tokens = []
                return
            self.tokens.extend(value.flatten().tolist())
            self.show(decode(self.tokens), whole=False)

        def end(self) -> None:
            self.show(decode(self.tokens or []), whole=True)

        def show(self, text: str, *, whole: bool) -> None:
            text = text.lstrip()
            if not text.startswith(self.given) or (text.endswith(INCOMPLETE) and not whole):
                give("")
                return
            give(text[len(self.given) :])
            self.given = text

    return Pieces()
