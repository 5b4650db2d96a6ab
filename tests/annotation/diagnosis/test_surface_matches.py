"""When a wrong answer is a right one in another form, spelling, script or language, and when it only looks like it."""

from __future__ import annotations

import pytest

from workbench.annotation.diagnosis.surface_matches import surface_match


@pytest.mark.parametrize(
    ("code", "gold", "answer", "kind"),
    [
        ("tr", "kitap", "Eski bir kitabı saklarlar.", "inflected-form"),
        ("de", "Haus", "Dort stehen alte Häuser.", "inflected-form"),
        ("hi", "लड़का", "लड़के ने", "inflected-form"),
        ("ru", "Эйнар Халворсен", "Айнар Гальворсен", "transliterated-name"),
        ("ar", "محمد حسن", "Mohammed Hassan", "transliterated-name"),
        ("zh", "玛丽亚·林德", "设计者是马丽雅·琳德。", "transliterated-name"),
        ("zh", "玛丽亚·林德", "设计者是Maria Lind。", "transliterated-name"),
        ("th", "มาเรีย ลินด์", "Maria Lind", "transliterated-name"),
        ("ko", "마리아 린드", "마리야 린트", "transliterated-name"),
    ],
)
def test_a_gold_is_recognised_in_another_form_or_spelling(code: str, gold: str, answer: str, kind: str) -> None:
    match = surface_match(answer, {code: [gold]}, code)
    assert match is not None
    assert (match.kind, match.gold, match.gold_language) == (kind, gold, code)


@pytest.mark.parametrize(
    ("code", "gold", "answer"),
    [
        ("fi", "Aino Tarkka", "Aino Tarkkanen"),
        ("fi", "Tampere", "tamperelainen"),
        ("en", "Marko Virtanen", "Marko Virtala"),
        ("ru", "Пётр Лесков", "Иван Лесков"),
        ("ru", "Марин", "Морено"),
        ("it", "Marconi", "il mar Baltico"),
        ("hi", "काँच", "फूलपुर का कारखाना"),
        ("fi", "Linna 1874", "Linna 1847"),
        ("xx-unknown", "a", "a"),
    ],
)
def test_another_name_or_word_is_no_match(code: str, gold: str, answer: str) -> None:
    assert surface_match(answer, {code: [gold]}, code) is None


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("It is kept in the city hall.", "wrong-language"),
        ("city hall", "wrong-language"),
        ("Asiakirjoja säilytetään kaikille avoimessa talossa, city hall.", "code-switched"),
    ],
)
def test_a_gold_in_english_is_told_by_the_text_around_it(answer: str, kind: str) -> None:
    match = surface_match(answer, {"fi": ["kaupungintalo"], "en": ["city hall"]}, "fi")
    assert match is not None
    assert (match.kind, match.text, match.gold_language) == (kind, "city hall", "en")


def test_a_name_in_latin_letters_within_a_text_in_the_language_is_spelt_differently() -> None:
    golds = {"ru": ["Мария Линд"], "en": ["Maria Lind"]}
    match = surface_match("Мост построила Maria Lind в 1911 году.", golds, "ru")
    assert match is not None and match.kind == "transliterated-name"


def test_a_particle_written_onto_a_foreign_word_does_not_hide_it() -> None:
    match = surface_match("바람골 사람들은 시장에서 pottery를 팝니다.", {"ko": ["도자기"], "en": ["pottery"]}, "ko")
    assert match is not None and (match.kind, match.text) == ("code-switched", "pottery")


def test_a_gold_that_is_the_same_in_both_languages_says_nothing_of_the_language() -> None:
    assert surface_match("Somebody else", {"fi": ["Nokia"], "en": ["Nokia"]}, "fi") is None
