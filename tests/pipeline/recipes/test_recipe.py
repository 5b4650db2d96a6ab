"""Recipes: every choice in one value, written as YAML and read back, with no silent defaults for mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings, strategies as st

from workbench.core.errors import UsageError
from workbench.pipeline.choices import MODES, SCOPES, mode
from workbench.pipeline.prompts.variants import VARIANTS
from workbench.pipeline.recipe import (
    FORM,
    Balance,
    Recipe,
    RetrieverName,
    make_recipe,
    recipe_from_file,
    recipe_to_yaml,
)

DEFAULT_SCOPES = {"monorag": "ul", "trag": "en", "multirag": "all", "crossrag": "all", "drag": "all", "pivot": "all"}
CHOICES = {
    "mode": st.sampled_from([item.name for item in MODES]),
    "scope": st.sampled_from(SCOPES),
    "prompt": st.sampled_from([item.name for item in VARIANTS]),
    "retriever": st.sampled_from(get_args(RetrieverName)),
    "balance": st.sampled_from(get_args(Balance)),
    "k": st.integers(1, 20),
    "candidates": st.integers(1, 200),
    "translate_question": st.booleans(),
    "corpus": st.sampled_from(["sample", "no", "1e3", "0x10", "null"]),
    "dialectic": st.fixed_dictionaries(
        {"argument_language": st.sampled_from(["en", "no", "th"]), "explanation": st.booleans()}
    ),
}


@settings(max_examples=80)
@given(st.fixed_dictionaries({}, optional=CHOICES))
def test_a_recipe_comes_back_from_yaml_as_it_was(choices: dict[str, Any]) -> None:
    recipe = make_recipe(choices)
    again = FORM.read(recipe_to_yaml(recipe), "mine.yaml")
    assert again == recipe and again.fingerprint == recipe.fingerprint


@pytest.mark.parametrize(("name", "expected"), DEFAULT_SCOPES.items())
def test_a_mode_sets_its_default_scope(name: str, expected: str) -> None:
    recipe = make_recipe({"mode": name})
    assert recipe.scope == expected == mode(name).scope
    assert recipe.departure == ""
    assert make_recipe({"mode": name, "scope": None}) == recipe


def test_another_scope_is_reported_as_a_departure_from_the_paper() -> None:
    departure = make_recipe({"mode": "monorag", "scope": "en"}).departure
    assert departure == (
        "monoRAG: the paper searches the user's language; you search English (Ranaldi et al. (2025, CrossRAG))."
    )


def test_the_baseline_searches_nothing_and_so_departs_from_nothing() -> None:
    assert make_recipe({"mode": "baseline", "scope": "ul"}).departure == ""


def test_an_empty_recipe_is_multirag_over_the_sample() -> None:
    recipe = make_recipe({})
    assert (recipe.mode, recipe.scope, recipe.corpus, recipe.retriever, recipe.candidates, recipe.k) == (
        "multirag",
        "all",
        "sample",
        "hybrid",
        50,
        5,
    )
    assert recipe == Recipe()


def test_the_same_choices_have_the_same_fingerprint_however_given() -> None:
    assert make_recipe({"mode": "TRAG"}).fingerprint == make_recipe({"scope": "en", "mode": "trag"}).fingerprint


@pytest.mark.parametrize(
    "choice", [{"k": 4}, {"scope": "en"}, {"prompt": "reply-short-en"}, {"dialectic": {"prompts": "four"}}]
)
def test_any_other_choice_has_another_fingerprint(choice: dict[str, Any]) -> None:
    assert make_recipe(choice).fingerprint != make_recipe({}).fingerprint


def test_a_changed_copy_is_checked_like_a_new_one() -> None:
    assert make_recipe({}).with_(k=3).k == 3
    with pytest.raises(UsageError, match="k is “0”"):
        make_recipe({}).with_(k=0)


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({"mod": "trag"}, "Unknown recipe key “mod”. Allowed: balance, builtin_view, candidates, centring"),
        (
            {"dialectic": {"promts": "one"}},
            "Unknown recipe key “dialectic.promts”. Allowed: argument_language, argument_language_in",
        ),
        ({"mode": "rag"}, "Unknown mode “rag”. Allowed: baseline, crossrag"),
        ({"mode": ["trag"]}, "Unknown mode"),
        ({"scope": "mars"}, "Unknown scope “mars”. Allowed: all, en"),
        ({"scope": ["en"]}, "Unknown scope"),
        ({"prompt": "be-nice"}, "Unknown prompt"),
        ({"retriever": "magic"}, "retriever is “magic”"),
        ({"k": 21}, "k is “21”"),
        ({"k": "many"}, "k is “many”"),
        ({"candidates": 201}, "candidates is “201”"),
        ({"balance": "fair"}, "balance is “fair”"),
        ({"dialectic": {"argument_language": "klingon"}}, "Unknown language “klingon”"),
        ({"dialectic": "one"}, "dialectic is “one”"),
        ({1: 2}, "recipe"),
    ],
)
def test_what_is_not_allowed_is_reported_in_one_sentence(choices: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_recipe(choices)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n- b",
        "just words",
        "mode: [",
        "mode: multirag\n  k: 5",
        "k: 2024-99-99",
        "[" * 600,
        "#" * 8_001,
        "a: &a [*a]",
        "? [1]\n: 2",
        "\x00",
    ],
)
def test_a_text_that_is_not_a_recipe_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        FORM.read(text, "mine.yaml")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


def test_yaml_that_would_unfold_without_end_is_refused_at_once() -> None:
    layers = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))
    with pytest.raises(UsageError):
        FORM.read(f"a0: &a0 [x]\n{layers}\nk: *a11", "mine.yaml")
    with pytest.raises(UsageError):
        FORM.read("k: " + "".join(f"&a{n} [" for n in range(2)) + "]" * 2, "mine.yaml")


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        recipe_from_file(tmp_path / "missing.yaml")
    with pytest.raises(UsageError, match="is not an ordinary file"):
        recipe_from_file(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("mode: bösartig".encode("latin-1"))
    with pytest.raises(UsageError, match="cannot be read as UTF-8"):
        recipe_from_file(tmp_path / "latin.yaml")


def test_every_mode_is_explained_with_its_source() -> None:
    assert [item.name for item in MODES] == ["baseline", "monorag", "trag", "multirag", "crossrag", "drag", "pivot"]
    assert all(item.title and item.source and item.explanation.endswith(".") for item in MODES)
