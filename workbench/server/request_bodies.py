"""What clients send: each body as a model, read from JSON with one sentence for the first thing that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.core import shorten
from workbench.server.api_errors import ApiError
from workbench.workspace import QUESTION_LIMIT

Body = TypeVar("Body", bound=BaseModel)
MESSAGES_LIMIT = 1_000
LANGUAGE_WORDS = "ISO 639 code of the question's language, such as fi; detected where left out."
DEPTH_WORDS = "The body is nested too deeply."


class QuestionBody(BaseModel):
    """A question for `/v1/ask`, `/v1/stream` and `/v1/retrieve`."""

    model_config = ConfigDict(extra="forbid", title="Question")

    question: str = Field(description=f"1 to {QUESTION_LIMIT:,} characters.", examples=["Kuka keksi radion?"])
    language: str | None = Field(default=None, description=LANGUAGE_WORDS, examples=["fi"])


class TextPart(BaseModel):
    """One part of a message's content."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["text"]
    text: str


class ChatTurn(BaseModel):
    """One message of a chat. Only the last one, the user's question, is answered."""

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

    language: str | None = Field(default=None, description=LANGUAGE_WORDS, examples=["fi"])


class ResponseFormat(BaseModel):
    """The form of the answer: plain text alone."""

    type: str


Ignored = Annotated[Any, Field(default=None, description="Accepted and not used: the recipe decides.")]
Unsupported = Annotated[Any, Field(default=None, description="Refused unless it asks for nothing.")]


class ChatBody(BaseModel):
    """OpenAI's request for a chat completion; what the recipe decides is accepted and not used."""

    model_config = ConfigDict(extra="forbid", title="ChatCompletionRequest")

    model: str = Field(description="The recipe's name, as GET /v1/models lists it.")
    messages: list[ChatTurn] = Field(min_length=1, max_length=MESSAGES_LIMIT)
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
        """The text of the last message. Raises ApiError where that is not the user's."""
        last = self.messages[-1]
        if last.role != "user":
            raise ApiError(
                400,
                f"The last message is from “{last.role}”; the question must come last, as a message from “user”.",
                "invalid_request",
            )
        return last.text

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


def parse_body(model: type[Body], content: bytes) -> Body:
    """The body in `content`. Raises ApiError, 400, for the first thing that is wrong with it."""
    try:
        data = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise _bad("The body is not UTF-8: send JSON in UTF-8.") from None
    except RecursionError:
        raise _bad(DEPTH_WORDS) from None
    except ValueError:
        raise _bad("The body is not JSON: send an object such as " + _example(model)) from None
    if not isinstance(data, dict):
        raise _bad("The body is not a JSON object: send one such as " + _example(model))
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _bad(_sentence(model, error)) from None
    except RecursionError:
        raise _bad(DEPTH_WORDS) from None


def _bad(message: str) -> ApiError:
    return ApiError(400, message, "invalid_request")


def _sentence(model: type[BaseModel], error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = shorten(".".join(map(str, first["loc"])))
    if first["type"] == "extra_forbidden":
        names: Iterable[str] = model.model_fields
        allowed = f" Allowed: {', '.join(names)}." if len(first["loc"]) == 1 else ""
        return f"Unknown field “{place}”.{allowed}"
    if first["type"] == "string_unicode":
        return "The body holds half a character (an unpaired \\ud800 to \\udfff): send it without."
    if first["type"] == "missing":
        return f"The field “{place}” is missing: send an object such as {_example(model)}"
    return f"The field “{place}” is “{shorten(first['input'])}”. {first['msg']}."


def _example(model: type[BaseModel]) -> str:
    if model is ChatBody:
        return '{"model": "RECIPE", "messages": [{"role": "user", "content": "Kuka keksi radion?"}]}'
    return '{"question": "Kuka keksi radion?", "language": "fi"}'
