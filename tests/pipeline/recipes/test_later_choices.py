"""Choices that came later: settable, checked, and no part of the fingerprint of a recipe that does without them."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.errors import UsageError
from workbench.pipeline.recipe import make_recipe, recipe_to_yaml

DEFAULTS = {
    "max_new_tokens": None,
    "user_turn": "follows",
    "rrf_k": None,
    "fusion_weight": None,
    "fusion_depth": None,
    "centring": None,
    "levelling": None,
    "sentence_share": None,
    "builtin_view": None,
    "exact_search": False,
    "query_expansion": "none",
    "expander": "",
    "hyde_passages": 8,
    "compressor": "none",
    "compressor_model": "",
    "passage_order": "ranked",
    "normalisation": None,
    "neighbours": 0,
    "neighbour_side": "both",
    "score_threshold": None,
    "score_percentile": None,
    "dialectic": {"extraction": True, "argument_language_in": "all"},
}
SET: list[dict[str, Any]] = [
    {"max_new_tokens": 64},
    {"user_turn": "en"},
    {"rrf_k": 3},
    {"fusion_weight": 0.3},
    {"fusion_depth": 20},
    {"centring": 0.7},
    {"levelling": 0.5},
    {"sentence_share": 0.0},
    {"builtin_view": False},
    {"exact_search": True},
    {"query_expansion": "hyde"},
    {"expander": "gpt-4o"},
    {"hyde_passages": 4},
    {"compressor": "refine"},
    {"compressor_model": "gpt-4o"},
    {"passage_order": "long-context"},
    {"normalisation": "z-score"},
    {"neighbours": 1},
    {"neighbour_side": "previous"},
    {"score_threshold": 0.0},
    {"score_percentile": 0.5},
    {"dialectic": {"extraction": False}},
    {"dialectic": {"argument_language_in": "extraction"}},
]


@pytest.mark.parametrize(
    ("choices", "fingerprint"),
    [
        ({}, "b6c3a41f75261d8f"),
        ({"mode": "drag"}, "264d25a382a8a491"),
        ({"mode": "crossrag", "k": 3, "generator": "gpt-4o"}, "6c1e4db08e46130e"),
        ({"mode": "drag", "dialectic": {"prompts": "four", "explanation": False}}, "b37cc7387e1e713c"),
    ],
)
def test_old_recipes_keep_their_fingerprint(choices: dict[str, Any], fingerprint: str) -> None:
    assert make_recipe({"encoder": "builtin", **choices}).fingerprint == fingerprint
    inner = {**DEFAULTS["dialectic"], **choices.get("dialectic", {})}  # type: ignore[dict-item]
    assert make_recipe({"encoder": "builtin", **DEFAULTS, **choices, "dialectic": inner}).fingerprint == fingerprint


@pytest.mark.parametrize("choices", SET, ids=str)
def test_each_is_written_where_it_is_set_and_changes_the_fingerprint(choices: dict[str, Any]) -> None:
    recipe = make_recipe(choices)
    name, value = next(iter(choices.items()))
    line = ": ".join(map(str, next(iter(value.items())))) if isinstance(value, dict) else f"{name}: {value}"
    assert line.lower() in recipe_to_yaml(recipe)
    assert line.lower() not in recipe_to_yaml(make_recipe({}))
    assert recipe.fingerprint != make_recipe({}).fingerprint
    assert make_recipe(recipe.model_dump()) == recipe


@pytest.mark.parametrize(
    "choices",
    [
        {"max_new_tokens": 0},
        {"max_new_tokens": "many"},
        {"user_turn": "fi"},
        {"fusion_weight": 1.5},
        {"rrf_k": -1},
        {"query_expansion": "guess"},
        {"compressor": "zip"},
        {"passage_order": "random"},
        {"normalisation": "rank"},
        {"neighbours": 6},
        {"neighbour_side": "left"},
        {"score_threshold": float("nan")},
        {"score_percentile": 0.0},
    ],
    ids=str,
)
def test_what_is_not_allowed_is_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(choices))):
        make_recipe(choices)
