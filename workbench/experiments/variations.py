"""What an experiment varies beside its matrix: any other field of a recipe, and the chunking of its corpora."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from pydantic import ValidationError

from workbench.core import UsageError, shorten, unknown_name
from workbench.data import checked_chunking, sister_name
from workbench.pipeline import Recipe, flat, make_recipe, nested, recipe_fields, words

__all__ = ["ORIGINAL", "sister_name"]

MATRIX_CHOICES: Mapping[str, str] = {
    "corpus": "corpus",
    "mode": "modes",
    "scope": "scopes",
    "prompt": "prompts",
    "generator": "models",
    "k": "k",
}
"""The fields of a recipe that the matrix sets, and the names that they have there."""
ORIGINAL = "original"
"""Stands for a corpus as it is, among chunkings."""
VALUES_LIMIT = 200

Combination = Mapping[str, Any]


def variable_fields() -> tuple[str, ...]:
    """The fields that can stand under `vary`, in the recipe's order."""
    return tuple(name for name in recipe_fields() if name not in MATRIX_CHOICES)


def not_of_matrix(names: Iterable[str], place: str) -> None:
    """Raises UsageError for the first name that the matrix sets; `place` is the key it stands under."""
    if twice := [name for name in names if name in MATRIX_CHOICES]:
        raise UsageError(
            f"“{twice[0]}” is set by the matrix and cannot stand under “{place}”. Write it as "
            f"“{MATRIX_CHOICES[twice[0]]}:”"
        )


def checked_variations(fields: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The values by field as a recipe takes them, each once. `shared` are the choices of all runs.

    Raises UsageError for a field that cannot be varied or is shared already, and for a value that is not allowed.
    """
    not_of_matrix(fields, "vary")
    fixed = set(nested_names(shared))
    allowed = variable_fields()
    values: dict[str, tuple[Any, ...]] = {}
    for name, listed in fields.items():
        if name not in allowed:
            raise unknown_name("field to vary", name, allowed)
        if name in fixed:
            raise UsageError(f"“{name}” stands under “recipe” and under “vary”. Leave one of them out.")
        items = list(listed) if isinstance(listed, list | tuple) else [listed]
        if not 0 < len(items) <= VALUES_LIMIT:
            raise UsageError(f"“vary: {name}” has {len(items)} values. Allowed: 1 to {VALUES_LIMIT}.")
        values[name] = tuple(dict.fromkeys(_checked(name, item, shared) for item in items))
    return values


def nested_names(choices: Mapping[str, Any]) -> Iterator[str]:
    """The names of plain choices, those of a part with a dot."""
    for name, value in choices.items():
        if isinstance(value, Mapping):
            yield from (f"{name}.{inner}" for inner in value)
        else:
            yield name


def checked_chunkings(names: Sequence[str]) -> tuple[str, ...]:
    """`names`, if each is a way of splitting or `original`. Raises UsageError."""
    return tuple(dict.fromkeys(name if name == ORIGINAL else checked_chunking(name) for name in names))


def combinations(vary: Mapping[str, Sequence[Any]]) -> Iterator[Combination]:
    """Every choice of one value per field, the last field fastest; one empty combination where nothing is varied."""
    for values in product(*vary.values()):
        yield dict(zip(vary, values, strict=True))


def recipe_of(combination: Combination, shared: Mapping[str, Any], matrix: Mapping[str, Any]) -> Recipe:
    """The recipe of one run. Raises UsageError for one that is not allowed, with the combination where there is one."""
    try:
        return make_recipe({**nested(combination, shared), **matrix})
    except UsageError as error:
        if not combination:
            raise
        choice_words = " · ".join(f"{name}={words(value)}" for name, value in combination.items())
        place = f"{matrix['mode']} · {choice_words}"
        raise UsageError(f"The combination {place} is not allowed. {error}") from error


def named_choices(recipe: Recipe, perturbation: str, chunking: str, varied: Combination) -> dict[str, Any]:
    """The choices of a run that its title may name, in the order of titles."""
    choices = {name: getattr(recipe, name) for name in ("mode", "scope", "prompt", "generator", "k")}
    return {**choices, "perturbation": perturbation, "chunking": chunking, **varied}


def title_words(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """For each run, given as its choices by name, the words of those in which the runs differ.

    A choice of the matrix is its value alone, as in the titles of other experiments; `k` and further fields have
    their name before it. () for all where nothing differs.
    """
    differing = [name for name in (rows[0] if rows else ()) if len({words(row[name]) for row in rows}) > 1]
    return [tuple(_title_word(name, row[name]) for name in differing) for row in rows]


def _title_word(name: str, value: Any) -> str:
    plain = name in ("mode", "scope", "prompt", "generator", "perturbation", "chunking")
    return words(value) if plain else f"{name}={words(value)}"


def _checked(name: str, value: Any, shared: Mapping[str, Any]) -> Any:
    """The value as a recipe holds it. What only a combination can refuse is left for `recipe_of`."""
    if isinstance(value, dict | list | tuple):
        raise UsageError(f"“vary: {name}” holds “{shorten(value)}”. Allowed: plain values, such as 10 or rrf.")
    try:
        return flat(Recipe.model_validate(nested({name: value}, shared)))[name]
    except ValidationError as error:
        path = tuple(name.split("."))
        field_errors = [item for item in error.errors(include_url=False) if item["loc"][: len(path)] == path]
        if field_errors:
            reason = field_errors[0]["msg"].removeprefix("Value error, ").removesuffix(".")
            raise UsageError(f"“vary: {name}” holds “{shorten(value)}”. {reason}.") from error
        return value
    except UsageError:
        return value
