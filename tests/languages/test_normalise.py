"""Texts that look the same or mean the same become the same string."""

import pytest
from hypothesis import given, strategies as st

from tests.reference import plain
from workbench.languages.catalogue import known_languages, language
from workbench.languages.normalise import answer_form, fold, search_form

LANGUAGES = st.sampled_from([item.code for item in known_languages()])
ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
ARTICLES = st.lists(st.sampled_from(["the", "The", "a", "l'", "la", "x", "ab", "...", "\n", "\t"]), max_size=12).map(
    " ".join
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cafe\u0301", "CAFÉ"),
        ("STRASSE", "Straße"),
        ("Ｗｉｄｅ", "wide"),
        ("a\u00a0 b\n", "a b"),
        ("Zeit\u00adung", "zeitung"),
        ("\ufeffbegin", "begin"),
    ],
)
def test_fold_makes_texts_that_look_the_same_equal(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text())
def test_fold_is_idempotent_for_ascii(text: str) -> None:
    folded = fold(text.encode("ascii", "ignore").decode())
    assert fold(folded) == folded


@given(st.text())
def test_fold_leaves_no_outer_or_double_space(text: str) -> None:
    folded = fold(text)
    assert folded == folded.strip()
    assert "  " not in folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("أَحْمَد", "احمد"),
        ("مدرسة", "مدرسه"),
        ("محمـــد", "محمد"),
        ("کتاب", "كتاب"),
        ("שָׁלוֹם", "שלומ"),
        ("İstanbul", "istanbul"),
        ("ışık", "işik"),
        ("ёлка", "елка"),
        ("Αθήνα", "αθηνα"),
        ("हिन्दी", "हिंदी"),
        ("١٩٤٧", "1947"),
        ("می\u200cخواهم", "ميخواهم"),
    ],
)
def test_the_search_form_folds_letters_that_writers_interchange(one: str, other: str) -> None:
    assert search_form(one) == search_form(other)


def test_the_search_form_keeps_vietnamese_tones_apart() -> None:
    assert len({search_form(word) for word in ("ma", "má", "mà", "mả", "mã", "mạ")}) == 6


def test_the_search_form_keeps_cyrillic_short_i() -> None:
    assert search_form("край") != search_form("краи")


def test_an_answer_loses_only_the_articles_of_its_language() -> None:
    assert answer_form("The Die!", language("en")) == "die"
    assert answer_form("The Die!", language("de")) == "the"


@given(ASCII | ARTICLES | st.text(max_size=60), LANGUAGES)
def test_an_answer_is_folded_words_without_punctuation_and_articles(text: str, code: str) -> None:
    assert answer_form(text, language(code)) == plain.answer_form(text, code)


def test_a_digit_of_a_newer_unicode_than_pythons_stays_as_it_is() -> None:
    assert search_form("\U0001e4f0") == "\U0001e4f0"
