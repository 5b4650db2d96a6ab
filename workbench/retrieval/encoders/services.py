"""Embedding services by LlamaIndex's own classes: OpenAI-compatible endpoints, Cohere, or any other by name.

Texts leave the machine unless the endpoint is on it. Keys are read when the embedding is made; it alone keeps them. Of
an embedding at several hosts each call goes to the least busy one, and to another where that one fails. Imported where
such an embedding is made, since httpx takes its time to load.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx

from workbench.core import MissingError
from workbench.models import (
    AT_ONCE,
    EMBEDDING,
    REST,
    TURNS,
    LlamaClass,
    foreign_headers,
    is_host_failure,
    is_this_machine,
    key_for,
    retry_after,
)
from workbench.retrieval.encoders.llama_index_encoder import LlamaIndexEncoder
from workbench.workspace import settings

if TYPE_CHECKING:
    import httpx


HOST_ERRORS = (
    httpx.NetworkError,
    httpx.ConnectTimeout,
    httpx.ReadTimeout,
    httpx.WriteTimeout,
    httpx.RemoteProtocolError,
    httpx.ProxyError,
)
"""What a host that cannot be reached, breaks off or is silent leads to; a wait of our own (PoolTimeout), or a request
that cannot be sent, is not its fault."""


class PooledTransport(httpx.BaseTransport):
    """Sends what is for the first of several addresses to the one whose turn it is.

    A host that fails rests, for as long as it asks, and its call goes to another one, each at most once, while one is
    awake. A call waits for each turn as long as the client's timeout says that it may wait for a connection.
    """

    def __init__(self, clients: Mapping[str, httpx.Client], at_once: int) -> None:
        """`clients` by address, at least one; `at_once`: the calls that each host may be at, 0 for the usual number."""
        self._clients = clients
        self._urls = tuple(clients)
        self._at_once = at_once or AT_ONCE

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response of a host; of the last one that was called where all fail.

        Raises httpx.PoolTimeout where no turn came in time, and the error of the last host that gave no response.
        """
        request.read()
        for _ in self._urls[1:]:
            with TURNS.turn(self._urls, self._at_once, _patience(request)) as url:
                try:
                    response = self._send(request, url)
                except HOST_ERRORS:
                    if not TURNS.rest(url, self._urls):
                        raise
                    continue
                if not self._is_to_move(response, url):
                    return response
        with TURNS.turn(self._urls, self._at_once, _patience(request)) as url:
            return self._send(request, url)

    def _is_to_move(self, response: httpx.Response, url: str) -> bool:
        """Whether the call goes to another host, since this one failed, which then rests, and another is awake."""
        if not (response.is_error and is_host_failure(response.status_code, response.text)):
            return False
        seconds = retry_after(response.headers)
        return TURNS.rest(url, self._urls, REST if seconds is None else seconds)

    def _send(self, request: httpx.Request, url: str) -> httpx.Response:
        # Paths, not addresses: httpx writes an address in its own way (case, default port, international names).
        path = request.url.raw_path.removeprefix(_path(self._urls[0]))
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"host"]
        place = httpx.URL(url).copy_with(raw_path=_path(url) + path)
        return self._clients[url].request(
            request.method, place, headers=headers, content=request.content, extensions=request.extensions
        )


def _path(url: str) -> bytes:
    return httpx.URL(url).raw_path.rstrip(b"/")


def _patience(request: httpx.Request) -> Callable[[], None]:
    """A check that raises httpx.PoolTimeout once the request has waited for its turn as long as it may."""
    seconds = request.extensions.get("timeout", {}).get("pool")
    began = time.monotonic()

    def check() -> None:
        if seconds is not None and time.monotonic() - began > seconds:
            raise httpx.PoolTimeout(f"All hosts were busy for {seconds:g} s.", request=request)

    return check


COHERE = "llama_index.embeddings.cohere:CohereEmbedding"
COHERE_KEY = "COHERE_API_KEY"


def openai_like_encoder(model: str, urls: Sequence[str], key: str, at_once: int = 0) -> LlamaIndexEncoder:
    """Embeddings of an OpenAI-compatible endpoint; `key` names the variable of its key, "" where it needs none.

    `urls` are addresses that serve the same model, called in turn; the first is part of the identity. `at_once`: the
    calls that each host may be at, 0 for the usual number. Raises MissingError where the key is not set, UsageError
    where an endpoint or the key is not allowed.
    """
    values = [key_for(url, key) for url in urls]
    if key and not values[0]:
        raise _missing(key)
    from llama_index.embeddings.openai import OpenAIEmbedding

    embedding = OpenAIEmbedding(
        model_name=model,
        api_base=urls[0],
        api_key=values[0] or "none",
        max_retries=2,
        http_client=_client(urls, at_once),
    )
    return LlamaIndexEncoder(embedding, revision=urls[0])


def cohere_encoder(model: str) -> LlamaIndexEncoder:
    """Cohere's embeddings, as used by Ranaldi et al. (2025, CrossRAG).

    Raises MissingError where the key or the package is missing.
    """
    return LlamaIndexEncoder(LlamaClass(COHERE, EMBEDDING).load()(model_name=model, api_key=_cohere_key()))


def named_encoder(name: str) -> LlamaIndexEncoder:
    """Any LlamaIndex embedding by `module:Class`.

    Raises UsageError for another name, or a class that needs arguments, MissingError for its package.
    """
    return LlamaIndexEncoder(LlamaClass(name, EMBEDDING).make())


def _client(urls: Sequence[str], at_once: int) -> httpx.Client:
    """A client that sends to each of `urls` nothing from the environment which is for another server.

    Calls to the first of several are shared as `PooledTransport` says; so are those to one that has a limit.
    """
    import httpx

    def prepare(request: httpx.Request) -> None:
        for url in urls:
            for name in foreign_headers(url):
                request.headers.pop(name, None)

    hooks: Any = {"request": [prepare]}
    clients = {
        url: httpx.Client(trust_env=not is_this_machine(httpx.URL(url).host), follow_redirects=True, event_hooks=hooks)
        for url in urls
    }
    if len(urls) == 1 and not at_once:
        return clients[urls[0]]

    return httpx.Client(transport=PooledTransport(clients, at_once))


def _cohere_key() -> str:
    if value := settings.secret(COHERE_KEY):
        return value
    raise _missing(COHERE_KEY)


def _missing(name: str) -> MissingError:
    return MissingError(f"The key {name} is not set. Type: export {name}=… (or add it to .streamlit/secrets.toml)")
