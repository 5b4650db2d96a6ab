"""What a recipe's word for a component means: a known model's short name, or `adapter:MODEL`.

`bge-m3`, `sentence-transformers:intfloat/multilingual-e5-base`, `cross-encoder:/models/mine`,
`openai-like:llama3:8b`, `llm:openai-like:gpt-4o`, `nllb:facebook/nllb-200-distilled-600M@main`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import regex

from workbench.components.adapter import ADAPTERS
from workbench.errors import UsageError, shorten, unknown
from workbench.models.known import Model, Value, known_models, known_or_none
from workbench.protocols import Role

REVISION = regex.compile(r"(?P<model>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A model and the way it is used. `known` holds its facts where the workbench knows it."""

    adapter: str
    model: str
    revision: str | None = None
    parameters: Mapping[str, Value] = field(default_factory=dict)
    known: Model | None = None

    @property
    def facts(self) -> str:
        """Size and licence in words, "" where they are unknown: for a message that the model is missing."""
        return ", ".join(self.known.facts) if self.known else ""

    @property
    def inner(self) -> Reference:
        """The generator that a nested adapter asks. Raises UsageError where this adapter has none."""
        if not ADAPTERS[self.adapter].nested:
            raise UsageError(f"The adapter “{self.adapter}” asks no other model.")
        return reference(self.model, "generator")


def reference(name: str, role: Role | None = None) -> Reference:
    """What `name` refers to; with `role`, also that it can be used so.

    A model that is named by adapter and hub id gets the defaults that are known of it under that adapter.
    Raises UsageError: what was given, what is allowed, what to type.
    """
    given = name.strip()
    head, colon, tail = given.partition(":")
    found = _by_adapter(head.casefold(), tail.strip(), given) if colon else _by_name(given, role)
    if role is not None and role not in ADAPTERS[found.adapter].roles:
        fitting = [adapter.name for adapter in ADAPTERS.values() if role in adapter.roles]
        raise UsageError(
            f"“{shorten(given)}” cannot be used as {role}: its adapter {found.adapter} serves as "
            f"{' and '.join(ADAPTERS[found.adapter].roles)}. Allowed adapters: {', '.join(sorted(fitting))}. "
            f"For example: {_example(role)}"
        )
    if found.known is not None and role is not None and not colon and found.known.role != role:
        raise UsageError(f"“{shorten(given)}” is known as {found.known.role}, not as {role}. {_examples(role)}")
    if ADAPTERS[found.adapter].nested:
        reference(found.model, "generator")
    return found


def _by_name(name: str, role: Role | None) -> Reference:
    wanted = name.casefold()
    for model in known_models():
        if model.name == wanted:
            return Reference(model.adapter, model.model, model.revision, dict(model.defaults), model)
    names = [model.name for model in known_models() if role in (None, model.role)]
    raise unknown(role or "model", name, names, f"Or an adapter and a model: {_example(role)}")


def _by_adapter(adapter: str, model: str, given: str) -> Reference:
    if adapter not in ADAPTERS:
        raise unknown("model adapter", given.partition(":")[0], ADAPTERS, f"For example: {_example(None)}")
    if not model:
        raise UsageError(f"“{shorten(given)}” names no model after the colon. For example: {_example(None)}")
    revised = REVISION.fullmatch(model)
    plain, revision = (revised["model"], revised["revision"]) if revised else (model, None)
    known = known_or_none(plain)
    if known is None or known.adapter != adapter:
        return Reference(adapter, plain, revision)
    return Reference(adapter, known.model, revision or known.revision, dict(known.defaults), known)


def _examples(role: Role) -> str:
    names = sorted(model.name for model in known_models() if model.role == role)
    return f"Allowed: {', '.join(names)}, or an adapter and a model: {_example(role)}"


def _example(role: Role | None) -> str:
    examples: dict[Role | None, str] = {
        "encoder": "sentence-transformers:intfloat/multilingual-e5-base",
        "reranker": "cross-encoder:/models/mine",
        "generator": "openai-like:gpt-4o-mini",
        "translator": "nllb:facebook/nllb-200-distilled-600M",
        "identifier": "fasttext:/models/lid.176.bin",
    }
    return examples.get(role, "cross-encoder:/models/mine")
