"""What is known of scripts: character classes, codes, and the shares of scripts in a text."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, strategies as st

from workbench.languages import catalogue
from workbench.languages.catalogue import known_languages, language, script_of, script_shares


def test_script_shares_count_letters_only() -> None:
    assert script_shares("ab, 12 да!") == {"Latn": 0.5, "Cyrl": 0.5}
    assert script_shares("12 !") == {}


def test_the_script_of_a_text_is_that_of_most_letters() -> None:
    assert script_of("Wi-Fi в Хельсинки") == "Cyrl"
    assert script_of("123 !") == ""


@given(st.text(max_size=40))
def test_shares_are_of_all_letters_and_largest_first(text: str) -> None:
    shares = list(script_shares(text).values())
    assert all(0 < share <= 1 for share in shares)
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("letter", ["漢", "か", "カ", "ー", "ไ", "ລ", "ខ", "မ", "ཀ"])
def test_letters_of_spaceless_scripts(letter: str) -> None:
    assert regex.fullmatch(rf"[{catalogue.SPACELESS}]", letter)


@pytest.mark.parametrize("letter", ["a", "я", "ب", "ש", "한", "क", "1", " ", "。"])
def test_other_characters_are_not_of_spaceless_scripts(letter: str) -> None:
    assert not regex.fullmatch(rf"[{catalogue.SPACELESS}]", letter)


def test_the_spaceless_scripts_are_the_dense_and_the_brahmic_ones() -> None:
    assert all(regex.fullmatch(rf"[{catalogue.DENSE}]", letter) for letter in "漢かカー")
    assert all(regex.fullmatch(rf"[{catalogue.SPACELESS_BRAHMIC}]", letter) for letter in "ไລខမཀ")
    assert not regex.search(rf"[{catalogue.DENSE}]", "ไລខမཀ")


def test_the_long_vowel_mark_belongs_to_kana_but_to_no_script() -> None:
    assert regex.fullmatch(rf"[{catalogue.KATAKANA}]+", "ビール")
    assert not regex.search(rf"[{catalogue.HAN_AND_KANA}]", "ー")
    assert script_shares("ー") == {}


def test_the_languages_without_spaces_are_those_of_spaceless_scripts() -> None:
    sample = {"Hani": "漢", "Hira": "か", "Kana": "カ", "Thai": "ไ", "Laoo": "ລ", "Khmr": "ខ", "Mymr": "မ", "Tibt": "ཀ"}
    assert all(catalogue.PATTERNS[code].match(letter) for code, letter in sample.items())
    for item in known_languages():
        # Korean, with its few Han, is written with spaces.
        assert item.spaceless == (item.letter_scripts <= sample.keys()), item.code


def test_the_letters_of_a_language_may_be_of_several_scripts() -> None:
    assert language("ja").letter_scripts == {"Hani", "Hira", "Kana"}
    assert language("fi").letter_scripts == {"Latn"}
    assert language("xx").letter_scripts == {""}


def test_languages_that_require_a_script_are_written_in_it() -> None:
    for code, required in catalogue.REQUIRED.items():
        assert set(required) <= language(code).letter_scripts


def test_every_code_is_one_that_a_language_or_a_letter_has() -> None:
    codes = {item.script for item in known_languages()} | set(catalogue.PATTERNS)
    assert catalogue.UNSTOPPED | set(catalogue.MEMBERS) <= codes
