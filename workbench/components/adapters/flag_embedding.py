"""BGE-M3 and the FlagEmbedding rerankers, on this machine."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, find_local, needs, parameters_of
from workbench.core import Encoder, Reranker

if TYPE_CHECKING:
    from workbench.retrieval import BgeM3, SparseEncoder

FLAG_EMBEDDING = Package("FlagEmbedding", "FlagEmbedding")
MODELS_IN_MEMORY = 4
"""BGE-M3 models that stay in memory; its dense, sparse and token views share one."""


@lru_cache(maxsize=MODELS_IN_MEMORY)
def _model(model: str, revision: str, facts: str, device: str, max_length: int) -> BgeM3:
    from workbench.models import find_model
    from workbench.retrieval import BgeM3

    return BgeM3(find_model(model, revision=revision, facts=facts), device=device, max_length=max_length)


def _shared(reference: Reference) -> BgeM3:
    values = reference.parameters
    device, max_length = str(values.get("device", "auto")), int(values.get("max_length", 512))
    return _model(reference.model, reference.revision or "main", reference.facts, device, max_length)


def _dense(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import BgeM3Dense

    return BgeM3Dense(_shared(reference))


def _sparse(reference: Reference, _surroundings: Surroundings) -> SparseEncoder:
    from workbench.retrieval import BgeM3Sparse

    return BgeM3Sparse(_shared(reference))


def _token_reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import BgeM3Reranker

    return BgeM3Reranker(_shared(reference), view="tokens")


def _reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import FlagReranker

    return FlagReranker(find_local(reference), **parameters_of(reference, "max_length", "device"))


def _llm_reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import FlagLLMReranker

    return FlagLLMReranker(find_local(reference), **parameters_of(reference, "max_length", "device"))


ADAPTERS = (
    Adapter(
        "bge-m3",
        "BGE-M3 through FlagEmbedding: dense, sparse and ColBERT vectors",
        encoder=_dense,
        sparse_encoder=_sparse,
        reranker=_token_reranker,
        parameters=("view", "max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="bge-m3:BAAI/bge-m3",
    ),
    Adapter(
        "flag-reranker",
        "FlagEmbedding's FlagReranker",
        reranker=_reranker,
        parameters=("max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="flag-reranker:BAAI/bge-reranker-v2-m3",
    ),
    Adapter(
        "flag-llm-reranker",
        "FlagEmbedding's FlagLLMReranker",
        reranker=_llm_reranker,
        parameters=("max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="flag-llm-reranker:BAAI/bge-reranker-v2-gemma",
    ),
)
