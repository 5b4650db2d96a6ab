"""What is changed of a stored answer, checked before anything is run: recipe fields, the documents, the question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from workbench.app import Workbench
from workbench.core import Evidence, UsageError, shorten
from workbench.experiments.replays.retrace import IMPORTED, OTHER_VERSION, recipe_of
from workbench.experiments.results.queries.instances import Instance
from workbench.pipeline import Recipe, flat, make_recipe, mode, nested, words
from workbench.workspace import PASSAGES_LIMIT

DOCUMENT_LIMIT = 20_000
"""Characters of a document that a person may type; a passage has about 600."""
NOTHING_TO_REPEAT = "Without its recipe nothing of it can be run again."


@dataclass(frozen=True)
class Change:
    """What differs from the stored answer; whatever is left out stays as it was.

    `fields` are fields of the recipe by name, those of its parts with a dot. A new mode brings its paper's scope where
    the answer had that of its own mode and `fields` name no scope. `evidence` are the documents in the order in which
    they are read, in place of those that were retrieved: ranks are counted anew, and translations are left to the mode.
    `question` is the text that is asked, in the same language.
    """

    fields: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    evidence: tuple[Evidence, ...] | None = None
    question: str | None = None


def changed_recipe(item: Instance, change: Change) -> Recipe:
    """The recipe of an answer with a change. Raises UsageError where it is not known or a field is not allowed."""
    recipe = recipe_of(item)
    if recipe is None:
        raise UsageError(f"{OTHER_VERSION if item.run.recipe else IMPORTED} {NOTHING_TO_REPEAT}")
    fields = {name: _plain(name, value) for name, value in change.fields.items()}
    if "mode" in fields and not fields.get("scope") and recipe.scope == mode(recipe.mode).scope:
        fields["scope"] = ""  # the default of the new mode
    if "generator" in fields:
        # One thing changes: who expanded the question, and who summed up the documents, stays.
        stays = {"expander": recipe.expanding_model, "compressor_model": recipe.compressing_model}
        fields = {**{name: model for name, model in stays.items() if model}, **fields}
    return make_recipe(nested(fields, recipe.model_dump()))


def recipe_changes(item: Instance, change: Change) -> tuple[tuple[str, str, str], ...]:
    """The recipe's fields that a change reaches, each with its value before and after. Raises as `changed_recipe`."""
    before, after = flat(changed_recipe(item, Change())), flat(changed_recipe(item, change))
    return tuple((name, words(before[name]), words(after[name])) for name in before if before[name] != after[name])


def documents_in_order(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Documents as a search would hand them over: ranked from 1, without translations.

    Raises UsageError for too many of them, for one without text and for one that is too long.
    """
    if len(evidence) > PASSAGES_LIMIT:
        raise UsageError(f"There are {len(evidence):,} documents; at most {PASSAGES_LIMIT:,} are allowed. Remove some.")
    for number, item in enumerate(evidence, start=1):
        length = len(item.passage.text)
        if not item.passage.text.strip():
            raise UsageError(f"Document {number} has no text. Type its text, or remove the document.")
        if length > DOCUMENT_LIMIT:
            raise UsageError(
                f"Document {number} has {length:,} characters; at most {DOCUMENT_LIMIT:,} are allowed. Shorten it."
            )
    return tuple(
        replace(item, rank=rank, translation=None, title_translation=None)
        for rank, item in enumerate(evidence, start=1)
    )


@dataclass(frozen=True, slots=True)
class Reach:
    """What a replay may call: the hosts that receive texts, () for none, and the language models, "" for none."""

    hosts: tuple[str, ...]
    model: str


def reach(workbench: Workbench, item: Instance, change: Change) -> Reach:
    """What a replay may call, to be agreed to before it is run. Raises UsageError as a replay does."""
    recipe = changed_recipe(item, change)
    return Reach(workbench.registry.check(recipe), ", ".join(recipe.language_models))


def _plain(name: str, value: object) -> object:
    """A value of plain kinds. Raises UsageError for any other, which no recipe can hold."""
    try:
        plain: object = json.loads(json.dumps(value))
    except (TypeError, ValueError):
        raise UsageError(
            f"The recipe's {shorten(name)} cannot be {shorten(repr(value))}: type text or a number."
        ) from None
    return plain
