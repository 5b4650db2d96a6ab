"""Which encoders a corpus is indexed by without being asked to, whether they are here, and what they do not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.components.discovery import adapters_for
from workbench.components.packages import missing_packages
from workbench.components.reference import adapter_of, reference
from workbench.recipes.recipe import Recipe


def encoders_on_demand() -> tuple[str, ...]:
    """The encoders that index a new corpus in the background, whether their packages are installed or not."""
    return tuple(item.name for item in adapters_for("encoder") if item.indexes_on_demand)


def installed_on_demand() -> tuple[str, ...]:
    """Those of them whose packages are installed; () on a platform that has none of these."""
    return tuple(name for name in encoders_on_demand() if not missing_packages(name, "encoder"))


def index_wish(recipe: Recipe) -> str:
    """The encoder whose index a recipe searches and that can be built on demand; "" for none."""
    if recipe.mode == "baseline" or recipe.retriever in ("lexical", "sparse"):
        return ""
    adapter = adapter_of(reference(recipe.encoder, "encoder"), "encoder")
    return recipe.encoder if adapter.indexes_on_demand and not missing_packages(recipe.encoder, "encoder") else ""


def index_wishes(recipes: Iterable[Recipe]) -> tuple[tuple[str, str], ...]:
    """The (corpus, encoder) pairs of `index_wish` over recipes, each once, in order."""
    pairs = ((recipe.corpus, index_wish(recipe)) for recipe in recipes)
    return tuple(dict.fromkeys(pair for pair in pairs if pair[1]))


def unknown_languages(encoder: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Of the passages by language, those in languages that the encoder was not trained on."""
    knows = adapter_of(reference(encoder, "encoder"), "encoder").knows_language
    return {code: count for code, count in counts.items() if not knows(code)}
