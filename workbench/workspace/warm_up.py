"""Warming up: what a first answer would otherwise wait for is opened, and learnt, ahead of it."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.components import parts
from workbench.errors import TranslationFailed
from workbench.languages import ENGLISH, language
from workbench.recipes.recipe import Recipe
from workbench.workspace.workbench import Workbench

UNHEARD = "qzxv"
"""A word of no language: no memory holds it, so the translator has to learn its gloss."""


def warm_up(workbench: Workbench, recipe: Recipe, codes: Sequence[str]) -> None:
    """Asks a question with the recipe once, uncached, then has the translator learn what it keeps for each language.

    Raises what the workbench raises; nothing is stored but what a first answer would store too.
    """
    workbench.ask(f"Radio {UNHEARD}?", ENGLISH, recipe, cached=False)
    translator = parts.translator(recipe.translator, workbench.settings.home)
    for code in codes:
        for source, target in ((code, ENGLISH), (ENGLISH, code)):
            try:
                translator.translate([UNHEARD], language(source).code, language(target).code)
            except TranslationFailed:
                continue
