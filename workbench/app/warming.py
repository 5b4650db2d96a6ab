"""Warming up: opening and learning ahead of time what a first answer would otherwise wait for."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.app.workbench import Workbench
from workbench.core import TranslationFailed
from workbench.languages import ENGLISH, language
from workbench.pipeline import Recipe

UNKNOWN_WORD = "qzxv"
"""A word of no language: no translation memory contains it, so the translator has to learn its word gloss."""


def warm_up(workbench: Workbench, recipe: Recipe, codes: Sequence[str]) -> None:
    """Asks a question with the recipe once, uncached, then lets the translator learn its gloss for each language.

    Raises what the workbench raises; stores nothing but what a first answer would store too.
    """
    workbench.ask(f"Radio {UNKNOWN_WORD}?", ENGLISH, recipe, cached=False)
    translator = workbench.registry.translator(recipe.translator)
    for code in codes:
        for source, target in ((code, ENGLISH), (ENGLISH, code)):
            try:
                translator.translate([UNKNOWN_WORD], language(source).code, language(target).code)
            except TranslationFailed:
                continue
