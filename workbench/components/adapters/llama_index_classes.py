"""Any LlamaIndex class by its name, `module:Class`: an embedding, a node postprocessor or an LLM.

The host that a class sends texts to is known only as far as the class itself states it. An instance may need a key,
read the environment or call its service, so only the class is inspected: the default of its address in its
constructor, else among its fields. Most classes that leave the address to their service's library do not state one.
"""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, is_installed
from workbench.core import Encoder, Generator, Reranker, Role, UsageError, shorten
from workbench.models import KINDS, LLM, Endpoint, LlamaClass

ADDRESSES = ("api_base", "base_url")
"""The names of the service's address in LlamaIndex's classes."""
LONGEST = 100
"""Characters of a class's name that are shown."""


def llama_index_host(name: str) -> str:
    """The host of `module:Class`; "" where it is this machine. Where the class states no address, words that say so."""
    unknown = f"an unknown host ({shorten(name, LONGEST)} does not state it)"
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


def _host(reference: Reference, _home: Path) -> str:
    from workbench.retrieval import LOCAL_POSTPROCESSORS

    return "" if reference.model in LOCAL_POSTPROCESSORS else llama_index_host(reference.model)


def _encoder(reference: Reference, _surroundings: Surroundings) -> Encoder:
    from workbench.retrieval import named_encoder

    return named_encoder(reference.model)


def _reranker(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import NamedReranker

    return NamedReranker(reference.model)


def _generator(reference: Reference, surroundings: Surroundings) -> Generator:
    from workbench.models import LlamaIndexSource, LLMGenerator

    source = LlamaIndexSource(reference.model, str(reference.parameters.get("model", "")))
    return LLMGenerator(source, limits=surroundings.limits)


def _packages(reference: Reference, role: Role) -> tuple[Package, ...]:
    name = LlamaClass(reference.model, KINDS.get(role, LLM))
    place = name.module.split(".")[:3]
    # LlamaIndex's core is a regular package: finding a module inside it would run it.
    return (Package(".".join(place[:2] if place[1] == "core" else place), name.package),)


def _check(reference: Reference, role: Role) -> None:
    LlamaClass(reference.model, KINDS[role])


ADAPTERS = (
    Adapter(
        "llama-index",
        "any LlamaIndex class by name",
        encoder=_encoder,
        reranker=_reranker,
        generator=_generator,
        parameters=("model",),
        local=False,
        packages=_packages,
        host=_host,
        check=_check,
        example="llama-index:llama_index.llms.anthropic:Anthropic",
    ),
)
