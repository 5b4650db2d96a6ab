"""Fields of a recipe by name: all of them, in words and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.errors import UsageError
from workbench.pipeline.fields import (
    effective,
    field_names,
    fields_table,
    flat,
    from_words,
    nested,
    recipe_field,
    recipe_fields,
    stored_words,
    suggestions,
    without_effect,
    words,
)
from workbench.pipeline.recipe import Recipe, make_recipe


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


def test_every_field_has_a_title_of_its_own_a_description_and_titles_for_its_options() -> None:
    fields = recipe_fields().values()
    assert len({field.title for field in fields}) == len(fields)
    for field in fields:
        assert field.title[0].isupper() and field.help.endswith("."), field.name
        literals = [value for value in field.values if isinstance(value, str)]
        assert set(literals) == set(field.about.options), field.name


def test_the_page_of_the_fields_is_up_to_date() -> None:
    page = Path(__file__).parents[3] / "docs" / "recipes.md"
    assert fields_table() in page.read_text(encoding="utf-8"), "type: python -m workbench recipes fields"


def test_fields_without_effect_are_named_with_when_they_have_one() -> None:
    recipe = make_recipe({"retriever": "dense"})
    assert without_effect(recipe, ["rrf_k", "k", "normalisation"]) == (
        "Constant of RRF: no effect here, only with the retriever RRF, and where queries are expanded. "
        "Normalisation of scores: no effect here, only with the retriever CC."
    )
    assert without_effect(recipe, ["k"]) == ""


def test_recipes_that_differ_in_what_has_no_effect_are_effectively_one() -> None:
    one, other = make_recipe({"rrf_k": 10}), make_recipe({"rrf_k": 60})
    assert one.fingerprint != other.fingerprint
    assert effective(one) == effective(other)
    assert effective(one.with_(query_expansion="hyde")) != effective(other.with_(query_expansion="hyde"))


def test_a_field_that_a_recipe_does_not_have_is_answered_with_those_it_has_and_suggests_nothing() -> None:
    with pytest.raises(UsageError, match="Unknown recipe field “colour”. Allowed: "):  # noqa: RUF043
        recipe_field("colour")
    assert suggestions("dialectic") == (), "a part as a whole has no value"
