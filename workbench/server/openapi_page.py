"""The description of the API as a page that loads nothing from another host."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any

PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
}
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{overflow:auto;padding:.75rem;border:1px solid #8888;border-radius:.4rem}h2{margin-top:2rem;font-size:1.1rem}"
)


def page(description: Mapping[str, Any]) -> str:
    """The OpenAPI description as a page of its own."""
    return "".join(_blocks(description))


def _blocks(description: Mapping[str, Any]) -> Iterator[str]:
    title = html.escape(description["info"]["title"])
    yield f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    yield f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
    yield '<p>This page as data: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>'
    errors: dict[str, str] = {}
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            yield f"<h2><code>{method.upper()} {html.escape(path)}</code> · {html.escape(operation['summary'])}</h2>"
            yield f"<p>{html.escape(operation['description'])}</p>"
            body, reply = _schema(operation.get("requestBody")), _schema(operation["responses"]["200"])
            if body:
                yield f"<p>Body: <code>{html.escape(body)}</code>"
                yield f", reply: <code>{html.escape(reply)}</code></p>" if reply else "</p>"
            errors |= {code: reply["description"] for code, reply in operation["responses"].items() if code != "200"}
    yield "<h2>Errors</h2><ul>"
    yield from (f"<li>{status}: {html.escape(meaning)}</li>" for status, meaning in errors.items())
    yield "</ul><h2>Schemas</h2>"
    for name, schema in description["components"]["schemas"].items():
        text = html.escape(json.dumps(schema, ensure_ascii=False, indent=2))
        yield f"<details><summary><code>{html.escape(name)}</code></summary><pre>{text}</pre></details>"
    yield "</body></html>"


def _schema(content: Mapping[str, Any] | None) -> str:
    """The name of the schema of a body or a reply in JSON, "" where it has none."""
    media = (content or {}).get("content", {}).get("application/json", {})
    return str(media.get("schema", {}).get("$ref", "")).rpartition("/")[2]
