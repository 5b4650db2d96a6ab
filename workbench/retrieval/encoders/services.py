"""Embedding services by LlamaIndex's own classes: OpenAI-compatible endpoints, Cohere, or any other by name.

Texts leave the machine unless the endpoint is on it. Keys are read when the embedding is made; it alone keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench import settings
from workbench.errors import MissingError
from workbench.models.key_policy import foreign_headers, is_this_machine, key_for
from workbench.models.llama_classes import EMBEDDING, LlamaClass
from workbench.retrieval.encoders.llama_index_encoder import LlamaIndexEncoder

if TYPE_CHECKING:
    import httpx

COHERE = "llama_index.embeddings.cohere:CohereEmbedding"
COHERE_KEY = "COHERE_API_KEY"


def openai_like_encoder(model: str, url: str, key: str) -> LlamaIndexEncoder:
    """Embeddings of an OpenAI-compatible endpoint; `key` names the variable of its key, "" where it needs none.

    Raises MissingError where the key is not set, UsageError where the endpoint or the key is not allowed.
    """
    value = key_for(url, key)
    if key and not value:
        raise _missing(key)
    from llama_index.embeddings.openai import OpenAIEmbedding

    embedding = OpenAIEmbedding(
        model_name=model, api_base=url, api_key=value or "none", max_retries=2, http_client=_client(url)
    )
    return LlamaIndexEncoder(embedding, revision=url)


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


def _client(url: str) -> httpx.Client:
    """A client that sends to `url` nothing from the environment which is for another server."""
    import httpx

    def prepare(request: httpx.Request) -> None:
        for name in foreign_headers(url):
            request.headers.pop(name, None)

    local = is_this_machine(httpx.URL(url).host)
    return httpx.Client(trust_env=not local, follow_redirects=True, event_hooks={"request": [prepare]})


def _cohere_key() -> str:
    if value := settings.secret(COHERE_KEY):
        return value
    raise _missing(COHERE_KEY)


def _missing(name: str) -> MissingError:
    return MissingError(f"The key {name} is not set. Type: export {name}=… (or add it to .streamlit/secrets.toml)")
