"""Fields of a recipe by name: all of them, in words and back."""

from __future__ import annotations

from workbench.pipeline.recipes.recipe import Recipe, make_recipe
from workbench.pipeline.recipes.recipe_fields import (
    field_names,
    flat,
    from_words,
    nested,
    stored_words,
    suggestions,
    words,
)


def test_every_field_has_a_name_and_parts_have_theirs_with_a_dot() -> None:
    names = field_names()
    assert {name.partition(".")[0] for name in names} == set(Recipe.model_fields)
    assert "dialectic.prompts" in names and "dialectic" not in names


def test_a_recipe_made_of_its_choices_by_name_is_the_same() -> None:
    recipe = make_recipe({"mode": "drag", "dialectic": {"prompts": "four"}, "rrf_k": 10})
    assert make_recipe(nested(flat(recipe))) == recipe


def test_every_value_survives_its_words() -> None:
    recipe = make_recipe({"retriever": "rrf", "rrf_k": 10, "translate_question": True, "sentence_share": 0.5})
    written = {name: from_words(name, words(value)) for name, value in flat(recipe).items()}
    assert make_recipe(nested(written)) == recipe


def test_a_stored_recipe_has_its_defaults_too() -> None:
    stored = make_recipe({"reranker": "x"}).model_dump_json()
    assert "rrf_k" not in stored
    assert stored_words(stored)["rrf_k"] == "default"
    assert stored_words(stored)["reranker"] == "x"
    assert stored_words("") == {}


def test_a_field_with_few_values_suggests_all_of_them() -> None:
    assert set(suggestions("dialectic.prompts")) == {"one", "four"}
    assert set(suggestions("translate_question")) == {"yes", "no"}
    assert suggestions("candidates") == ("50",)
