"""The description of the API: OpenAPI 3.1 as JSON, and a page that shows it without anything from another host."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from workbench.server.replies import AskReply, RetrieveReply
from workbench.server.request_bodies import ChatBody, QuestionBody

VERSION = "1"
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
}
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{overflow:auto;padding:.75rem;border:1px solid #8888;border-radius:.4rem}h2{margin-top:2rem;font-size:1.1rem}"
)
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "code"],
            "properties": {name: {"type": "string"} for name in ("message", "type", "code")},
        }
    },
}
STATUSES = {
    "400": "The request is wrong; the message states what and what to send.",
    "401": "The key is missing or not one of this service.",
    "413": "The body is too long.",
    "429": "All workers are busy and the queue is full; Retry-After states when to come back.",
    "502": "A model or translator failed.",
    "503": "Something that the recipe needs is not available.",
    "504": "There was no answer in time.",
}
SUMMARIES: Mapping[tuple[str, str], tuple[str, str]] = {
    ("post", "/v1/ask"): ("Answer a question", "The complete answer with its evidence."),
    ("post", "/v1/retrieve"): ("Search for a question", "The evidence alone; no generator is called."),
    ("post", "/v1/stream"): (
        "Answer a question as it is written",
        "Server-sent events: `evidence`, `token` for each piece that the generator writes, then `done` with the "
        "complete answer, or `error`.",
    ),
    ("post", "/v1/chat/completions"): (
        "OpenAI's chat completions",
        "The last message is the question. Earlier messages are not used: the recipe decides the prompt.",
    ),
    ("get", "/v1/models"): ("List the recipe", "The recipe's name, as OpenAI lists models."),
    ("get", "/health"): ("Health", "Whether the service answers; needs no key."),
    ("get", "/metrics"): ("Figures for Prometheus", "Counts and times by route."),
}
BODIES: Mapping[str, type[BaseModel]] = {
    "/v1/ask": QuestionBody,
    "/v1/retrieve": QuestionBody,
    "/v1/stream": QuestionBody,
    "/v1/chat/completions": ChatBody,
}
REPLIES: Mapping[str, type[BaseModel]] = {"/v1/ask": AskReply, "/v1/retrieve": RetrieveReply}


def openapi(name: str) -> dict[str, Any]:
    """The description of the API that serves the recipe called `name`."""
    models = dict.fromkeys((*BODIES.values(), *REPLIES.values()))
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for (method, path), (summary, description) in SUMMARIES.items():
        paths.setdefault(path, {})[method] = _operation(path, summary, description)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"mRAG workbench: recipe {name}", "version": VERSION},
        "paths": paths,
        "components": {
            "schemas": {**schemas["$defs"], "Error": ERROR},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }


def page(description: Mapping[str, Any]) -> str:
    """The description as a page of its own."""
    return "".join(_page_parts(description))


def _operation(path: str, summary: str, description: str) -> dict[str, Any]:
    streams = (
        "text/event-stream" if path == "/v1/stream" else "text/plain" if path == "/metrics" else "application/json"
    )
    schema: dict[str, Any] = _reference(REPLIES[path]) if path in REPLIES else {}
    operation: dict[str, Any] = {
        "summary": summary,
        "description": description,
        "responses": {"200": {"description": "Done.", "content": {streams: {"schema": schema}}}},
    }
    if path in BODIES:
        content = {"application/json": {"schema": _reference(BODIES[path])}}
        operation["requestBody"] = {"required": True, "content": content}
        error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        operation["responses"] |= {
            status: {"description": meaning, "content": error} for status, meaning in STATUSES.items()
        }
    return operation


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def _page_parts(description: Mapping[str, Any]) -> Iterator[str]:
    title = html.escape(description["info"]["title"])
    yield f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    yield f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
    yield '<p>This page as data: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>'
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            yield f"<h2><code>{method.upper()} {html.escape(path)}</code> · {html.escape(operation['summary'])}</h2>"
            yield f"<p>{html.escape(operation['description'])}</p>"
            if path in BODIES:
                yield f"<p>Body: <code>{BODIES[path].__name__}</code>"
                yield f", reply: <code>{REPLIES[path].__name__}</code></p>" if path in REPLIES else "</p>"
    yield "<h2>Errors</h2><ul>"
    yield from (f"<li>{status}: {html.escape(meaning)}</li>" for status, meaning in STATUSES.items())
    yield "</ul><h2>Schemas</h2>"
    for name, schema in description["components"]["schemas"].items():
        text = html.escape(json.dumps(schema, ensure_ascii=False, indent=2))
        yield f"<details><summary><code>{html.escape(name)}</code></summary><pre>{text}</pre></details>"
    yield "</body></html>"
