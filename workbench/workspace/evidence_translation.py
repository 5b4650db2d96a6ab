"""Helps people read what a generator was given: passages in English, beside the original and outside the recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.components import parts
from workbench.languages import ENGLISH
from workbench.pipeline.stages import TranslatePassages
from workbench.pipeline.state import State
from workbench.recipes.recipe import Recipe
from workbench.records import Evidence, Translation
from workbench.workspace.workbench import Workbench


def in_english(workbench: Workbench, evidence: Sequence[Evidence], recipe: Recipe) -> Mapping[int, Translation]:
    """English by rank for each passage that came without; what the recipe's translator cannot do is left out."""
    translator = parts.translator(recipe.translator, workbench.settings.home)
    plain = tuple(item for item in evidence if item.translation is None and item.passage.language != ENGLISH)
    read = TranslatePassages(translator).run([State("", ENGLISH, evidence=plain)])[0].evidence
    return {item.rank: item.translation for item in read if item.translation is not None}
