"""What a form changes of a search space, and what it leaves."""

from __future__ import annotations

import pytest

from tests.optimise.searches import small_space
from workbench.core.errors import UsageError
from workbench.optimise.space.space_files import edited_space, value_of


def test_what_the_form_does_not_name_stays() -> None:
    space = small_space()
    assert edited_space(space, {}, {}, {}) == space
    other = edited_space(space, {"name": "Another", "questions": None}, {}, {})
    assert (other.name, other.questions, other.nodes) == ("Another", None, space.nodes)


def test_values_are_changed_and_typed_numbers_are_numbers() -> None:
    space = edited_space(small_space(), {}, {}, {(1, 0, "k"): ["5", "7"]})
    assert space.nodes[1].modules[0].values["k"] == (5, 7)
    assert {recipe.k for recipe in space.recipes()} == {5, 7}


def test_a_module_that_is_not_chosen_is_left_out_with_its_values() -> None:
    space = edited_space(small_space(), {}, {0: ["RRF"]}, {(0, 0, "retriever"): []})
    assert [module.name for module in space.nodes[0].modules] == ["RRF"]
    assert space.size == 3


@pytest.mark.parametrize(
    ("modules", "values", "sentence"),
    [
        ({0: []}, {}, "Choose at least one module of the node retrieval"),
        ({}, {(1, 0, "k"): []}, "Choose at least one value of k for the module none"),
        ({}, {(1, 0, "k"): ["many"]}, "many"),
    ],
)
def test_what_cannot_be_searched_is_a_sentence(modules: dict, values: dict, sentence: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(UsageError, match=sentence):
        edited_space(small_space(), {}, modules, values)


def test_words_are_the_values_that_they_stand_for() -> None:
    assert value_of("translate_question", "yes") is True
    assert value_of("score_threshold", "default") is None
    assert value_of("generator", "openai-like:llama3:8b@there") == "openai-like:llama3:8b@there"
    assert value_of("generator", "[broken") == "[broken"
    assert value_of("generator", "!!timestamp 1-1-1") == "!!timestamp 1-1-1"
