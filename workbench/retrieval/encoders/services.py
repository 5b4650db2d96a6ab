"""Embedding services by LlamaIndex's own classes: OpenAI-compatible endpoints, Cohere, or any other by name.

Texts leave the machine unless the endpoint is on it. Keys are read when the embedding is made; it alone keeps them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import MissingError
from workbench.models import EMBEDDING, LlamaClass, foreign_headers, is_this_machine, key_for
from workbench.retrieval.encoders.llama_index_encoder import LlamaIndexEncoder
from workbench.workspace import settings

if TYPE_CHECKING:
    import httpx

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

    from workbench.retrieval.encoders.pooled_transport import PooledTransport

    return httpx.Client(transport=PooledTransport(clients, at_once))


def _cohere_key() -> str:
    if value := settings.secret(COHERE_KEY):
        return value
    raise _missing(COHERE_KEY)


def _missing(name: str) -> MissingError:
    return MissingError(f"The key {name} is not set. Type: export {name}=… (or add it to .streamlit/secrets.toml)")
