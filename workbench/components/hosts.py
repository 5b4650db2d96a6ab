"""Which hosts receive texts: of a component, and of every component that a recipe names; what runs here."""

from __future__ import annotations

from pathlib import Path

from workbench.components.adapter import HOSTS, Reference
from workbench.components.references import adapter_of, nested, reference
from workbench.pipeline import Recipe


def host_of(name: str, home: Path) -> str:
    """The host that texts are sent to when the component `name` is used, "" where they stay on this machine.

    Several hosts are separated by HOSTS. Where the host cannot be known, words that say so. Raises UsageError for a
    name that means nothing.
    """
    return _host(reference(name), home) if name else ""


def hosts_of(recipe: Recipe, home: Path) -> tuple[str, ...]:
    """The hosts that texts are sent to when a question is asked under this recipe; () where none leaves the machine.

    Raises UsageError for a component that does not exist.
    """
    names = [recipe.generator, recipe.translator]
    names += [] if recipe.retriever == "lexical" else [recipe.encoder]
    names += [recipe.reranker, recipe.expanding_model, recipe.compressing_model]
    return tuple(dict.fromkeys(host for name in names for host in host_of(name, home).split(HOSTS) if host))


def runs_here(name: str) -> bool:
    """Whether the component `name` computes on this machine, with files that lie here; "" does.

    Raises UsageError for a name that means nothing.
    """
    if not name:
        return True
    target = reference(name)
    return adapter_of(nested(target) if adapter_of(target).nested else target).local


def _host(target: Reference, home: Path) -> str:
    adapter = adapter_of(target)
    return _host(nested(target), home) if adapter.nested else adapter.host(target, home)
