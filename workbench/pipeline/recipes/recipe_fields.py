"""The fields of a recipe by name, those of its parts with a dot (`dialectic.prompts`), and their values in words.

Experiments cross them, results are grouped by them. Nothing here names a single field, so a new one needs no change.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from workbench.pipeline.recipes.recipe import Recipe

DEFAULT = "default"
"""The word for None, which leaves a choice to the component."""
YES, NO = "yes", "no"


@cache
def field_names() -> tuple[str, ...]:
    """Every field by name, in the recipe's order; of a part its fields, not the part itself."""
    return tuple(flat(Recipe()))


def flat(recipe: Recipe) -> dict[str, Any]:
    """All choices of a recipe by name, the defaults too."""
    return dict(_flat(recipe, ""))


def nested(choices: Mapping[str, Any], base: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Choices by name as a recipe is made of them, over those of `base`.

    >>> nested({"k": 3, "dialectic.prompts": "four"}, {"dialectic": {"explanation": False}})
    {'dialectic': {'explanation': False, 'prompts': 'four'}, 'k': 3}
    """
    values = dict(base or {})
    for name, value in choices.items():
        part, dot, field = name.partition(".")
        inner = values.get(part)
        values[part] = {**(inner if isinstance(inner, Mapping) else {}), field: value} if dot else value
    return values


def words(value: Any) -> str:
    """A choice in words, the same wherever it is shown, filtered by or written.

    >>> words(None), words(True), words(0.5), words("rrf")
    ('default', 'yes', '0.5', 'rrf')
    """
    if value is None:
        return DEFAULT
    if isinstance(value, bool):
        return YES if value else NO
    return str(value)


def from_words(name: str, text: str) -> Any:
    """The plain value of what `words` wrote, or a person typed, for a field; the recipe checks it.

    >>> from_words("rrf_k", "default"), from_words("rrf_k", "60")
    (None, '60')
    """
    return None if text.strip() == DEFAULT and _may_be_none(name) else text.strip()


def suggestions(name: str) -> tuple[str, ...]:
    """The values of a field in words, where they are few; otherwise its default alone."""
    kinds = list(_kinds(_annotation(name)))
    fixed = [words(value) for kind in kinds if get_origin(kind) is Literal for value in get_args(kind)]
    if bool in kinds:
        fixed += [YES, NO]
    return tuple(dict.fromkeys([words(flat(Recipe())[name]), *fixed]))


@lru_cache(maxsize=10_000)
def stored_words(recipe: str) -> Mapping[str, str]:
    """The choices in a recipe's JSON by name, in words; those that it does not state are the defaults. {} for ""."""
    if not recipe:
        return {}
    values: dict[str, Any] = json.loads(recipe)
    stated = {
        f"{name}.{inner}" if inner else name: item
        for name, value in values.items()
        for inner, item in (value.items() if isinstance(value, dict) else (("", value),))
    }
    return {name: words(value) for name, value in {**flat(Recipe()), **stated}.items()}


def _flat(part: BaseModel, before: str) -> Iterator[tuple[str, Any]]:
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _annotation(name: str) -> Any:
    model: Any = Recipe
    for part in name.split("."):
        model = model.model_fields[part].annotation
    return model


def _kinds(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in (Union, types.UnionType):
        for kind in get_args(annotation):
            yield from _kinds(kind)
    else:
        yield annotation


def _may_be_none(name: str) -> bool:
    return type(None) in _kinds(_annotation(name))
