"""The Python packages that a component needs, and which of them are not installed. Nothing is imported to find out.

LlamaIndex's services and quantised models need further packages; a recipe may name a component without having them.
"""

from __future__ import annotations

from workbench.components.adapter import Package, Reference, is_installed
from workbench.components.references import adapter_of, nested, reference
from workbench.core import Role


def missing_packages(name: str, role: Role) -> tuple[str, ...]:
    """The packages, as pip names them, that a component needs in a role and that are not installed.

    Raises UsageError for a name that means nothing.
    """
    return tuple(item.distribution for item in _packages(reference(name), role) if not is_installed(item.module))


def _packages(target: Reference, role: Role) -> tuple[Package, ...]:
    adapter = adapter_of(target, role)
    if adapter.nested:
        return _packages(nested(target), "generator")
    return tuple(adapter.packages(target, role))


def install_command(packages: tuple[str, ...]) -> str:
    """The command that installs packages.

    >>> install_command(("llama-index-embeddings-cohere",))
    'pip install llama-index-embeddings-cohere'
    """
    return f"pip install {' '.join(packages)}"
