"""What a server of models holds: it is asked once, for a moment, and nothing that it says is trusted.

`GET /v1/models` lists the models of every OpenAI-compatible server; Ollama gives their sizes under `/api/tags`. A
redirect is not followed, so that an address leads to its own host alone. Reading ends after so many seconds or bytes,
however slowly or fast the server sends.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Timer
from typing import TYPE_CHECKING, Any

from workbench.core import MissingError
from workbench.models.key_policy import key_for
from workbench.models.llm.endpoint import Endpoint, EndpointConnection

if TYPE_CHECKING:
    import httpx

MOMENT = 0.3
"""Seconds that a server on this machine has for its answer; one that runs needs a hundredth of that."""
BYTES_LIMIT, MODELS_LIMIT, NAME_LIMIT = 4_000_000, 1_000, 200
"""Bytes of an answer, models of a server and characters of a model's name that are read."""
SIZE_LIMIT = 10**15
"""Bytes that no model has."""
OLLAMA = "library"
"""Who Ollama says its models are owned by."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model as its server names it; `size` in bytes, 0 where it is not told, `owner` as the server states it."""

    name: str
    size: int = 0
    owner: str = ""


def served_models(endpoint: Endpoint, seconds: float = MOMENT) -> tuple[ServedModel, ...]:
    """The models that the server at `endpoint` lists, in its order.

    Raises MissingError with why there are none to know of, in a clause, UsageError for a server that may not be called.
    """
    import httpx

    key = key_for(endpoint.url, endpoint.key)
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
    connection = EndpointConnection(endpoint, has_key=bool(key))
    client = connection.client(seconds, seconds)
    client.headers.update(headers)
    # A time-out of httpx begins anew with every byte.
    end, timer = time.monotonic() + seconds, Timer(seconds, connection.hang_up)
    timer.daemon = True
    timer.start()
    try:
        with client:
            listed = _models(_fetched(client, f"{endpoint.url.rstrip('/')}/models"), "data", "id")
            if not any(model.owner == OLLAMA for model in listed):
                return listed
            try:
                address = f"{endpoint.url.rstrip('/').removesuffix('/v1')}/api/tags"
                sizes = {model.name: model.size for model in _models(_fetched(client, address), "models", "name")}
            except (MissingError, httpx.HTTPError):  # the sizes are worth nothing without the names, which are there
                return listed
            return tuple(replace(model, size=sizes.get(model.name, 0)) for model in listed)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        reached = time.monotonic() < end and not isinstance(error, httpx.TimeoutException)
        raise MissingError("nothing answers" if reached else f"no answer within {seconds:g} s") from error
    finally:
        timer.cancel()


def _fetched(client: httpx.Client, address: str) -> Any:
    """The JSON at an address. Raises MissingError for anything else, httpx.HTTPError."""
    with client.stream("GET", address) as response:
        if response.is_redirect:
            raise MissingError("it sends the request on to another address, which is not followed")
        if response.status_code in (401, 403):
            raise MissingError("it answers only with a key: add it as an endpoint, with the variable of its key")
        if response.status_code != 200:
            raise MissingError(f"it answered with HTTP {response.status_code}")
        content = bytearray()
        for piece in response.iter_raw():
            content += piece
            if len(content) > BYTES_LIMIT:
                raise MissingError(f"its answer is longer than {BYTES_LIMIT // 1_000_000} MB")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise MissingError("it did not answer with a list of models") from error


def _models(answer: object, field: str, name: str) -> tuple[ServedModel, ...]:
    entries = answer.get(field) if isinstance(answer, Mapping) else None
    if not isinstance(entries, list):
        raise MissingError("it did not answer with a list of models")
    models = {model.name: model for model in _readable(entries, name)}
    return tuple(models.values())[:MODELS_LIMIT]


def _readable(entries: list[object], name: str) -> Iterator[ServedModel]:
    """The entries with a name that can be shown and typed."""
    for entry in entries:
        title = entry.get(name) if isinstance(entry, Mapping) else None
        if isinstance(entry, Mapping) and isinstance(title, str) and 0 < len(title) <= NAME_LIMIT:
            # llama.cpp tells the size among its `meta`.
            facts = entry["meta"] if isinstance(entry.get("meta"), Mapping) else entry
            size = facts.get("size")
            if title.isprintable() and title == title.strip():
                size = size if isinstance(size, int) and 0 < size < SIZE_LIMIT else 0
                yield ServedModel(title, size, str(entry.get("owned_by", "")))
