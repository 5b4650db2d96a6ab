"""The host that a LlamaIndex class sends texts to, as far as the class tells before it is made.

Making one may need a key, read the environment or call its service, so the class alone is asked: for the default of
its address, in its constructor or else among its fields. Most that leave it to their service's own library tell none.
"""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any
from urllib.parse import urlsplit

from workbench.components.packages import is_installed
from workbench.errors import UsageError, shorten
from workbench.llm.endpoint import Endpoint
from workbench.models.llama_classes import KINDS

ADDRESSES = ("api_base", "base_url")
"""What LlamaIndex's classes call the address of their service."""
LONGEST = 100
"""Characters of a class's name that are shown."""


def llama_index_host(name: str) -> str:
    """The host of `module:Class`; "" where it is this machine. Where no address is told, words that say so."""
    unknown = f"an unknown host ({shorten(name, LONGEST)} does not tell it)"
    address = _address(name)
    try:
        place = Endpoint(address, "")
    except UsageError:
        return unknown
    return "" if place.local else urlsplit(address).hostname or unknown


def _address(name: str) -> str:
    """What the class tells, "" where it tells none or is not here. Only LlamaIndex's own modules are run."""
    module, _, kind = name.partition(":")
    if not any(one.names(name) for one in KINDS.values()) or not is_installed(".".join(module.split(".")[:3])):
        return ""
    try:
        found = getattr(import_module(module), kind, None)
        return _default(found) if isinstance(found, type) else ""
    except Exception:  # whatever a package of somebody else's raises
        return ""


def _default(kind: type[Any]) -> str:
    """The address that the class takes where none is given."""
    named = signature(kind.__init__).parameters
    fields = getattr(kind, "model_fields", {})
    for name in ADDRESSES:
        # What the constructor takes outweighs the field; None there means that it looks elsewhere.
        holder = named.get(name) or fields.get(name)
        value = holder.default if holder is not None else getattr(kind, name, None)
        if isinstance(value, str) and value:
            return value
    return ""
