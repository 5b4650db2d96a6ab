"""Which encoders a corpus is indexed by without being asked to, and whether they are here."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.components import adapters_for, missing_packages, searches_on_demand
from workbench.pipeline import Recipe


def encoders_on_demand() -> tuple[str, ...]:
    """The encoders that index a new corpus in the background, whether their packages are installed or not."""
    return tuple(item.name for item in adapters_for("encoder") if item.indexes_on_demand)


def installed_on_demand() -> tuple[str, ...]:
    """Those of them whose packages are installed; () on a platform that has none of these."""
    return tuple(name for name in encoders_on_demand() if not missing_packages(name, "encoder"))


def index_wish(recipe: Recipe) -> str:
    """The encoder whose index a recipe searches and that can be built on demand; "" for none."""
    can_be_built = searches_on_demand(recipe) and not missing_packages(recipe.encoder, "encoder")
    return recipe.encoder if can_be_built else ""


def index_wishes(recipes: Iterable[Recipe]) -> tuple[tuple[str, str], ...]:
    """The (corpus, encoder) pairs of `index_wish` over recipes, each once, in order."""
    pairs = ((recipe.corpus, index_wish(recipe)) for recipe in recipes)
    return tuple(dict.fromkeys(pair for pair in pairs if pair[1]))
