"""Models whose files lie on this machine, by the library that runs them.

sentence-transformers runs dense encoders, SPLADE and cross-encoders; FlagEmbedding BGE-M3 and its rerankers;
transformers language models, NLLB and the rerankers of Kim et al. (2024), Table 1: MonoT5, UPR, TART and ColBERTv2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.components.adapter import (
    Adapter,
    Maker,
    Package,
    Reference,
    Surroundings,
    find_local,
    needs,
    parameters_of,
)
from workbench.components.tuned_models import TUNED, TunedModels, tuned_version
from workbench.core import Generator, Role, Translator
from workbench.data import checked_name

if TYPE_CHECKING:
    from workbench.models import Device, HuggingFaceGenerator, Quantised
    from workbench.retrieval import BgeM3

SENTENCE_TRANSFORMERS = Package("sentence_transformers", "sentence-transformers")
DENSE_PARAMETERS = ("question_prefix", "passage_prefix", "max_length", "device")


def _classes() -> dict[str, Any]:
    """The classes of `retrieval` by name, imported when one is made."""
    from workbench.retrieval import (
        BgeM3Dense,
        BgeM3Reranker,
        BgeM3Sparse,
        ColbertReranker,
        CrossEncoderReranker,
        FlagLLMReranker,
        FlagReranker,
        MonoT5Reranker,
        SentenceTransformersEncoder,
        SpladeEncoder,
        TartReranker,
        UprReranker,
    )

    kinds: tuple[type[Any], ...] = (
        BgeM3Dense, BgeM3Reranker, BgeM3Sparse, ColbertReranker, CrossEncoderReranker, FlagLLMReranker, FlagReranker,
        MonoT5Reranker, SentenceTransformersEncoder, SpladeEncoder, TartReranker, UprReranker,
    )  # fmt: skip
    return {kind.__name__: kind for kind in kinds}


def _of(kind: str, *parameters: str) -> Maker[Any]:
    """Makes a class of `retrieval` over a model's files, with those of some parameters that are set."""

    def make(reference: Reference, _surroundings: Surroundings) -> Any:
        return _classes()[kind](find_local(reference), **parameters_of(reference, *parameters))

    return make


def _reranker(name: str, explanation: str, kind: str, package: Package, model: str, *parameters: str) -> Adapter:
    """The adapter of a reranker over a model's files; `model` is an example."""
    parameters = ("max_length", "device", *parameters)
    return Adapter(
        name,
        explanation,
        reranker=_of(kind, *parameters),
        parameters=parameters,
        packages=needs(package),
        example=f"{name}:{model}",
    )


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


def _bge_m3_view(kind: str, **fixed: str) -> Maker[Any]:
    """Makes a class of `retrieval` over the shared model."""

    def make(reference: Reference, _surroundings: Surroundings) -> Any:
        return _classes()[kind](_shared_bge_m3(reference), **fixed)

    return make


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


def _nllb(reference: Reference, _surroundings: Surroundings) -> Translator:
    from workbench.models import NllbTranslator

    return NllbTranslator(find_local(reference), **parameters_of(reference, "beams", "device"))


def _huggingface_packages(reference: Reference, _role: Role) -> tuple[Package, ...]:
    quantised = str(reference.parameters.get("quantised", "none")) != "none"
    return (TRANSFORMERS, BITSANDBYTES) if quantised else (TRANSFORMERS,)


ADAPTERS = (
    Adapter(
        "sentence-transformers",
        "any sentence-transformers model",
        encoder=_of("SentenceTransformersEncoder", *DENSE_PARAMETERS),
        parameters=DENSE_PARAMETERS,
        packages=needs(SENTENCE_TRANSFORMERS),
        example="sentence-transformers:intfloat/multilingual-e5-base",
    ),
    Adapter(
        "splade",
        "SPLADE through sentence-transformers' sparse encoder",
        sparse_encoder=_of("SpladeEncoder", "active", "device"),
        parameters=("active", "device"),
        packages=needs(SENTENCE_TRANSFORMERS),
        example="splade:naver/splade-v3",
    ),
    _reranker("cross-encoder", "any cross-encoder of sentence-transformers", "CrossEncoderReranker",
              SENTENCE_TRANSFORMERS, "/models/mine"),
    Adapter(
        "bge-m3",
        "BGE-M3 through FlagEmbedding: dense, sparse and ColBERT vectors",
        encoder=_bge_m3_view("BgeM3Dense"),
        sparse_encoder=_bge_m3_view("BgeM3Sparse"),
        reranker=_bge_m3_view("BgeM3Reranker", view="tokens"),
        parameters=("view", "max_length", "device"),
        packages=needs(FLAG_EMBEDDING),
        example="bge-m3:BAAI/bge-m3",
    ),
    _reranker("flag-reranker", "FlagEmbedding's FlagReranker", "FlagReranker", FLAG_EMBEDDING,
              "BAAI/bge-reranker-v2-m3"),
    _reranker("flag-llm-reranker", "FlagEmbedding's FlagLLMReranker", "FlagLLMReranker", FLAG_EMBEDDING,
              "BAAI/bge-reranker-v2-gemma"),
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
        version=lambda reference, home: tuned_version(home, reference.model),
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
    _reranker("monot5", "MonoT5: a T5 or mT5 that answers whether a passage is relevant", "MonoT5Reranker",
              TRANSFORMERS, "castorini/monot5-base-msmarco-10k", "true_token", "false_token"),
    _reranker("upr", "UPR: how likely a language model is to ask the question of a passage", "UprReranker",
              TRANSFORMERS, "google-t5/t5-large"),
    _reranker("tart", "TART-full: a T5 encoder that scores passages under an instruction", "TartReranker",
              TRANSFORMERS, "facebook/tart-full-flan-t5-xl", "instruction"),
    _reranker("colbert", "ColBERT over BERT: late interaction of tokens", "ColbertReranker", TRANSFORMERS,
              "colbert-ir/colbertv2.0"),
)  # fmt: skip
