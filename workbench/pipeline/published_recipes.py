"""The papers' configurations as shipped recipes, each with its paper, its table and how it departs from them.

Each is one YAML file in `workbench/pipeline/recipes`, checked when loaded; adding a file adds a recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from workbench.core import DataError, UsageError, shorten, unknown_name
from workbench.pipeline.recipe import Recipe, make_recipe, recipe_from_file
from workbench.workspace import read_mappings

KEYS = ("title", "paper", "place", "departs", "recipe")


@dataclass(frozen=True, slots=True)
class ShippedRecipe:
    """A recipe after a paper. `place` is the table or section with its figures.

    `departs` states in sentences what the paper did differently or does not say.
    """

    name: str
    title: str
    paper: str
    place: str
    departs: tuple[str, ...]
    recipe: Recipe

    @property
    def source(self) -> str:
        """Paper and place, as people cite them."""
        return f"{self.paper}, {self.place}"


def load_shipped(folder: Traversable | None = None) -> tuple[ShippedRecipe, ...]:
    """The recipes in the YAML files of `folder` (by default the shipped ones), by file name.

    Raises DataError, one sentence that names the file, for the first thing that is wrong.
    """
    root = files("workbench.pipeline").joinpath("recipes") if folder is None else folder
    return tuple(_shipped(file, data) for file, data in read_mappings(root, "Published recipe", ", ".join(KEYS)))


@cache
def shipped_recipes() -> tuple[ShippedRecipe, ...]:
    """The shipped recipes, loaded once."""
    return load_shipped()


def shipped_recipe(name: str) -> ShippedRecipe:
    """The shipped recipe called `name`. Raises UsageError for any other."""
    for item in shipped_recipes():
        if item.name == name.casefold():
            return item
    names = [item.name for item in shipped_recipes()]
    raise unknown_name("published recipe", name, names, command="For example: --recipe chirkova-best")


def _shipped(file: str, data: Mapping[str, object]) -> ShippedRecipe:
    for key in data:
        if key not in KEYS:
            raise _fault(file, f"unknown key “{shorten(key)}”; allowed are {', '.join(KEYS)}")
    departs, choices = data.get("departs", []), data.get("recipe")
    if not isinstance(departs, list) or not all(isinstance(line, str) and line for line in departs):
        raise _fault(file, "“departs” must be a list of sentences")
    if not isinstance(choices, dict):
        raise _fault(file, "“recipe” must contain the recipe's choices")
    try:
        recipe = make_recipe(choices)
    except UsageError as error:
        raise _fault(file, str(error).removesuffix(".")) from None
    return ShippedRecipe(
        name=file.removesuffix(".yaml"),
        title=_text(file, data, "title"),
        paper=_text(file, data, "paper"),
        place=_text(file, data, "place"),
        departs=tuple(departs),
        recipe=recipe,
    )


def _text(file: str, data: Mapping[str, object], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _fault(file, f"“{key}” must be a text that is not empty")
    return value


def _fault(file: str, what: str) -> DataError:
    return DataError(f"Published recipe {file}: {what}.")


def recipe_named(name: str) -> tuple[str, Recipe]:
    """The recipe in a file, or a shipped one, with the name that clients call it by. Raises UsageError."""
    shipped = {item.name: item.recipe for item in shipped_recipes()}
    if name in shipped:
        return name, shipped[name]
    path = Path(name)
    if not path.exists():
        raise UsageError(
            f"“{shorten(name)}” is neither a published recipe (list them: recipes list) nor a file. For example: "
            "--recipe recipe.yaml"
        )
    return path.stem, recipe_from_file(path)
