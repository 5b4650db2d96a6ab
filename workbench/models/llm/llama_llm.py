"""One of our generators as a LlamaIndex LLM, for the parts of LlamaIndex that need one (RankGPT, query transforms)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import Generator, Prompt, Task

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

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
