"""What clients get of an answer: as models that also describe the API, as OpenAI's chat completions, and as events.

What OpenAI's form has no field for is under `workbench`: the complete answer, languages, evidence, and how many
messages before the question were not used. Events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from workbench.app import plain
from workbench.core import Answer, Evidence, Usage
from workbench.server.api_errors import HungUp, json_bytes

SEND_SECONDS = 30.0
"""A client that reads nothing for this long is taken to be gone."""
COMMENT = b": waiting\n\n"
DONE = b"data: [DONE]\n\n"
"""How OpenAI ends a stream."""


class EvidencePassage(BaseModel):
    """A passage as the generator read it."""

    rank: int = Field(description="From 1, best first.")
    id: str
    document: str
    title: str
    language: str
    text: str
    page: int | None = Field(description="Page of its file, from 1; null where it has none.")
    page_end: int | None
    heading: str
    translation: str | None = Field(description="What the generator read in place of the text, where translated.")
    scores: dict[str, float]


class TokenUsage(BaseModel):
    """Tokens that the generator read and wrote."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    estimated: bool = Field(description="Counted from the texts, since the model's server gave no figures.")


class QuestionFacts(BaseModel):
    """The question with its language, under which recipe."""

    model_config = ConfigDict(protected_namespaces=())

    question: str
    language: str
    language_detected: bool = Field(description="The client gave no language, so it was identified.")
    recipe: str
    fingerprint: str = Field(description="Digest of every choice of the recipe.")


class RetrieveReply(QuestionFacts):
    """The evidence of a question."""

    evidence: list[EvidencePassage]
    seconds: float


class AskReply(QuestionFacts):
    """The answer to a question."""

    contextualised: str | None = Field(
        description="The question as rewritten from the conversation, which was answered; null where it stood alone."
    )
    answer: str
    answer_language: str = Field(description='Detected; "" where it cannot be identified.')
    answer_translation: bool = Field(description="The answer was translated into the question's language.")
    note: str = Field(description='What the generator reports of its answer, "" where nothing.')
    finish: str = Field(description='"stop", "length" where the limit of tokens cut it off, "" where unknown.')
    evidence: list[EvidencePassage]
    usage: TokenUsage | None = Field(description="null for a generator that counts no tokens.")
    seconds: float


Reply = dict[str, Any]
"""A reply as JSON has it: plain values, which go from a worker's process to the one that sends them."""


def ask_reply(answer: Answer, facts: Reply) -> Reply:
    """The complete answer; the seconds are known once it is sent."""
    return AskReply(
        **facts,
        contextualised=answer.question if any(step.name == "contextualise" for step in answer.steps) else None,
        answer=answer.text,
        answer_language=answer.answer_language,
        answer_translation=answer.answer_translation is not None,
        note=answer.generation.note,
        finish=answer.generation.finish,
        evidence=_passages(answer.evidence),
        usage=token_usage(answer.generation.usage),
        seconds=0.0,
    ).model_dump(mode="json")


def retrieve_reply(evidence: Sequence[Evidence], facts: Reply) -> Reply:
    """The evidence alone."""
    return RetrieveReply(**facts, evidence=_passages(evidence), seconds=0.0).model_dump(mode="json")


def evidence_passages(evidence: Sequence[Evidence]) -> list[Reply]:
    """The evidence, best first."""
    return [item.model_dump(mode="json") for item in _passages(evidence)]


def _passages(evidence: Sequence[Evidence]) -> list[EvidencePassage]:
    return [
        EvidencePassage(
            **{
                **plain(item.passage),
                "rank": item.rank,
                "page": item.passage.page or None,
                "page_end": item.passage.page_end or None,
                "translation": item.translation and item.translation.text,
                "scores": item.scores,
            }
        )
        for item in evidence
    ]


def token_usage(usage: Usage | None) -> TokenUsage | None:
    """The tokens of a generation, None where none were counted."""
    if usage is None:
        return None
    return TokenUsage(**plain(usage), total_tokens=usage.prompt_tokens + usage.completion_tokens)


@dataclass(frozen=True, slots=True)
class ChatCompletion:
    """One completion: its id and time of creation, which all of its chunks share."""

    model: str
    unused_messages: int
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def complete(self, reply: Reply) -> dict[str, Any]:
        """The completion as one value."""
        message = {"role": "assistant", "content": reply["answer"], "refusal": None}
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

    def closing(self, reply: Reply) -> dict[str, Any]:
        """The chunk that ends the answer."""
        return {**self._chunk({}, finish_reason(reply)), "workbench": self._extra(reply)}

    def usage_chunk(self, reply: Reply) -> dict[str, Any]:
        """The chunk after the last one, for a client that wants the tokens."""
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage(reply)}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _extra(self, reply: Reply) -> dict[str, Any]:
        rest = {name: value for name, value in reply.items() if name != "usage"}
        return {**rest, "unused_messages": self.unused_messages}


def finish_reason(reply: Reply) -> str:
    """OpenAI's word for how the answer ended."""
    return "length" if reply["finish"] == "length" else "stop"


def usage(reply: Reply) -> dict[str, int] | None:
    """The tokens in OpenAI's form, None where none were counted."""
    tokens: dict[str, int] | None = reply["usage"]
    return tokens and {name: number for name, number in tokens.items() if name != "estimated"}


def model_card(name: str, created: int) -> dict[str, Any]:
    """The recipe as OpenAI lists a model."""
    return {"id": name, "object": "model", "created": created, "owned_by": "mrag-workbench"}


def sse(value: object, event: str = "") -> bytes:
    r"""One event with `value` as JSON, under a name where it has one.

    >>> sse({"text": "Mar"}, "token")
    b'event: token\ndata: {"text":"Mar"}\n\n'
    """
    name = f"event: {event}\n".encode() if event else b""
    return name + b"data: " + json_bytes(value) + b"\n\n"


class EventStream(StreamingResponse):
    """A response of events as they come. Their source is closed when the client leaves, and notices that itself."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes, None], status_code: int = 200) -> None:
        super().__init__(events, status_code, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the events, each at once. Raises HungUp where the client is gone or reads nothing."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._events) as events:
            async for event in events:
                try:
                    async with asyncio.timeout(SEND_SECONDS):
                        await send({"type": "http.response.body", "body": event, "more_body": True})
                except TimeoutError:
                    raise HungUp from None
        await send({"type": "http.response.body", "body": b"", "more_body": False})
