"""What clients send: a body read within limits, as a model, with one sentence for the first thing that is wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Annotated, Any, Literal, cast

from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from workbench.core import Message, shorten
from workbench.server.api_errors import ApiError, HungUp
from workbench.workspace import QUESTION_LIMIT

BODY_BYTES = 1 << 20
"""Bytes of a body; the longest question takes under 10,000."""
BODY_SECONDS = 30.0
"""How long a body may take to arrive."""
DRAIN_BYTES = 32 << 20
"""Bytes that are read and thrown away of a body that is too long, so that its client reads why."""
MESSAGES_LIMIT = 1_000
LANGUAGE_HELP = "ISO 639 code of the question's language, such as fi; detected where left out."


class QuestionBody(BaseModel):
    """A question for `/v1/ask`, `/v1/stream` and `/v1/retrieve`."""

    model_config = ConfigDict(
        extra="forbid",
        title="Question",
        json_schema_extra={"example": {"question": "Kuka keksi radion?", "language": "fi"}},
    )

    question: str = Field(description=f"1 to {QUESTION_LIMIT:,} characters.", examples=["Kuka keksi radion?"])
    language: str | None = Field(default=None, description=LANGUAGE_HELP, examples=["fi"])


class TextPart(BaseModel):
    """One part of a message's content."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["text"]
    text: str


class ChatTurn(BaseModel):
    """One message of a chat: the last one is the user's question, those before it its conversation."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None
    name: str | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    function_call: Any = None
    audio: Any = None
    annotations: list[Any] | None = None

    @property
    def text(self) -> str:
        """The message's text, its parts one per line."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content)


class StreamOptions(BaseModel):
    """What a stream carries besides its text."""

    model_config = ConfigDict(extra="forbid")

    include_usage: bool = False
    include_obfuscation: bool = False


class ChatMetadata(BaseModel):
    """Further facts on a request. `language` is read, all else is the client's."""

    model_config = ConfigDict(extra="allow")

    language: str | None = Field(default=None, description=LANGUAGE_HELP, examples=["fi"])


class ResponseFormat(BaseModel):
    """The form of the answer: plain text alone."""

    type: str


Ignored = Annotated[Any, Field(default=None, description="Accepted and not used: the recipe decides.")]
Unsupported = Annotated[Any, Field(default=None, description="Refused unless it asks for nothing.")]


class ChatBody(BaseModel):
    """OpenAI's request for a chat completion; what the recipe decides is accepted and not used."""

    model_config = ConfigDict(
        extra="forbid",
        title="ChatCompletionRequest",
        json_schema_extra={
            "example": {"model": "RECIPE", "messages": [{"role": "user", "content": "Kuka keksi radion?"}]}
        },
    )

    model: str = Field(description="The recipe's name, as GET /v1/models lists it.")
    messages: list[ChatTurn] = Field(description=f"1 to {MESSAGES_LIMIT:,} messages; the last one is the question.")
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    metadata: ChatMetadata | None = None
    n: int | None = None
    response_format: ResponseFormat | None = None
    temperature: Ignored
    top_p: Ignored
    max_tokens: Ignored
    max_completion_tokens: Ignored
    seed: Ignored
    user: Ignored
    safety_identifier: Ignored
    prompt_cache_key: Ignored
    presence_penalty: Ignored
    frequency_penalty: Ignored
    logit_bias: Ignored
    reasoning_effort: Ignored
    verbosity: Ignored
    store: Ignored
    service_tier: Ignored
    parallel_tool_calls: Ignored
    tool_choice: Ignored
    tools: Unsupported
    functions: Unsupported
    logprobs: Unsupported
    top_logprobs: Unsupported
    stop: Unsupported
    modalities: list[str] | None = None

    @property
    def question(self) -> str:
        """The text of the last message. Raises ApiError where there is none, or that is not the user's."""
        count = len(self.messages)
        if not 1 <= count <= MESSAGES_LIMIT:
            raise _bad(
                f"The field “messages” has {count:,} messages; allowed are 1 to {MESSAGES_LIMIT:,}. Send the question "
                f"as the last one, such as {_example(ChatBody)}"
            )
        last = self.messages[-1]
        if last.role != "user":
            raise _bad(
                f"The last message is from “{last.role}”; the question must come last, as a message from “user”.",
            )
        return last.text

    @property
    def conversation(self) -> tuple[Message, ...]:
        """What the user and the assistant said before the question; not what steers a model or calls a tool."""
        earlier = self.messages[:-1]
        return tuple(Message(item.role, item.text) for item in earlier if item.role in ("user", "assistant"))

    @property
    def language(self) -> str | None:
        """The language that the metadata name, None where they name none."""
        return self.metadata.language if self.metadata else None

    def check_form(self) -> None:
        """Raises ApiError for a form of answer that a recipe does not give."""
        for name in ("tools", "functions", "logprobs", "top_logprobs", "stop"):
            if getattr(self, name):
                raise _unsupported(name, "leave it out")
        if self.n not in (None, 1):
            raise _unsupported("n", "a recipe gives one answer, so leave it out or send 1")
        if self.response_format is not None and self.response_format.type != "text":
            raise _unsupported("response_format", "an answer is plain text, so leave it out")
        if self.modalities not in (None, ["text"]):
            raise _unsupported("modalities", "an answer is text, so leave it out")


def _unsupported(name: str, remedy: str) -> ApiError:
    return ApiError(400, f"“{name}” is not supported by a recipe: {remedy}.", "unsupported")


class BodyRoute(APIRoute):
    """A route of FastAPI's that raises ApiError for a body that is too long, too slow or wrong.

    FastAPI describes its endpoint and finds it; its own handler would parse and check a body a second time.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Reads the body, and calls the endpoint with its model and the request."""
        if self.body_field is None:
            return super().get_route_handler()
        model, endpoint = cast(type[BaseModel], self.body_field.field_info.annotation), self.endpoint

        async def read_and_answer(request: Request) -> Response:
            data = _json_object(await read_body(request), model)
            try:
                body = model.model_validate(data)
            except ValidationError as error:
                raise _bad(_sentence(model, error.errors()[0])) from None
            return cast(Response, await endpoint(body, request))

        return read_and_answer


async def read_body(request: Request) -> bytes:
    """The body of a request in JSON. Raises ApiError: 415, 413 where it is too long, 408 where it is too slow."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if media_type != "application/json":
        raise ApiError(415, "Send the body as JSON, with the header “Content-Type: application/json”.", "not_json")
    too_large = ApiError(
        413,
        f"The body has more than {BODY_BYTES:,} bytes, the most that are allowed.",
        "too_large",
        {"Connection": "close"},
    )
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > DRAIN_BYTES:
        raise too_large
    content, length = bytearray(), 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise HungUp
                chunk = message.get("body", b"")
                length += len(chunk)
                if length <= BODY_BYTES:
                    content += chunk
                if not message.get("more_body") or length > DRAIN_BYTES:
                    break
    except TimeoutError:
        raise ApiError(408, f"The body did not arrive within {BODY_SECONDS:g} seconds.", "timeout") from None
    if length > BODY_BYTES:
        raise too_large
    return bytes(content)


def _json_object(content: bytes, model: type[BaseModel]) -> dict[str, Any]:
    try:
        data = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise _bad("The body is not UTF-8: send JSON in UTF-8.") from None
    except RecursionError:
        raise _bad("The body is nested too deeply.") from None
    except ValueError:
        raise _bad("The body is not JSON: send an object such as " + _example(model)) from None
    if not isinstance(data, dict):
        raise _bad("The body is not a JSON object: send one such as " + _example(model))
    return data


def _bad(message: str) -> ApiError:
    return ApiError(400, message, "invalid_request")


KINDS = {
    "string": "a text",
    "bool": "true or false",
    "int": "a whole number",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
}
"""What a field must be, by how the names of pydantic's errors begin; its messages are written for programmers."""


def _sentence(model: type[BaseModel], error: Mapping[str, Any]) -> str:
    # Pydantic adds which of a content's two kinds it tried.
    path = [item for item in error["loc"] if item not in ("str", "list[TextPart]")]
    name = shorten(".".join(map(str, path)))
    if error["type"] == "extra_forbidden":
        allowed = f" Allowed: {', '.join(model.model_fields)}." if len(path) == 1 else ""
        return f"Unknown field “{name}”.{allowed}"
    if error["type"] == "string_unicode":
        return "The body contains an invalid character (an unpaired surrogate): send it without."
    if error["type"] == "missing":
        return f"The field “{name}” is missing: send an object such as {_example(model)}"
    if error["type"] == "literal_error":
        kind = f"one of {error['ctx']['expected']}"
    else:
        kind = next((words for start, words in KINDS.items() if error["type"].startswith(start)), "of another kind")
    given = shorten(json.dumps(error["input"], ensure_ascii=False))
    return f"The field “{name}” is {given}; it must be {kind}. Send an object such as {_example(model)}"


def _example(model: type[BaseModel]) -> str:
    return json.dumps(model.model_json_schema()["example"], ensure_ascii=False)
