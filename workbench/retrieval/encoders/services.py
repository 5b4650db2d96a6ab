"""Embedding services by LlamaIndex's own classes: OpenAI-compatible endpoints, Cohere, or any other by name.

Texts leave the machine unless the endpoint is on it. Keys are read when the embedding is made; it alone keeps them.
"""

from __future__ import annotations

from workbench import settings
from workbench.errors import MissingError
from workbench.models.llama_classes import EMBEDDING, LlamaClass
from workbench.retrieval.encoders.llama_index_encoder import LlamaIndexEncoder

COHERE = "llama_index.embeddings.cohere:CohereEmbedding"
COHERE_KEY = "COHERE_API_KEY"


def openai_like_encoder(model: str, url: str, key: str) -> LlamaIndexEncoder:
    """Embeddings of an OpenAI-compatible endpoint; `key` names the variable of its key, "" where it needs none.

    Raises MissingError where the key is not set.
    """
    from llama_index.embeddings.openai import OpenAIEmbedding

    embedding = OpenAIEmbedding(model_name=model, api_base=url, api_key=_key(key) or "none", max_retries=2)
    return LlamaIndexEncoder(embedding, revision=url)


def cohere_encoder(model: str) -> LlamaIndexEncoder:
    """Cohere's embeddings, as used by Ranaldi et al. (2025, CrossRAG).

    Raises MissingError where the key or the package is missing.
    """
    return LlamaIndexEncoder(LlamaClass(COHERE, EMBEDDING).load()(model_name=model, api_key=_key(COHERE_KEY)))


def named_encoder(name: str) -> LlamaIndexEncoder:
    """Any LlamaIndex embedding by `module:Class`.

    Raises UsageError for another name, or a class that needs arguments, MissingError for its package.
    """
    return LlamaIndexEncoder(LlamaClass(name, EMBEDDING).make())


def _key(name: str) -> str | None:
    if not name:
        return None
    if value := settings.secret(name):
        return value
    raise MissingError(f"The key {name} is not set. Type: export {name}=… (or add it to .streamlit/secrets.toml)")
