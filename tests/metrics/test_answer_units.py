"""Usable gold answers, and the units of a text."""

import pytest
from hypothesis import given, strategies as st

from workbench.languages.catalogue import language
from workbench.languages.segment import words
from workbench.metrics.answers.flexible_em import units, usable_golds


@given(st.text(max_size=60))
def test_units_joined_are_the_segmenters_words(text: str) -> None:
    assert "".join(units(text)) == "".join(words(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("北京 2008", ["北", "京", "2008"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("iPhoneの発売", ["iphone", "の", "発", "売"]),
    ],
)
def test_scripts_without_spaces_give_characters_with_their_marks(text: str, expected: list[str]) -> None:
    assert units(text) == expected


def test_golds_of_which_nothing_is_left_are_not_usable() -> None:
    assert usable_golds(["The", "?", "", "Paris"], language("en")) == ["Paris"]
