"""An answer in the form of OpenAI's chat completions, complete and in chunks.

What OpenAI's form has no place for is under `workbench`: the complete answer, languages, evidence, and how many
messages before the question were not used.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from workbench.server.replies import AskReply


@dataclass(frozen=True, slots=True)
class ChatCompletion:
    """One completion: its id and time of creation, which all of its chunks share."""

    model: str
    unused_messages: int
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def complete(self, reply: AskReply) -> dict[str, Any]:
        """The completion as one value."""
        message = {"role": "assistant", "content": reply.answer, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(reply)}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": usage(reply),
            "workbench": self._extra(reply),
        }

    def opening(self) -> dict[str, Any]:
        """The first chunk, which says who speaks."""
        return self._chunk({"role": "assistant", "content": ""})

    def piece(self, text: str) -> dict[str, Any]:
        """A chunk with a piece of the answer."""
        return self._chunk({"content": text})

    def closing(self, reply: AskReply) -> dict[str, Any]:
        """The chunk that ends the answer."""
        return {**self._chunk({}, finish_reason(reply)), "workbench": self._extra(reply)}

    def usage_chunk(self, reply: AskReply) -> dict[str, Any]:
        """The chunk after the last one, for a client that wants the tokens."""
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage(reply)}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _extra(self, reply: AskReply) -> dict[str, Any]:
        return {**reply.model_dump(mode="json", exclude={"usage"}), "unused_messages": self.unused_messages}


def finish_reason(reply: AskReply) -> str:
    """OpenAI's word for how the answer ended."""
    return "length" if reply.finish == "length" else "stop"


def usage(reply: AskReply) -> dict[str, int] | None:
    """The tokens in OpenAI's form, None where none were counted."""
    if reply.usage is None:
        return None
    return reply.usage.model_dump(exclude={"estimated"})


def model_card(name: str, created: int) -> dict[str, Any]:
    """The recipe as OpenAI lists a model."""
    return {"id": name, "object": "model", "created": created, "owned_by": "mrag-workbench"}
