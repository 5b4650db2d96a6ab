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


VALUES: dict[object, object] = {
    "words": ["yksi", "kaksi"],
    "reader": "authors",
    "part": {"system": "Vastaa kieleen {UL}."},
}
SHAPE = {"words": list, "reader": ("authors", "nobody"), "part": {"system": "UL"}}


def test_what_has_its_shape_is_read() -> None:
    values = Block("fi.yaml", VALUES).checked(SHAPE)
    assert values == {**VALUES, "words": ("yksi", "kaksi")} and list(values) == list(SHAPE)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"words": []}, "“words” must be a list of texts that are not empty"),
        ({"words": ["yksi", 2]}, "“words” must be a list of texts that are not empty"),
        ({"words": "yksi"}, "“words” must be a list of texts that are not empty"),
        ({"reader": "somebody"}, "“reader” must be one of authors, nobody"),
        ({"part": ["Vastaa."]}, "“part” must hold keys itself"),
        ({"part": {"system": 3}}, "part: “system” must be a text"),
        ({"part": {"system": "Vastaa."}}, "part: “system” must hold {UL} and no other brace"),
        ({"part": {}}, "part: key “system” is missing"),
        ({"more": "x"}, "unknown key “more”"),
    ],
)
def test_what_has_another_shape_is_refused_by_its_place(change: dict[object, object], sentence: str) -> None:
    with pytest.raises(DataError, match=r"^Prompt file fi\.yaml") as error:
        Block("fi.yaml", {**VALUES, **change}).checked(SHAPE)
    assert sentence in str(error.value)
