"""Languages as sourced data, and plain defaults for the rest of the world."""

from __future__ import annotations

import pytest

from workbench.core.errors import UsageError
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, PROMPT_LANGUAGES, is_known, known_languages, language


def test_the_thirteen_languages_of_chirkova_come_first_and_english_before_them() -> None:
    assert CHIRKOVA_LANGUAGES == ("en", "ar", "zh", "fr", "fi", "de", "it", "ja", "ko", "pt", "ru", "es", "th")
    assert [item.code for item in known_languages()][:13] == list(CHIRKOVA_LANGUAGES)


def test_prompts_are_in_these_and_in_the_six_of_the_other_papers_data() -> None:
    assert (*CHIRKOVA_LANGUAGES, "hi", "vi", "bn", "te", "pa", "kn") == PROMPT_LANGUAGES
    assert [item.code for item in known_languages()][: len(PROMPT_LANGUAGES)] == list(PROMPT_LANGUAGES)


@pytest.mark.parametrize("code", ["hi", "vi", "bn", "te", "pa", "kn", "ta"])
def test_the_languages_of_the_other_papers_are_known(code: str) -> None:
    assert is_known(code)


@pytest.mark.parametrize("code", ["ar", "he", "fa", "ur"])
def test_these_are_written_from_right_to_left(code: str) -> None:
    assert language(code).direction == "rtl"


def test_no_other_known_language_is() -> None:
    assert {item.code for item in known_languages() if item.direction == "rtl"} == {"ar", "he", "fa", "ur"}


def test_these_are_written_without_spaces() -> None:
    assert {item.code for item in known_languages() if item.spaceless} == {"zh", "ja", "th", "km", "lo", "my", "bo"}


def test_resource_groups_are_those_of_the_paper() -> None:
    groups = {kind: {item.code for item in known_languages() if item.resource == kind} for kind in ("high", "low")}
    assert groups["high"] == {"en", "de", "es", "fr", "it", "ja", "pt", "ru", "zh"}
    assert groups["low"] == {"ar", "fi", "ko", "th", "hi", "vi", "bn", "te"}


def test_every_known_language_has_its_names_a_script_and_a_translators_code() -> None:
    for item in known_languages():
        assert item.name and item.native and len(item.script) == 4 and item.nllb, item.code


@pytest.mark.parametrize("code", ["xx", "sw", "yue"])
def test_any_other_code_passes_with_plain_defaults(code: str) -> None:
    other = language(code)
    assert (other.code, other.name, other.direction, other.spaceless) == (code, code, "ltr", False)


@pytest.mark.parametrize("text", ["klingon", "EN", "e", "", "en-GB", "../en", "ﬁ", "e\n", "12"])
def test_what_is_not_a_code_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="--lang fi") as caught:
        language(text)
    assert "\n" not in str(caught.value)
