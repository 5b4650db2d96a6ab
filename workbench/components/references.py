"""References: what a recipe's word for a component means, and whether it means anything.

`bge-m3`, `builtin`, `google`, `sentence-transformers:intfloat/multilingual-e5-base`, `cross-encoder:/models/mine`,
`openai-like:llama3:8b`, `llm:openai-like:gpt-4o`, `nllb:facebook/nllb-200-distilled-600M@main`.
"""

from __future__ import annotations

from collections.abc import Mapping

import regex

from workbench.components.adapter import Adapter, Reference
from workbench.components.discovery import adapter, adapter_or_none, adapters, adapters_for, known_models
from workbench.core import Role, UsageError, shorten, unknown_name
from workbench.models import Model
from workbench.pipeline import EXTRACTIVE, Recipe

REVISION = regex.compile(r"(?P<model>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)")
SHOWN_EXAMPLES: Mapping[Role, str] = {
    "encoder": "sentence-transformers",
    "reranker": "cross-encoder",
    "generator": "openai-like",
    "translator": "nllb",
    "identifier": "fasttext",
}
"""The adapter whose example a message shows for a role."""


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
