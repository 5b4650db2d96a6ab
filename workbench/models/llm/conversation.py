"""What a language model reads and writes: turns or plain text, limits of tokens, and an answer while it is written.

Limits: 128 new tokens for short answers, Chirkova et al. (2024); 2,048 for dialectic ones, Ranaldi et al. (2025,
D-RAG), and for translations by a language model, Ranaldi et al. (2025, CrossRAG).

A screen shows the text of a `Stream` as it arrives and, when it ends, reads `Stream.generation`. A stop event ends it
within a second and keeps what has arrived, marked `stopped`; such a partial answer must not be cached. The answer is
the generator's text without what it wrote while thinking (`core.without_thinking`). While it is written, thoughts are
left out, and whatever may still become part of one, or may be trimmed, is held back, so that what was shown together is
the answer that is read from the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from workbench.core import THINKING, Generation, GenerationFailed, Generator, Prompt, Task

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """The most new tokens that a short and a dialectic answer may have."""

    short: int = 128
    dialectic: int = 2048

    @classmethod
    def of(cls, max_new_tokens: int | None) -> TokenLimits:
        """The limits of a recipe: the same number for every answer, or for None each task's default."""
        return cls() if max_new_tokens is None else cls(max_new_tokens, max_new_tokens)

    def for_prompt(self, prompt: Prompt) -> int:
        """The limit in new tokens: `dialectic` where the task of `prompt` is dialectic, else `short`."""
        return self.dialectic if prompt.task.dialectic else self.short


JUDGE_LIMITS = TokenLimits(short=512)
"""A judge thinks before its verdict, which a limit for short answers would cut off."""
TRANSLATION_LIMITS = TokenLimits(short=2048)
"""A passage in another language has more tokens than an answer: Ranaldi et al. (2025, CrossRAG), section 3.2."""
REWRITING_LIMITS = TokenLimits(short=512)
"""A passage of HyDE, a list of questions or notes on documents, with room for scripts of many tokens per word."""
RANKING_LIMITS = TokenLimits(short=512)
"""RankGPT's list of a window of 20 passages takes about 120 tokens, and some models think before it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a chat: who speaks, and the text."""

    role: Literal["system", "user"]
    text: str


def turns(prompt: Prompt, *, system_role: bool) -> tuple[Turn, ...]:
    """System and user turn; for a model without a system role, one user turn that begins with the instructions."""
    if not prompt.system.strip():
        return (Turn("user", prompt.user),)
    if system_role:
        return (Turn("system", prompt.system), Turn("user", prompt.user))
    return (Turn("user", f"{prompt.system}\n\n{prompt.user}"),)


def plain_text(prompt: Prompt) -> str:
    """The prompt as one text, for a model that was not trained to chat: it continues where the text ends."""
    return "\n\n".join(part for part in (prompt.system, prompt.user) if part.strip()) + "\n"


TAGS = ("<think>", "<thinking>")


class LiveText:
    """The pieces of one answer: `feed` gives what can be shown of them, `finish` the rest of the answer."""

    def __init__(self) -> None:
        self._raw = ""
        self.shown = ""

    def feed(self, piece: str) -> str:
        """What can be shown now that `piece` has come; "" where there is nothing new.

        >>> live = LiveText()
        >>> [live.feed(piece) for piece in ("<thi", "nk>Radio", "?</think> ", "Mar", "coni ", "did")]
        ['', '', '', 'Mar', 'coni', ' did']
        """
        self._raw += piece
        visible = THINKING.sub("", self._raw)
        if len(visible) < len(self._raw):
            visible = visible.lstrip()
        # White space at the end may be trimmed, white space at the beginning may precede a thought.
        visible = _without_tag_start(visible).rstrip()
        if not visible.startswith(self.shown):
            return ""
        new = visible[len(self.shown) :]
        self.shown += new
        return new

    def finish(self, answer: str) -> str:
        """What is missing of the complete `answer`.

        Where what was shown turns out not to be its beginning (a thought whose beginning no tag marked), that is the
        complete answer after an empty line.
        """
        if answer.startswith(self.shown):
            return answer[len(self.shown) :]
        return f"\n\n{answer}"


def _without_tag_start(text: str) -> str:
    """`text` without a beginning of a tag at its end.

    >>> _without_tag_start("1 < 2 <th"), _without_tag_start("1 < 2")
    ('1 < 2 ', '1 < 2')
    """
    start = text.rfind("<")
    if start >= 0 and any(tag.startswith(text[start:].casefold()) for tag in TAGS):
        return text[:start]
    return text


class Stream:
    """The pieces of one answer, to be read once.

    `text` is what has arrived so far, also after a failure.  Reading raises GenerationFailed where the answer breaks
    off, and again whenever it is read after that.
    """

    def __init__(self, pieces: Iterator[str], conclude: Callable[[str], Generation]) -> None:
        """`conclude` makes the record from the complete text; it is called once, when the pieces have ended."""
        self._pieces = pieces
        self._conclude = conclude
        self._generation: Generation | None = None
        self._failure: GenerationFailed | None = None
        self.text = ""

    def __iter__(self) -> Iterator[str]:
        """The stream itself, so that a second loop continues where the first ended."""
        return self

    def __next__(self) -> str:
        """The next piece. Raises StopIteration at the end, GenerationFailed where the answer breaks off."""
        if self._failure is not None:
            raise self._failure  # what has arrived is no complete answer
        try:
            piece = next(self._pieces)
        except GenerationFailed as failure:
            self._failure = failure
            raise
        except StopIteration:
            if self._generation is None:
                self._generation = self._conclude(self.text)
            raise
        self.text += piece
        return piece

    @property
    def generation(self) -> Generation:
        """The complete answer; pieces not yet read are read first. Raises GenerationFailed."""
        for _ in self:
            pass
        assert self._generation is not None, "it is made when the pieces have ended"
        return self._generation


@runtime_checkable
class StreamingGenerator(Protocol):
    """A `protocols.Generator` that can also give one answer in pieces."""

    @property
    def identity(self) -> str:
        """Everything that affects its answers, as text."""
        ...

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt, in order. Raises GenerationFailed."""
        ...

    def stream(self, prompt: Prompt) -> Stream:
        """The answer to `prompt` in pieces; where the work shall stop (`stopping`) they end within a second."""
        ...


CONTEXT_WINDOW = 32_000
"""Tokens that LlamaIndex may plan with; a server that takes fewer refuses the call."""


def as_llama_llm(generator: Generator) -> LLM:
    """A LlamaIndex LLM over `generator`; system messages become the system text, the others follow as one turn.

    Its methods raise what the generator raises.
    """
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata, MessageRole
    from llama_index.core.llms import CustomLLM

    class GeneratorLLM(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(model_name=generator.identity, context_window=CONTEXT_WINDOW, is_chat_model=True)

        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
            return CompletionResponse(text=_answer(generator, "", prompt))

        def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            yield CompletionResponse(text=_answer(generator, "", prompt))

        def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
            system = "\n".join(str(item.content) for item in messages if item.role == MessageRole.SYSTEM)
            turns = "\n\n".join(str(item.content) for item in messages if item.role != MessageRole.SYSTEM)
            message = ChatMessage(role=MessageRole.ASSISTANT, content=_answer(generator, system, turns))
            return ChatResponse(message=message)

    return GeneratorLLM()


def _answer(generator: Generator, system: str, user: str) -> str:
    return generator.generate([Prompt(system, user, Task("", ""))])[0].text
