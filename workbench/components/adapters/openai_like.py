"""Models behind an OpenAI-compatible endpoint: the user's server or a service."""

from __future__ import annotations

from pathlib import Path

from workbench.components.adapter import HOSTS, Adapter, Package, Reference, Surroundings
from workbench.components.endpoint_file import split_model
from workbench.core import Encoder, Generator, Role

EMBEDDINGS = Package("llama_index.embeddings.openai", "llama-index-embeddings-openai")
LLMS = Package("llama_index.llms.openai_like", "llama-index-llms-openai-like")


def _encoder(reference: Reference, surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import openai_like_encoder

    model, place = split_model(reference.model, surroundings.home)
    return openai_like_encoder(model, [item.url for item in place.endpoints], place.key, place.at_once)


def _generator(reference: Reference, surroundings: Surroundings) -> Generator:
    from workbench.models import LLMGenerator, PooledSource

    model, place = split_model(reference.model, surroundings.home)
    source = PooledSource(model, place.endpoints, place.at_once)
    return LLMGenerator(source, limits=surroundings.limits, system_role=place.system_role)


def _host(reference: Reference, home: Path) -> str:
    return HOSTS.join(split_model(reference.model, home)[1].hosts)


def _keys(reference: Reference, home: Path) -> tuple[str, ...]:
    key = split_model(reference.model, home)[1].key
    return (key,) if key else ()


def _packages(_reference: Reference, role: Role) -> tuple[Package, ...]:
    return (EMBEDDINGS if role == "encoder" else LLMS,)


ADAPTERS = (
    Adapter(
        "openai-like",
        "a model behind an OpenAI-compatible endpoint",
        encoder=_encoder,
        generator=_generator,
        parameters=("url", "key"),
        local=False,
        packages=_packages,
        keys=_keys,
        host=_host,
        example="openai-like:gpt-4o-mini",
    ),
)
