"""References: what a recipe's name for a component means, which packages it needs, and which hosts receive its texts.

`bge-m3`, `builtin`, `google`, `sentence-transformers:intfloat/multilingual-e5-base`, `cross-encoder:/models/mine`,
`openai-like:llama3:8b`, `llm:openai-like:gpt-4o`, `nllb:facebook/nllb-200-distilled-600M@main`.

Adding a component takes a class that fits its protocol (`workbench/core/protocols.py`) and the `Adapter` that describes
it, listed as `ADAPTERS` by a module of `components/adapters`. Validation, Settings, the forms, `doctor`, hosts and
missing packages read it through the registry. Nothing heavy is imported for any of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import regex

from workbench.components import adapters as package
from workbench.components.adapter import HOSTS, Adapter, Package, Reference, is_installed
from workbench.core import DataError, Role, UsageError, shorten, unknown_name
from workbench.models import Model, known
from workbench.pipeline import EXTRACTIVE, Recipe


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


@lru_cache(256)
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
    for cached in (adapters, known_models, adapter_or_none, reference):
        cached.cache_clear()


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


REVISION = regex.compile(r"(?P<model>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)")
SHOWN_EXAMPLES: Mapping[Role, str] = {
    "encoder": "sentence-transformers",
    "reranker": "cross-encoder",
    "generator": "openai-like",
    "translator": "nllb",
    "identifier": "fasttext",
}
"""The adapter whose example a message shows for a role."""


@lru_cache(256)
def reference(name: str, role: Role | None = None) -> Reference:
    """What `name` refers to; with `role`, checks that it can serve in it.

    A model named by adapter and hub id gets its known defaults under that adapter. Raises UsageError: what was given,
    what is allowed, what to type.
    """
    typed = name.strip()
    head, colon, tail = typed.partition(":")
    target = _by_adapter(head.casefold(), tail.strip(), typed) if colon else _by_name(typed, role)
    match = adapter(target.adapter, role)
    if role is not None and role not in match.roles:
        fitting = sorted({item.name for item in adapters_for(role) if item.takes_model})
        raise UsageError(
            f"“{shorten(typed)}” cannot be used as {role}: its adapter {match.name} serves as "
            f"{' and '.join(match.roles)}. Allowed adapters: {', '.join(fitting)}. For example: {example(role)}"
        )
    if target.known is not None and role is not None and not colon and role not in target.known.roles:
        raise UsageError(f"“{shorten(typed)}” is known as {target.known.role}, not as {role}. {_examples(role)}")
    if match.nested:
        reference(target.model, "generator")
    return target


def check_name(name: str, role: Role) -> None:
    """Checks that `name` means something in its role, as does any generator that it calls. Raises UsageError.

    Nothing is loaded.
    """
    target = reference(name, role)
    match = adapter(target.adapter, role)
    if match.nested:
        check_name(target.model, "generator")
    match.check(target, role)


def checked_judge(name: str) -> str:
    """`name` without white space around it. Raises UsageError where it names no generator that can judge."""
    judge = name.strip()
    if judge == EXTRACTIVE:
        raise UsageError(
            "The built-in reader is not a language model and cannot judge. Name another generator, for example: "
            "openai-like:MODEL@ENDPOINT"
        )
    if judge:
        check_name(judge, "generator")
    return judge


def check_recipe(recipe: Recipe) -> None:
    """Checks every component of a recipe. Raises UsageError for the first that means nothing in its role."""
    check_name(recipe.encoder, "encoder")
    check_name(recipe.reranker, "reranker")
    check_name(recipe.translator, "translator")
    check_name(recipe.generator, "generator")
    check_rewriting(recipe)


def check_rewriting(recipe: Recipe) -> None:
    """Checks that a language model is named for what a recipe has one write besides the answer. Raises UsageError."""
    for name in filter(None, (recipe.expanding_model, recipe.compressing_model)):
        check_name(name, "generator")
    if recipe.expanding_model and _is_reader(recipe.expanding_model):
        raise UsageError(
            f"Query expansion “{recipe.query_expansion}” needs a language model, which the built-in reader is not: "
            f"set generator or expander to one, for example: {example('generator')}"
        )
    if recipe.expanding_model and recipe.query_expansion == "hyde-mean" and recipe.retriever in ("lexical", "sparse"):
        raise UsageError(
            f"Query expansion “hyde-mean” averages vectors, which the retriever “{recipe.retriever}” does not have: "
            "set retriever to dense or to one that fuses it, such as hybrid, or query_expansion to hyde."
        )
    if recipe.compressing_model and (_is_reader(recipe.compressing_model) or _is_reader(recipe.generator)):
        raise UsageError(
            f"Compressor “{recipe.compressor}” needs a language model, to write notes and to answer from them, which "
            f"the built-in reader is not: set generator to one, for example: {example('generator')}"
        )


def nested(target: Reference) -> Reference:
    """The generator that a nested adapter calls. Raises UsageError where this adapter calls none."""
    if not adapter(target.adapter).nested:
        raise UsageError(f"The adapter “{target.adapter}” calls no other model.")
    return reference(target.model, "generator")


def adapter_of(target: Reference, role: Role | None = None) -> Adapter:
    """The adapter of a reference, the one that serves `role` where two share the name."""
    return adapter(target.adapter, role)


def example(role: Role | None) -> str:
    """A name to type for a role."""
    return adapter(SHOWN_EXAMPLES[role or "reranker"], role).example


def _is_reader(name: str) -> bool:
    return reference(name, "generator").adapter == EXTRACTIVE


def _by_name(name: str, role: Role | None) -> Reference:
    key = name.casefold()
    if (plain := adapter_or_none(key, role)) is not None and not plain.takes_model:
        return Reference(plain.name)
    for model in known_models():
        if model.name == key:
            return Reference(model.adapter, model.model, model.revision, dict(model.defaults), model)
    names = [item.name for item in (adapters_for(role) if role else adapters()) if not item.takes_model]
    names += [model.name for model in known_models() if role in (None, model.role)]
    raise unknown_name(role or "model", name, dict.fromkeys(names), f"Or an adapter and a model: {example(role)}")


def _by_adapter(name: str, model: str, typed: str) -> Reference:
    match = adapter_or_none(name)
    if match is None or not match.takes_model:
        names = dict.fromkeys(item.name for item in adapters() if item.takes_model)
        raise unknown_name("model adapter", typed.partition(":")[0], names, f"For example: {example(None)}")
    if not model:
        raise UsageError(f"“{shorten(typed)}” names no model after the colon. For example: {example(None)}")
    revised = REVISION.fullmatch(model)
    plain, revision = (revised["model"], revised["revision"]) if revised else (model, None)
    known = _known_or_none(plain)
    if known is None or known.adapter != name:
        return Reference(name, plain, revision)
    return Reference(name, known.model, revision or known.revision, dict(known.defaults), known)


def _known_or_none(name: str) -> Model | None:
    key = name.casefold()
    return next((model for model in known_models() if key in (model.name, model.model.casefold())), None)


def _examples(role: Role) -> str:
    names = sorted(model.name for model in known_models() if model.role == role)
    return f"Allowed: {', '.join(names)}, or an adapter and a model: {example(role)}"


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


def loads_a_model(name: str) -> bool:
    """Whether a process loads a model's files for the component `name`: for no built-in one, and for no service."""
    return bool(name) and runs_here(name) and adapter_of(reference(name)).takes_model


def _host(target: Reference, home: Path) -> str:
    adapter = adapter_of(target)
    return _host(nested(target), home) if adapter.nested else adapter.host(target, home)


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
