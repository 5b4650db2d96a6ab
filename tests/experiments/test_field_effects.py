"""A field that is said to have no effect under a recipe changes no step of its chain."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.app.workbench import Workbench
from workbench.experiments.chain_builder import ChainBuilder
from workbench.experiments.experiment import Run
from workbench.pipeline.fields import RecipeField, flat, nested, recipe_fields
from workbench.pipeline.recipe import Recipe, make_recipe

LOCAL = "openai-like:tiny@http://127.0.0.1:9/v1"
OTHERS = {
    "encoder": "e5-small",
    "reranker": "llama-index:llama_index.core.postprocessor:LongContextReorder",
    "translator": "google",
    "generator": LOCAL,
}
RECIPES: dict[str, dict[str, Any]] = {
    "no retrieval": {"mode": "baseline"},
    "no retrieval by a model": {"mode": "baseline", "generator": LOCAL, "query_expansion": "hyde", "neighbours": 1},
    "lexical": {"retriever": "lexical", "generator": LOCAL},
    "dense": {"retriever": "dense"},
    "rrf": {"mode": "drag", "retriever": "rrf"},
    "cc": {"mode": "trag", "retriever": "cc"},
    "dbsf": {"mode": "pivot", "retriever": "dbsf", "neighbours": 2},
    "hybrid": {"mode": "crossrag", "generator": LOCAL},
    "expanded": {"mode": "monorag", "query_expansion": "hyde", "expander": LOCAL},
    "compressed": {"mode": "drag", "compressor": "refine", "generator": LOCAL},
}


def other_value(field: RecipeField, recipe: Recipe) -> Any:
    """A value of the field that the recipe does not have."""
    value = flat(recipe)[field.name]
    if field.about.role:
        return OTHERS[field.about.role]
    if field.about.lists == "languages":
        return "fi"
    if field.values:
        return next(one for one in field.values if one not in (value, None))
    return next(one for one in (1, 2) if one != value and (field.high is None or one <= field.high))


def steps(workbench: Workbench, recipe: Recipe) -> list[tuple[str, str]]:
    """The stages that a recipe runs, each with its identity."""
    (chain,) = ChainBuilder(workbench, 0).build([Run(0, "sample", recipe)], "en")
    assert not chain.error, chain.error
    return [(stage.name, stage.identity) for stage in chain.stages]


@pytest.mark.parametrize("name", RECIPES)
def test_a_field_without_effect_changes_no_step(sample_workbench: Workbench, name: str) -> None:
    recipe = make_recipe({"encoder": "builtin", **RECIPES[name]})
    expected = steps(sample_workbench, recipe)
    idle = [field for field in recipe_fields().values() if not field.has_effect(recipe)]
    assert idle
    for field in idle:
        changed = make_recipe(nested({field.name: other_value(field, recipe)}, recipe.model_dump()))
        assert changed != recipe, field.name
        assert steps(sample_workbench, changed) == expected, field.name
