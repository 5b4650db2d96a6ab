"""Embedding services by LlamaIndex's own classes: OpenAI-compatible endpoints, Cohere, or any other by name.

Texts leave the machine unless the endpoint is on it, and the screen states this before the first call. Keys are read
when the embedding is made; it alone keeps them, and neither identity nor error holds them. Of an embedding at several
hosts each call goes to the least busy one, and to another where that one fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np

from workbench.core import (
    FloatArray,
    MissingError,
    Passage,
    Query,
    WorkbenchError,
    component,
    package_versions,
    shorten,
)
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
from workbench.retrieval.encoders.latent_space import unit_dense
from workbench.workspace import settings

if TYPE_CHECKING:
    import httpx
    from llama_index.core.embeddings import BaseEmbedding


def embedding_identity(embedding: str, model: str, revision: str = "") -> str:
    """The identity of vectors by a class of LlamaIndex and a model, which needs neither the class nor a key."""
    return component(
        "llama-index",
        embedding=embedding,
        model=model,
        revision=revision,
        library=package_versions("llama-index-core"),
    )


class LlamaIndexEncoder:
    """Implements `Encoder` over a LlamaIndex embedding.

    `dimensions` is the length of the service's vectors, 0 to determine it with one small call when first needed.
    `revision` distinguishes versions of a model where its name does not.
    """

    def __init__(self, embedding: BaseEmbedding, *, dimensions: int = 0, revision: str = "") -> None:
        """Calls nothing."""
        self._embedding = embedding
        self._dimensions = dimensions
        self._revision = revision

    @property
    def identity(self) -> str:
        """Names the embedding's class, its model, the revision and the library; no key."""
        return embedding_identity(self._embedding.class_name(), self._embedding.model_name, self._revision)

    @property
    def dimensions(self) -> int:
        """The length of a vector; may call the service once. Raises WorkbenchError where it fails."""
        if not self._dimensions:
            self._dimensions = len(self._call("get_query_embedding", "dimensions"))
        return self._dimensions

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """Unit vectors, in the embedding's own batches. Raises WorkbenchError where the service gave no usable ones."""
        texts = [passage.searchable for passage in passages]
        # Services refuse blank texts, and with them the whole batch.
        places = [place for place, text in enumerate(texts) if text.strip()]
        rows = self._call("get_text_embedding_batch", [texts[place] for place in places]) if places else []
        return self._vectors(len(texts), places, rows)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """Unit vectors, one call per question: LlamaIndex has no batch for them. Raises as `encode_passages`."""
        places = [place for place, query in enumerate(queries) if query.text.strip()]
        return self._vectors(
            len(queries), places, [self._call("get_query_embedding", queries[place].text) for place in places]
        )

    def _vectors(self, count: int, places: Sequence[int], rows: Sequence[Sequence[float]]) -> FloatArray:
        vectors = np.zeros((count, self.dimensions), dtype=np.float32)
        try:
            usable = np.array(rows, dtype=np.float32).reshape(len(places), self.dimensions)
        except (ValueError, TypeError) as error:
            raise self._failed(f"vectors that are not all of {self.dimensions} numbers") from error
        if not np.isfinite(usable).all():
            raise self._failed("numbers that are not finite")
        vectors[places] = usable
        return unit_dense(vectors)

    def _call(self, method: str, argument: object) -> Any:
        try:
            return getattr(self._embedding, method)(argument)
        except Exception as error:  # whatever a service's client raises
            # Not chained: a client's message may repeat the address or part of the key.
            raise self._failed(f"an error ({type(error).__name__}) in place of vectors") from None

    def _failed(self, what: str) -> WorkbenchError:
        return WorkbenchError(
            f"The embedding “{shorten(self._embedding.model_name)}” gave {what}; check its address, key and model name."
        )


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
