"""Errors as clients get them: a status and {"error": {"message", "type", "code"}}, as OpenAI's API has them.

A message is one or two sentences. It names no path of this machine; keys are never part of one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import regex
from pydantic import BaseModel
from starlette.responses import Response

from workbench.core import DataError, GenerationFailed, TranslationFailed, UsageError, WorkbenchError
from workbench.workspace import NotAllowed

PATH = regex.compile(r"(?<![\w:/.])(?:~|\.{0,2})/(?:[\w.@+-]+/)*[\w.@+-]+|\b[A-Za-z]:\\[^\s”\"']+")
"""A path of this machine, not the path of a web address."""
TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
"""The types of errors by status; others are invalid requests below 500 and errors of the server from there."""


class ErrorFacts(BaseModel):
    """The sentence for people, the kind of error and the code for programs."""

    message: str
    type: str
    code: str


class ErrorReply(BaseModel):
    """The body of every reply that is an error."""

    error: ErrorFacts


@dataclass
class ApiError(Exception):
    """A request that is not answered: its HTTP status, the sentence for people and the code for programs."""

    status: int
    message: str
    code: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        """The error as clients get it."""
        kind = TYPES.get(HTTPStatus(self.status), "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": self.message, "type": kind, "code": self.code}}

    @property
    def response(self) -> Response:
        """The error as a response."""
        return json_response(self.body, self.status, self.headers)


class HungUp(Exception):
    """The client is gone."""


UNEXPECTED = ApiError(
    500, "Something unexpected went wrong; the server's operator finds the details in its workspace.", "unexpected"
)


def api_error(error: WorkbenchError) -> ApiError:
    """What a client is given for an error of the workbench.

    403 for what its role may not do, 400 for its input, 502 for a model, else 503.
    """
    message = without_paths(error.on_screen or str(error))
    if isinstance(error, NotAllowed):
        return ApiError(403, message, "not_allowed")
    if isinstance(error, UsageError) and not isinstance(error, DataError):
        return ApiError(400, message, "invalid_request")
    if isinstance(error, GenerationFailed | TranslationFailed):
        return ApiError(502, message, "model_failed")
    return ApiError(503, message, "not_available")


def without_paths(text: str) -> str:
    """`text` with “…” in place of paths.

    >>> without_paths("No file “/home/me/model.bin”; see https://example.org/help.")
    'No file “…”; see https://example.org/help.'
    """
    return PATH.sub("…", text)


def json_bytes(value: object) -> bytes:
    """`value` as JSON in UTF-8; half a character, which a client may have sent, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """`value` as a response in JSON."""
    return Response(json_bytes(value), status, dict(headers or {}), media_type="application/json")
