"""One of our generators as a LlamaIndex LLM, for LlamaIndex's own parts that want one (RankGPT, query transforms)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.protocols import Generator
from workbench.records import Prompt, Task

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

WINDOW = 32_000
"""Tokens that LlamaIndex may plan with; a server that takes fewer says so when it is asked."""


def as_llama_llm(generator: Generator) -> LLM:
    """A LlamaIndex LLM that asks `generator`; system messages become the system text, the others follow as one turn.

    What it is asked raises what the generator raises.
    """
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata, MessageRole
    from llama_index.core.llms import CustomLLM

    class Asked(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(model_name=generator.identity, context_window=WINDOW, is_chat_model=True)

        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
            return CompletionResponse(text=_ask(generator, "", prompt))

        def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            yield CompletionResponse(text=_ask(generator, "", prompt))

        def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
            system = "\n".join(str(item.content) for item in messages if item.role == MessageRole.SYSTEM)
            turns = "\n\n".join(str(item.content) for item in messages if item.role != MessageRole.SYSTEM)
            message = ChatMessage(role=MessageRole.ASSISTANT, content=_ask(generator, system, turns))
            return ChatResponse(message=message)

    return Asked()


def _ask(generator: Generator, system: str, user: str) -> str:
    return generator.generate([Prompt(system, user, Task("", ""))])[0].text
