"""Models whose files lie on this machine, by the library that runs them.

sentence-transformers runs dense encoders, SPLADE and cross-encoders; FlagEmbedding BGE-M3 and its rerankers;
transformers language models, NLLB and the rerankers of Kim et al. (2024), Table 1: MonoT5, UPR, TART and ColBERTv2.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, find_local, needs, parameters_of
from workbench.components.tuned_models import TUNED, TunedModels, tuned_version
from workbench.core import Encoder, Generator, Reranker, Role, Translator
from workbench.data import checked_name

if TYPE_CHECKING:
    from workbench.models import Device, HuggingFaceGenerator, Quantised
    from workbench.retrieval import BgeM3, SparseEncoder

SENTENCE_TRANSFORMERS = Package("sentence_transformers", "sentence-transformers")
DENSE_PARAMETERS = ("question_prefix", "passage_prefix", "max_length", "device")


def _sentence_encoder(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import SentenceTransformersEncoder

    return SentenceTransformersEncoder(find_local(reference), **parameters_of(reference, *DENSE_PARAMETERS))


def _splade(reference: Reference, _surroundings: Surroundings) -> SparseEncoder:
    from workbench.retrieval import SpladeEncoder

    return SpladeEncoder(find_local(reference), **parameters_of(reference, "active", "device"))


def _cross_encoder(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import CrossEncoderReranker

    return CrossEncoderReranker(find_local(reference), **parameters_of(reference, "max_length", "device"))


FLAG_EMBEDDING = Package("FlagEmbedding", "FlagEmbedding")
MODELS_IN_MEMORY = 4
"""BGE-M3 models that stay in memory; its dense, sparse and token views share one."""


@lru_cache(maxsize=MODELS_IN_MEMORY)
def _bge_m3(model: str, revision: str, facts: str, device: str, max_length: int) -> BgeM3:
    from workbench.models import find_model
    from workbench.retrieval import BgeM3

    return BgeM3(find_model(model, revision=revision, facts=facts), device=device, max_length=max_length)


def _shared_bge_m3(reference: Reference) -> BgeM3:
    values = reference.parameters
    device, max_length = str(values.get("device", "auto")), int(values.get("max_length", 512))
    return _bge_m3(reference.model, reference.revision or "main", reference.facts, device, max_length)


def _bge_m3_dense(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import BgeM3Dense

    return BgeM3Dense(_shared_bge_m3(reference))


def _bge_m3_sparse(reference: Reference, _surroundings: Surroundings) -> SparseEncoder:
    from workbench.retrieval import BgeM3Sparse

    return BgeM3Sparse(_shared_bge_m3(reference))


def _bge_m3_reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import BgeM3Reranker

    return BgeM3Reranker(_shared_bge_m3(reference), view="tokens")


def _flag_reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import FlagReranker

    return FlagReranker(find_local(reference), **parameters_of(reference, "max_length", "device"))


def _flag_llm_reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import FlagLLMReranker

    return FlagLLMReranker(find_local(reference), **parameters_of(reference, "max_length", "device"))


TRANSFORMERS = Package("transformers", "transformers")
BITSANDBYTES = Package("bitsandbytes", "bitsandbytes")
MODELS_IN_MEMORY = 4
"""Language models that stay in memory."""


@lru_cache(maxsize=MODELS_IN_MEMORY)
def _huggingface(model: str, revision: str, facts: str, quantised: Quantised, device: Device) -> HuggingFaceGenerator:
    from workbench.models import HuggingFaceGenerator

    return HuggingFaceGenerator(model, revision=revision, facts=facts, quantised=quantised, device=device)


def _generator(reference: Reference, surroundings: Surroundings) -> Generator:
    values: dict[str, Any] = {"quantised": "none", "device": "auto", **reference.parameters}
    # A generator that also judges or translates is one model in memory.
    model = _huggingface(
        reference.model, reference.revision or "main", reference.facts, values["quantised"], values["device"]
    )
    return model.with_limits(surroundings.limits)


PEFT = Package("peft", "peft")


def _tuned(reference: Reference, surroundings: Surroundings) -> Generator:
    models = TunedModels(surroundings.home, lambda name: surroundings.generator(name, surroundings.limits))
    return models.generator(reference.model).with_limits(surroundings.limits)


def _check_tuned(reference: Reference, _role: Role) -> None:
    checked_name(reference.model, "model")


def _tuned_version(reference: Reference, home: Path) -> str:
    return tuned_version(home, reference.model)


def _nllb(reference: Reference, _surroundings: Surroundings) -> Translator:
    from workbench.models import NllbTranslator

    return NllbTranslator(find_local(reference), **parameters_of(reference, "beams", "device"))


def _huggingface_packages(reference: Reference, _role: Role) -> tuple[Package, ...]:
    quantised = str(reference.parameters.get("quantised", "none")) != "none"
    return (TRANSFORMERS, BITSANDBYTES) if quantised else (TRANSFORMERS,)


RERANKER_PARAMETERS = ("max_length", "device")


def _monot5(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import MonoT5Reranker

    return MonoT5Reranker(
        find_local(reference), **parameters_of(reference, *RERANKER_PARAMETERS, "true_token", "false_token")
    )


def _upr(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import UprReranker

    return UprReranker(find_local(reference), **parameters_of(reference, *RERANKER_PARAMETERS))


def _tart(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import TartReranker

    return TartReranker(find_local(reference), **parameters_of(reference, *RERANKER_PARAMETERS, "instruction"))


def _colbert(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import ColbertReranker

    return ColbertReranker(find_local(reference), **parameters_of(reference, *RERANKER_PARAMETERS))


ADAPTERS = (
    Adapter(
        "sentence-transformers",
        "any sentence-transformers model",
        encoder=_sentence_encoder,
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
    Adapter(
        "bge-m3",
        "BGE-M3 through FlagEmbedding: dense, sparse and ColBERT vectors",
        encoder=_bge_m3_dense,
        sparse_encoder=_bge_m3_sparse,
        reranker=_bge_m3_reranker,
        parameters=("view", "max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="bge-m3:BAAI/bge-m3",
    ),
    Adapter(
        "flag-reranker",
        "FlagEmbedding's FlagReranker",
        reranker=_flag_reranker,
        parameters=("max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="flag-reranker:BAAI/bge-reranker-v2-m3",
    ),
    Adapter(
        "flag-llm-reranker",
        "FlagEmbedding's FlagLLMReranker",
        reranker=_flag_llm_reranker,
        parameters=("max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="flag-llm-reranker:BAAI/bge-reranker-v2-gemma",
    ),
    Adapter(
        "huggingface",
        "a local causal language model through transformers",
        generator=_generator,
        parameters=("quantised", "device"),
        packages=_huggingface_packages,
        example="huggingface:meta-llama/Llama-3.2-1B-Instruct",
    ),
    Adapter(
        TUNED,
        "a language model that was tuned in this workspace",
        generator=_tuned,
        packages=needs(TRANSFORMERS, PEFT),
        check=_check_tuned,
        version=_tuned_version,
        example="tuned:my-model",
    ),
    Adapter(
        "nllb",
        "NLLB-200 through transformers",
        translator=_nllb,
        parameters=("beams", "device"),
        packages=needs(TRANSFORMERS),
        example="nllb:facebook/nllb-200-distilled-600M",
    ),
    Adapter(
        "monot5",
        "MonoT5: a T5 or mT5 that answers whether a passage is relevant",
        reranker=_monot5,
        parameters=(*RERANKER_PARAMETERS, "true_token", "false_token"),
        packages=needs(TRANSFORMERS),
        example="monot5:castorini/monot5-base-msmarco-10k",
    ),
    Adapter(
        "upr",
        "UPR: how likely a language model is to ask the question of a passage",
        reranker=_upr,
        parameters=RERANKER_PARAMETERS,
        packages=needs(TRANSFORMERS),
        example="upr:google-t5/t5-large",
    ),
    Adapter(
        "tart",
        "TART-full: a T5 encoder that scores passages under an instruction",
        reranker=_tart,
        parameters=(*RERANKER_PARAMETERS, "instruction"),
        packages=needs(TRANSFORMERS),
        example="tart:facebook/tart-full-flan-t5-xl",
    ),
    Adapter(
        "colbert",
        "ColBERT over BERT: late interaction of tokens",
        reranker=_colbert,
        parameters=RERANKER_PARAMETERS,
        packages=needs(TRANSFORMERS),
        example="colbert:colbert-ir/colbertv2.0",
    ),
)
