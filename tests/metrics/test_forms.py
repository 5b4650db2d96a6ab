"""The shorter ways to normalised answers give what the normaliser gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.languages import answer_form, known_languages, language, words
from workbench.metrics.forms import form, gold_form, units, usable

LANGUAGES = st.sampled_from([item.code for item in known_languages()])
ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
ARTICLES = st.lists(st.sampled_from(["the", "The", "a", "l'", "la", "x", "ab", "...", "\n", "\t"]), max_size=12).map(
    " ".join
)


@given(ASCII | ARTICLES | st.text(max_size=60), LANGUAGES)
def test_the_form_is_the_normalisers(text: str, code: str) -> None:
    assert form(text, language(code)) == answer_form(text, language(code))
    assert gold_form(text, language(code)) == answer_form(text, language(code))


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
    assert usable(["The", "?", "", "Paris"], language("en")) == ["Paris"]
