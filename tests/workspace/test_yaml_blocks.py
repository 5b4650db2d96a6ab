"""Placeholders are replaced in one pass, and never inside the values that replace them."""

import pytest
from hypothesis import given, strategies as st

from workbench.core.errors import DataError
from workbench.workspace.yaml_files import Block, fill


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    assert fill("{text} / {question}", {"text": "{question} {UL} {{ }} %s", "question": "why"}) == (
        "{question} {UL} {{ }} %s / why"
    )


@given(st.text(), st.text())
def test_any_text_is_inserted_verbatim(first: str, second: str) -> None:
    assert fill("<{a}|{b}>", {"a": first, "b": second}) == f"<{first}|{second}>"


BLOCK = Block(
    "fi.yaml, plain", {"words": ["yksi", "kaksi"], "none": [], "odd": ["yksi", 2], "part": {"system": "Vastaa."}}
)


def test_a_list_of_texts_and_a_part_are_read() -> None:
    assert BLOCK.texts("words") == ("yksi", "kaksi")
    assert BLOCK.block("part").text("system") == "Vastaa."


@pytest.mark.parametrize("key", ["none", "odd", "part", "missing"])
def test_what_is_no_list_of_texts_is_refused_by_its_place(key: str) -> None:
    with pytest.raises(
        DataError, match=rf"Prompt file fi\.yaml, plain: “{key}” must be a list of texts that are not empty"
    ):
        BLOCK.texts(key)


@pytest.mark.parametrize("key", ["words", "missing"])
def test_what_is_no_part_is_refused_by_its_place(key: str) -> None:
    with pytest.raises(DataError, match=rf"Prompt file fi\.yaml, plain: “{key}” must hold keys itself"):
        BLOCK.block(key)


def test_an_error_in_a_part_names_the_part() -> None:
    with pytest.raises(DataError, match=r"Prompt file fi\.yaml, plain, part: “turn” must be a text"):
        BLOCK.block("part").text("turn")
