"""Placeholders are replaced in one pass, and never inside the values that replace them."""

from hypothesis import given, strategies as st

from workbench.workspace.yaml_files import fill


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    assert fill("{text} / {question}", {"text": "{question} {UL} {{ }} %s", "question": "why"}) == (
        "{question} {UL} {{ }} %s / why"
    )


@given(st.text(), st.text())
def test_any_text_is_inserted_verbatim(first: str, second: str) -> None:
    assert fill("<{a}|{b}>", {"a": first, "b": second}) == f"<{first}|{second}>"
