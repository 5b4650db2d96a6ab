"""Services, and generators in another role.

Embeddings of Cohere (as in Ranaldi et al. (2025, D-RAG)), models behind an OpenAI-compatible endpoint, any LlamaIndex
class by its name, a generator as a translator or a reranker, and online translators through deep-translator.

The host that a LlamaIndex class sends texts to is known only as far as the class itself states it. An instance may need
a key, read the environment or call its service, so only the class is inspected: the default of its address in its
constructor, else among its fields. Most classes that leave the address to their service's library do not state one.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from workbench.components.adapter import HOSTS, Adapter, Listing, Package, Reference, Surroundings, is_installed, needs
from workbench.components.endpoint_file import split_model
from workbench.core import (
    Encoder,
    Generation,
    Generator,
    Prompt,
    Reranker,
    Role,
    Task,
    Translator,
    UsageError,
    shorten,
    without_thinking,
)
from workbench.models import (
    KINDS,
    LLM,
    RANKING_LIMITS,
    TRANSLATION_LIMITS,
    TRANSLATION_SERVICES,
    Endpoint,
    LlamaClass,
    TranslationService,
    online_translator,
)

COHERE_HOST = "api.cohere.com"
COHERE = Package("llama_index.embeddings.cohere", "llama-index-embeddings-cohere")
COHERE_KEY = "COHERE_API_KEY"


def _cohere_encoder(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import cohere_encoder

    return cohere_encoder(reference.model)


ADDRESSES = ("api_base", "base_url")
"""The names of the service's address in LlamaIndex's classes."""
NAME_LIMIT = 100
"""Characters of a class's name that are shown."""


def llama_index_host(name: str) -> str:
    """The host of `module:Class`; "" where it is this machine. Where the class states no address, words that say so."""
    unknown = f"an unknown host ({shorten(name, NAME_LIMIT)} does not state it)"
    address = _address(name)
    try:
        endpoint = Endpoint(address, "")
    except UsageError:
        return unknown
    return "" if endpoint.is_local else urlsplit(address).hostname or unknown


def _address(name: str) -> str:
    """The address that the class states, "" for none or a missing package. Only LlamaIndex's own modules are run."""
    module, _, title = name.partition(":")
    if not any(kind.names(name) for kind in KINDS.values()) or not is_installed(".".join(module.split(".")[:3])):
        return ""
    try:
        member = getattr(import_module(module), title, None)
        return _default(member) if isinstance(member, type) else ""
    except Exception:  # whatever somebody else's package raises
        return ""


def _default(kind: type[Any]) -> str:
    """The class's default address, "" where it states none."""
    parameters = signature(kind.__init__).parameters
    fields = getattr(kind, "model_fields", {})
    for name in ADDRESSES:
        # The constructor's default overrides the field's; None there means that the class looks elsewhere.
        holder = parameters.get(name) or fields.get(name)
        value = holder.default if holder is not None else getattr(kind, name, None)
        if isinstance(value, str) and value:
            return value
    return ""


def _llama_index_host_of(reference: Reference, _home: Path) -> str:
    from workbench.retrieval import LOCAL_POSTPROCESSORS

    return "" if reference.model in LOCAL_POSTPROCESSORS else llama_index_host(reference.model)


def _llama_index_encoder(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import named_encoder

    return named_encoder(reference.model)


def _llama_index_reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import NamedReranker

    return NamedReranker(reference.model)


def _llama_index_generator(reference: Reference, surroundings: Surroundings) -> Generator:
    from workbench.models import LlamaIndexSource, LLMGenerator

    source = LlamaIndexSource(reference.model, str(reference.parameters.get("model", "")))
    return LLMGenerator(source, limits=surroundings.limits)


def _llama_index_packages(reference: Reference, role: Role) -> tuple[Package, ...]:
    name = LlamaClass(reference.model, KINDS.get(role, LLM))
    place = name.module.split(".")[:3]
    # LlamaIndex's core is a regular package: finding a module inside it would run it.
    return (Package(".".join(place[:2] if place[1] == "core" else place), name.package),)


def _check_llama_index(reference: Reference, role: Role) -> None:
    LlamaClass(reference.model, KINDS[role])


class GeneratorCompleter:
    """A generator called with two plain texts, as a `translation.llm_translator.Completer`."""

    def __init__(self, generator: Generator) -> None:
        """Any generator will do; it is called with one prompt at a time."""
        self._generator = generator

    def complete(self, system: str, user: str) -> Generation:
        """The generator's output without what it wrote while thinking. Raises GenerationFailed."""
        generation = self._generator.generate([Prompt(system, user, Task("", ""))])[0]
        return replace(generation, text=without_thinking(generation.text))


def _llm_translator(reference: Reference, surroundings: Surroundings) -> Translator:
    from workbench.models import LlmTranslator

    generator = surroundings.generator(reference.model, TRANSLATION_LIMITS)
    return LlmTranslator(GeneratorCompleter(generator), generator.identity)


def _llm_reranker(reference: Reference, surroundings: Surroundings) -> Reranker:
    from workbench.models import as_llama_llm
    from workbench.retrieval import RankGptReranker

    generator = surroundings.generator(reference.model, RANKING_LIMITS)
    return RankGptReranker(as_llama_llm(generator), revision=generator.identity)


EMBEDDINGS = Package("llama_index.embeddings.openai", "llama-index-embeddings-openai")
LLMS = Package("llama_index.llms.openai_like", "llama-index-llms-openai-like")


def _openai_like_encoder(reference: Reference, surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import openai_like_encoder

    model, place = split_model(reference.model, surroundings.home)
    return openai_like_encoder(model, [item.url for item in place.endpoints], place.key, place.at_once)


def _openai_like_generator(reference: Reference, surroundings: Surroundings) -> Generator:
    from workbench.models import LLMGenerator, PooledSource

    model, place = split_model(reference.model, surroundings.home)
    source = PooledSource(model, place.endpoints, place.at_once)
    return LLMGenerator(source, limits=surroundings.limits, system_role=place.system_role)


def _endpoint_keys(reference: Reference, home: Path) -> tuple[str, ...]:
    key = split_model(reference.model, home)[1].key
    return (key,) if key else ()


DEEP_TRANSLATOR = Package("deep_translator", "deep-translator")


def _online_adapter(service: TranslationService) -> Adapter:
    return Adapter(
        service.name,
        service.title,
        translator=lambda reference, _: online_translator(reference.adapter),
        takes_model=False,
        local=False,
        packages=needs(DEEP_TRANSLATOR),
        keys=lambda _reference, _home: tuple(service.required_keys),
        host=lambda reference, _: online_translator(reference.adapter).sends_to,
        example=service.name,
        listing=Listing(
            service.title,
            licence="the service's terms",
            source=f"{service.host}, through the package deep-translator",
        ),
    )


ADAPTERS = (
    Adapter(
        "cohere",
        "an embedding model of Cohere's service",
        encoder=_cohere_encoder,
        parameters=("key",),
        local=False,
        packages=needs(COHERE),
        keys=lambda _reference, _home: (COHERE_KEY,),
        host=lambda _reference, _home: COHERE_HOST,
        example="cohere:embed-multilingual-v3.0",
    ),
    Adapter(
        "llama-index",
        "any LlamaIndex class by name",
        encoder=_llama_index_encoder,
        reranker=_llama_index_reranker,
        generator=_llama_index_generator,
        parameters=("model",),
        local=False,
        packages=_llama_index_packages,
        host=_llama_index_host_of,
        check=_check_llama_index,
        example="llama-index:llama_index.llms.anthropic:Anthropic",
    ),
    Adapter(
        "llm",
        "a generator asked to translate or to order passages",
        translator=_llm_translator,
        reranker=_llm_reranker,
        nested=True,
        local=False,
        example="llm:openai-like:MODEL@ENDPOINT",
    ),
    Adapter(
        "openai-like",
        "a model behind an OpenAI-compatible endpoint",
        encoder=_openai_like_encoder,
        generator=_openai_like_generator,
        parameters=("url", "key"),
        local=False,
        packages=lambda _, role: (EMBEDDINGS if role == "encoder" else LLMS,),
        keys=_endpoint_keys,
        host=lambda reference, home: HOSTS.join(split_model(reference.model, home)[1].hosts),
        example="openai-like:gpt-4o-mini",
    ),
    *(_online_adapter(service) for service in TRANSLATION_SERVICES.values()),
)
