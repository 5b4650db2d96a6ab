"""Models that run through sentence-transformers: dense encoders, SPLADE, cross-encoders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, find_local, needs, parameters_of
from workbench.core import Encoder, Reranker

if TYPE_CHECKING:
    from workbench.retrieval import SparseEncoder

SENTENCE_TRANSFORMERS = Package("sentence_transformers", "sentence-transformers")
DENSE_PARAMETERS = ("question_prefix", "passage_prefix", "max_length", "device")


def _dense(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import SentenceTransformersEncoder

    return SentenceTransformersEncoder(find_local(reference), **parameters_of(reference, *DENSE_PARAMETERS))


def _splade(reference: Reference, _surroundings: Surroundings) -> SparseEncoder:
    from workbench.retrieval import SpladeEncoder

    return SpladeEncoder(find_local(reference), **parameters_of(reference, "active", "device"))


def _cross_encoder(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import CrossEncoderReranker

    return CrossEncoderReranker(find_local(reference), **parameters_of(reference, "max_length", "device"))


ADAPTERS = (
    Adapter(
        "sentence-transformers",
        "any sentence-transformers model",
        encoder=_dense,
        parameters=DENSE_PARAMETERS,
        packages=needs(SENTENCE_TRANSFORMERS),
        example="sentence-transformers:intfloat/multilingual-e5-base",
    ),
    Adapter(
        "splade",
        "SPLADE through sentence-transformers' sparse encoder",
        sparse_encoder=_splade,
        parameters=("active", "device"),
        packages=needs(SENTENCE_TRANSFORMERS),
        example="splade:naver/splade-v3",
    ),
    Adapter(
        "cross-encoder",
        "any cross-encoder of sentence-transformers",
        reranker=_cross_encoder,
        parameters=("max_length", "device"),
        packages=needs(SENTENCE_TRANSFORMERS),
        example="cross-encoder:/models/mine",
    ),
)
