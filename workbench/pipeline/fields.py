"""The fields of a recipe by name, those of its parts with a dot (`dialectic.prompts`), and their values in words.

Each is read from its description in `Recipe`. Nothing here names a single field, so a new one needs no change.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from workbench.core import unknown_name
from workbench.pipeline.choices import About, Node
from workbench.pipeline.recipe import Recipe

DEFAULT = "default"
"""The word for None, which leaves a choice to the component."""
YES, NO = "yes", "no"


@dataclass(frozen=True)
class RecipeField:
    """A field as `Recipe` describes it. `name` has a dot within a part; `low` and `high` are None for no limit."""

    name: str
    title: str
    help: str
    default: Any
    kinds: tuple[Any, ...]
    low: float | None
    high: float | None
    about: About

    @property
    def is_optional(self) -> bool:
        """Whether None, the component's own value, is allowed."""
        return type(None) in self.kinds

    @property
    def values(self) -> tuple[Any, ...]:
        """All values where they are few, in order, None first where it is allowed; () for any text or number."""
        first = (None,) if self.is_optional else ()
        listed = [value for kind in self.kinds if get_origin(kind) is Literal for value in get_args(kind)]
        if bool in self.kinds:
            listed = [True, False]
        listed = listed or list(self.about.options)
        return (*first, *listed) if listed else ()

    @property
    def limits(self) -> str:
        """The range of a number in words, "" where it has none."""
        return "" if self.low is None or self.high is None else f"{self.low:g} to {self.high:g}"

    def shown(self, value: Any) -> str:
        """The title of a value, or the value in words where it has none."""
        if value is None or (value == "" and self.about.unset):
            return self.about.unset or DEFAULT
        return self.about.options.get(value) or words(value)

    def has_effect(self, recipe: Recipe) -> bool:
        """Whether the field makes a difference to the answers of a recipe with these other choices."""
        return self.about.effect.when(recipe)


@cache
def recipe_fields() -> Mapping[str, RecipeField]:
    """Every field by name, in the recipe's order; of a part its fields, not the part itself."""
    return {field.name: field for field in _described(Recipe, Recipe(), "")}


def field_names() -> tuple[str, ...]:
    """The names of `recipe_fields`."""
    return tuple(recipe_fields())


def recipe_field(name: str) -> RecipeField:
    """The field called `name`. Raises UsageError."""
    if name not in recipe_fields():
        raise unknown_name("recipe field", name, recipe_fields())
    return recipe_fields()[name]


def field_title(name: str) -> str:
    """What people call a field, or a part as a whole; a name that no field has stays as it is.

    >>> field_title("rrf_k"), field_title("colour")
    ('Constant of RRF', 'colour')
    """
    info = Recipe.model_fields.get(name)
    return recipe_fields()[name].title if name in recipe_fields() else (info and info.title) or name


def fields_in_chain() -> frozenset[str]:
    """The fields of `Recipe` that do not change its components."""
    return frozenset(name for name, info in Recipe.model_fields.items() if _about(info).in_chain)


def fields_of_node(node: Node) -> Iterator[str]:
    """The fields that are decided at a step of the pipeline, a part as a whole before its own fields."""
    for name, info in Recipe.model_fields.items():
        if _about(info).node == node:
            if isinstance(info.default, BaseModel):
                yield name
            yield from (field for field in recipe_fields() if field == name or field.startswith(f"{name}."))


def model_fields() -> tuple[str, ...]:
    """The fields that name models, those that matter most for an answer first."""
    named = [field.name for field in recipe_fields().values() if field.about.role]
    first = [name for name in ("generator", "encoder", "reranker", "translator") if name in named]
    return tuple(dict.fromkeys([*first, *named]))


def effective(recipe: Recipe) -> tuple[object, ...]:
    """The values of all fields, None for one without effect: equal for recipes that must answer alike."""
    values = flat(recipe)
    return tuple(values[field.name] if field.has_effect(recipe) else None for field in recipe_fields().values())


def without_effect(recipe: Recipe, names: Iterable[str]) -> str:
    """Which of these fields have no effect under a recipe and when they have one, in sentences; "" for none."""
    titles: dict[str, list[str]] = {}
    for name in names:
        field = recipe_field(name)
        if not field.has_effect(recipe):
            titles.setdefault(field.about.effect.only, []).append(field.title)
    return " ".join(f"{', '.join(listed)}: no effect here, only {only}." for only, listed in titles.items())


def flat(recipe: Recipe) -> dict[str, Any]:
    """All choices of a recipe by name, the defaults too."""
    return dict(_flat(recipe, ""))


def nested(choices: Mapping[str, Any], base: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Choices by name as a recipe is made of them, over those of `base`.

    >>> nested({"k": 3, "dialectic.prompts": "four"}, {"dialectic": {"explanation": False}})
    {'dialectic': {'explanation': False, 'prompts': 'four'}, 'k': 3}
    """
    values = {**(base or {}), **{name: value for name, value in choices.items() if "." not in name}}
    for name, value in choices.items():
        part, dot, field = name.partition(".")
        inner = values.get(part, {})
        if dot and isinstance(inner, Mapping):  # anything else is refused by the recipe
            values[part] = {**inner, field: value}
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
    optional = name in recipe_fields() and recipe_fields()[name].is_optional
    return None if text.strip() == DEFAULT and optional else text.strip()


def suggestions(name: str) -> tuple[str, ...]:
    """The values of a field in words, where they are few; otherwise its default alone. () for a part as a whole."""
    field = recipe_fields().get(name)
    if field is None:
        return ()
    return tuple(dict.fromkeys(words(value) for value in (field.default, *field.values)))


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


def _described(model: type[BaseModel], defaults: BaseModel, before: str) -> Iterator[RecipeField]:
    for name, info in model.model_fields.items():
        default = getattr(defaults, name)
        if isinstance(default, BaseModel):
            yield from _described(type(default), default, f"{before}{name}.")
        else:
            yield RecipeField(
                f"{before}{name}",
                info.title or name.replace("_", " ").capitalize(),
                info.description or "",
                default,
                tuple(_kinds(info.annotation)),
                _limit(info, "ge"),
                _limit(info, "le"),
                _about(info),
            )


def _about(info: FieldInfo) -> About:
    return next((item for item in info.metadata if isinstance(item, About)), About())


def _limit(info: FieldInfo, name: str) -> float | None:
    return next((value for item in info.metadata if (value := getattr(item, name, None)) is not None), None)


def _kinds(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in (Union, types.UnionType):
        for kind in get_args(annotation):
            yield from _kinds(kind)
    else:
        yield annotation


def fields_table() -> str:
    """All fields as a table in Markdown, in the recipe's order: docs/recipes.md has it."""
    head = ("field", "what it is", "values", "default", "has an effect only")
    rows = [head, ("---",) * len(head)]
    for field in recipe_fields().values():
        values = "yes, no" if bool in field.kinds else ", ".join(f"`{words(value)}`" for value in field.values)
        rows.append(
            (
                f"`{field.name}`",
                f"**{field.title}**. {field.help}",
                values or field.limits or ("a model" if field.about.role else "text"),
                field.about.unset or f"`{words(field.default)}`",
                field.about.effect.only,
            )
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
