"""Real models by the name that a recipe gives them: references become components.

`models/` knows names and facts; here an adapter's word becomes an object of its layer. Making one loads nothing heavy:
weights are read when a component is first used. Components are kept, so that a model is loaded once a process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.components.adapter import ADAPTERS
from workbench.components.endpoints import endpoint_named_in, split_model
from workbench.components.hosts import llama_index_host
from workbench.components.reference import Reference, reference
from workbench.errors import UsageError
from workbench.llm.conversation import TokenLimits
from workbench.models.known import Value
from workbench.models.llama_classes import KINDS, LlamaClass
from workbench.protocols import Encoder, Generator, Reranker, Role, Translator
from workbench.records import Prompt, Task

if TYPE_CHECKING:
    from workbench.llm.huggingface import Device, HuggingFaceGenerator
    from workbench.llm.llm_generator import LLMGenerator
    from workbench.llm.local_llm import Quantised
    from workbench.models.local import LocalModel
    from workbench.retrieval.encoders.bge_m3 import BgeM3
    from workbench.retrieval.sparse import SparseEncoder

COHERE_HOST = "api.cohere.com"
KEPT = 4
"""Components of a kind that are kept at once; each may hold a model in memory."""
JUDGING = TokenLimits(short=512)
"""A judge thinks before its verdict, which a limit for short answers would cut off."""

Made = TypeVar("Made")


def _kept(make: Callable[[str, Path], Made]) -> Callable[[str, Path], Made]:
    """Keeps what `make` gives, by name and by what the name's endpoint now is: one that was changed or removed since
    is not asked again.
    """

    @lru_cache(maxsize=KEPT)
    def made(name: str, home: Path, _place: object) -> Made:
        return make(name, home)

    @wraps(make)
    def found(name: str, home: Path) -> Made:
        return made(name, home, endpoint_named_in(name, home))

    return found


def _local(found: Reference) -> LocalModel:
    from workbench.models.local import find_model

    return find_model(found.model, revision=found.revision or "main", facts=found.facts)


def _chosen(parameters: Mapping[str, Value], *names: str) -> dict[str, Any]:
    return {name: parameters[name] for name in names if name in parameters}


@lru_cache(maxsize=KEPT)
def _bge_m3(model: str, revision: str, facts: str, device: str, max_length: int) -> BgeM3:
    from workbench.models.local import find_model
    from workbench.retrieval.encoders.bge_m3 import BgeM3

    return BgeM3(find_model(model, revision=revision, facts=facts), device=device, max_length=max_length)


def _shared_bge_m3(found: Reference) -> BgeM3:
    given = found.parameters
    return _bge_m3(
        found.model,
        found.revision or "main",
        found.facts,
        str(given.get("device", "auto")),
        int(given.get("max_length", 512)),
    )


@_kept
def dense_encoder(name: str, home: Path) -> Encoder:
    """The dense encoder called `name`. Raises UsageError for another kind, MissingError where it is not here."""
    found = reference(name, "encoder")
    given = found.parameters
    if found.adapter == "bge-m3":
        from workbench.retrieval.encoders.bge_m3 import BgeM3Dense

        return BgeM3Dense(_shared_bge_m3(found))
    if found.adapter == "sentence-transformers":
        from workbench.retrieval.encoders.sentence_transformers import SentenceTransformersEncoder

        names = ("question_prefix", "passage_prefix", "max_length", "device")
        return SentenceTransformersEncoder(_local(found), **_chosen(given, *names))
    if found.adapter == "splade":
        raise UsageError(
            f"“{name}” gives sparse vectors: choose the retriever sparse with it. Type: --retriever sparse"
        )
    return _service_encoder(found, home)


def _service_encoder(found: Reference, home: Path) -> Encoder:
    from workbench.retrieval.encoders import services

    if found.adapter == "openai-like":
        model, place = split_model(found.model, home)
        return services.openai_like_encoder(model, place.endpoint.url, place.key)
    if found.adapter == "cohere":
        return services.cohere_encoder(found.model)
    return services.named_encoder(found.model)


@lru_cache(maxsize=KEPT)
def sparse_encoder(name: str) -> SparseEncoder:
    """The encoder of learned sparse vectors called `name`. Raises UsageError for another kind."""
    found = reference(name, "encoder")
    if found.adapter == "bge-m3":
        from workbench.retrieval.encoders.bge_m3 import BgeM3Sparse

        return BgeM3Sparse(_shared_bge_m3(found))
    if found.adapter == "splade":
        from workbench.retrieval.encoders.splade import SpladeEncoder

        return SpladeEncoder(_local(found), **_chosen(found.parameters, "active", "device"))
    raise UsageError(
        f"“{name}” gives dense vectors only: choose the retriever dense or hybrid with it, or the encoder bge-m3 "
        "or splade-v3."
    )


@_kept
def reranker(name: str, home: Path) -> Reranker:
    """The reranker called `name`. Raises UsageError, MissingError."""
    from workbench.retrieval.rerank import colbert, cross_encoder, flag, llama_index_reranker

    # BGE-M3 is known as an encoder; as a reranker it compares token vectors.
    found = reference("bge-m3") if name == "bge-m3" else reference(name, "reranker")
    given = _chosen(found.parameters, "max_length", "device")
    if found.adapter == "bge-m3":
        return colbert.BgeM3Reranker(_shared_bge_m3(found), view="tokens")
    if found.adapter == "cross-encoder":
        return cross_encoder.CrossEncoderReranker(_local(found), **given)
    if found.adapter == "flag-reranker":
        return flag.FlagReranker(_local(found), **given)
    if found.adapter == "flag-llm-reranker":
        return flag.FlagLLMReranker(_local(found), **given)
    if found.adapter == "llama-index":
        return llama_index_reranker.NamedReranker(found.model)
    from workbench.llm.llama_llm import as_llama_llm
    from workbench.retrieval.rerank.rankgpt import RankGptReranker

    asked = generator(found.model, home)
    return RankGptReranker(as_llama_llm(asked), revision=asked.identity)


@_kept
def generator(name: str, home: Path) -> Generator:
    """The generator called `name`. Raises UsageError, MissingError."""
    return _generator(name, home, TokenLimits())


@_kept
def judge(name: str, home: Path) -> Generator:
    """The generator called `name`, with room to think before a verdict. Raises UsageError, MissingError."""
    return _generator(name, home, JUDGING)


@lru_cache(maxsize=KEPT)
def _huggingface(model: str, revision: str, facts: str, quantised: Quantised, device: Device) -> HuggingFaceGenerator:
    from workbench.llm.huggingface import HuggingFaceGenerator

    return HuggingFaceGenerator(model, revision=revision, facts=facts, quantised=quantised, device=device)


def _generator(name: str, home: Path, limits: TokenLimits) -> Generator:
    found = reference(name, "generator")
    if found.adapter != "huggingface":
        return _llm(found, home, limits)
    given: dict[str, Any] = {"quantised": "none", "device": "auto", **found.parameters}
    # A judge that is also the generator is one model in memory.
    shared = _huggingface(found.model, found.revision or "main", found.facts, given["quantised"], given["device"])
    return shared.within(limits)


def _llm(found: Reference, home: Path, limits: TokenLimits) -> LLMGenerator:
    from workbench.llm.llm_generator import LLMGenerator
    from workbench.llm.sources import LlamaIndexSource, OpenAILikeSource

    if found.adapter == "llama-index":
        model = str(found.parameters.get("model", ""))
        return LLMGenerator(LlamaIndexSource(found.model, model), limits=limits)
    model, place = split_model(found.model, home)
    return LLMGenerator(OpenAILikeSource(model, place.endpoint), limits=limits, system_role=place.system_role)


@_kept
def translator(name: str, home: Path) -> Translator:
    """The translator called `name`: an online engine, NLLB, or `llm:` and a generator. Raises UsageError."""
    from workbench.translation.services.engines import ENGINES, online_translator

    if name in ENGINES:
        return online_translator(name)
    found = reference(name, "translator")
    if found.adapter == "nllb":
        from workbench.translation.nllb import NllbTranslator

        return NllbTranslator(_local(found), **_chosen(found.parameters, "beams", "device"))
    from workbench.translation.llm_translator import LlmTranslator

    asked = generator(found.model, home)
    return LlmTranslator(GeneratorCompleter(asked), asked.identity)


class GeneratorCompleter:
    """A generator asked with two plain texts, for translators."""

    def __init__(self, asked: Generator) -> None:
        self._asked = asked

    def complete(self, system: str, user: str) -> str:
        """Raises GenerationFailed."""
        return self._asked.generate([Prompt(system, user, Task("", ""))])[0].text


def check_name(name: str, role: Role) -> None:
    """Whether `name` means something in its role, and the generator that it asks too; nothing of it is loaded.

    Raises UsageError.
    """
    found = reference(name, role)
    if ADAPTERS[found.adapter].nested:
        check_name(found.model, "generator")
    elif found.adapter == "llama-index":
        LlamaClass(found.model, KINDS[role])


def sends_to(name: str, home: Path) -> str:
    """The host that texts go to when this component is used, "" where they stay on this machine; words that say so
    where it cannot be told.
    """
    from urllib.parse import urlsplit

    from workbench.retrieval.rerank.llama_index_reranker import STAY_HERE
    from workbench.translation.services.engines import ENGINES, online_translator

    if name in ("builtin", "extractive", "pass", ""):
        return ""
    if name in ENGINES:
        return online_translator(name).sends_to
    found = reference(name)
    if found.adapter == "llm":
        return sends_to(found.model, home)
    if found.adapter == "openai-like":
        place = split_model(found.model, home)[1].endpoint
        return "" if place.local else urlsplit(place.url).hostname or place.url
    if found.adapter == "cohere":
        return COHERE_HOST
    if found.adapter != "llama-index" or found.model in STAY_HERE:
        return ""
    return llama_index_host(found.model)
