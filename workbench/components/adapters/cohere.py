"""Embedding models of Cohere's service, as used in Ranaldi et al. (2025, D-RAG)."""

from __future__ import annotations

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, needs
from workbench.core import Encoder

HOST = "api.cohere.com"
PACKAGE = Package("llama_index.embeddings.cohere", "llama-index-embeddings-cohere")
KEY = "COHERE_API_KEY"


def _encoder(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import cohere_encoder

    return cohere_encoder(reference.model)


ADAPTERS = (
    Adapter(
        "cohere",
        "an embedding model of Cohere's service",
        encoder=_encoder,
        parameters=("key",),
        local=False,
        packages=needs(PACKAGE),
        keys=lambda _reference, _home: (KEY,),
        host=lambda _reference, _home: HOST,
        example="cohere:embed-multilingual-v3.0",
    ),
)
