"""Discovery: every adapter in `components/adapters`, and the known models that are used through them.

Adding a component takes one module in that package: a class that fits its protocol (`workbench/core/protocols.py`) and
the `Adapter` that describes it, listed as `ADAPTERS`. Validation, Settings, the forms, `doctor`, hosts and missing
packages read it through the registry. Importing the package's modules loads nothing heavy.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workbench.components import adapters as package
from workbench.components.adapter import Adapter
from workbench.core import DataError, Role, shorten
from workbench.models import Model, known


@cache
def adapters() -> tuple[Adapter, ...]:
    """Every adapter, by module and in the module's own order. Raises DataError for two with one name in one role."""
    modules = sorted(module.name for module in iter_modules(package.__path__))
    registered: list[Adapter] = []
    for name in modules:
        registered += import_module(f"{package.__name__}.{name}").ADAPTERS
    places = [(adapter.name, role) for adapter in registered for role in adapter.roles]
    for place in places:
        if places.count(place) > 1:
            raise DataError(f"Two adapters are called “{place[0]}” and serve as {place[1]}; names must differ.")
    return tuple(registered)


def adapters_for(role: Role) -> tuple[Adapter, ...]:
    """The adapters that serve a role."""
    return tuple(adapter for adapter in adapters() if role in adapter.roles)


def adapter_or_none(name: str, role: Role | None = None) -> Adapter | None:
    """The adapter called `name` that serves `role`, else any of that name; None where there is none."""
    named = [adapter for adapter in adapters() if adapter.name == name]
    return next((adapter for adapter in named if role in adapter.roles), named[0] if named else None)


def adapter(name: str, role: Role | None = None) -> Adapter:
    """As `adapter_or_none`, for a name that was checked before. Raises KeyError."""
    match = adapter_or_none(name, role)
    if match is None:
        raise KeyError(name)
    return match


def forget() -> None:
    """Looks for adapters and checks known models anew at the next call; for modules that were added meanwhile."""
    adapters.cache_clear()
    known_models.cache_clear()


@cache
def known_models() -> tuple[Model, ...]:
    """The known models in the order of their files, each checked against its adapter. Raises DataError."""
    return checked(known.known_models())


def checked(models: Iterable[Model]) -> tuple[Model, ...]:
    """`models`, if the adapter of each exists, serves its roles and takes its defaults. Raises DataError."""
    models = tuple(models)
    for model in models:
        match = adapter_or_none(model.adapter, model.role)
        if match is None:
            raise DataError(f"Known model {model.name}: unknown adapter “{shorten(model.adapter)}”.")
        for role in model.roles:
            if role not in match.roles:
                raise DataError(f"Known model {model.name}: the adapter {model.adapter} does not serve as {role}.")
        for key in model.defaults:
            if key not in match.parameters:
                allowed = ", ".join(match.parameters) or "none"
                raise DataError(f"Known model {model.name}: unknown default “{shorten(key)}”; allowed: {allowed}.")
        if model.remote is match.local:
            raise DataError(
                f"Known model {model.name}: “remote” must be {str(not match.local).lower()} for its adapter."
            )
    return models
