"""The built-in translator tries exact, fuzzy and gloss, states which it used, and never passes off the original."""

import pytest

from tests.models.translation.memories import memory
from workbench.core.errors import TranslationFailed
from workbench.core.protocols import Translator
from workbench.core.records import Translation
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory, Unit


def translate(text: str, source: str, target: str) -> Translation:
    return BuiltinTranslator(memory()).translate([text], source, target)[0]


def test_it_is_a_translator_whose_identity_changes_with_the_memory() -> None:
    full, empty = BuiltinTranslator(memory()), BuiltinTranslator(TranslationMemory(()))
    assert isinstance(full, Translator)
    assert full.identity != empty.identity


def test_the_same_language_is_the_same_text() -> None:
    assert translate("Anything", "en", "en") == Translation("Anything", "en", "en", "same", 1.0)


def test_a_known_sentence_is_exact() -> None:
    assert translate("Tea grows in Assam.", "en", "ja") == Translation("茶はアッサムで育つ。", "en", "ja", "exact", 1.0)


def test_known_sentences_in_a_row_are_exact_and_joined_as_the_target_writes() -> None:
    text = "Tea grows in Assam. Tea grows in Japan."
    assert translate(text, "en", "es").text == "El té crece en Assam. El té crece en Japón."
    assert translate(text, "en", "ja").text == "茶はアッサムで育つ。茶は日本で育つ。"
    assert translate(text, "en", "ja").kind == "exact"


def test_a_similar_sentence_is_fuzzy_with_its_match() -> None:
    translation = translate("Marconi sent the radio signals in 1895.", "en", "es")
    assert translation.kind == "fuzzy" and translation.match == pytest.approx(2 * 34 / 72)


def test_sentences_of_different_kinds_are_mixed_and_weighted_by_length() -> None:
    translation = translate("Tea grows in Assam. Marconi sent the radio signals in 1895.", "en", "es")
    assert translation.kind == "mixed"
    assert translation.match == pytest.approx((19 * 1 + 39 * 2 * 34 / 72) / (19 + 39))


def test_a_short_answer_is_taken_from_inside_a_sentence() -> None:
    translation = translate("Popov", "en", "ru")
    assert (translation.text, translation.kind) == ("Попов", "gloss")


def test_a_number_stays_as_it_is() -> None:
    assert translate("1895", "en", "ru").text == "1895"


def test_a_text_of_which_nothing_is_known_fails_and_is_quoted() -> None:
    with pytest.raises(TranslationFailed, match=r"Xylophone.*English to Spanish"):
        translate("Xylophone", "en", "es")


def test_an_empty_memory_translates_nothing() -> None:
    with pytest.raises(TranslationFailed):
        BuiltinTranslator(TranslationMemory(())).translate(["Tea grows."], "en", "es")


def test_an_empty_text_fails() -> None:
    with pytest.raises(TranslationFailed):
        translate("", "en", "es")


def test_sentences_of_a_script_without_full_stops_are_matched_by_the_memory() -> None:
    first, second = "ชาเติบโตใน อัสสัม", "ป๊อปอฟ แสดงเครื่องรับ"
    thai = TranslationMemory(
        (Unit("1", (("en", "Tea grows in Assam."), ("th", first))), Unit("2", (("en", "Popov came."), ("th", second))))
    )
    translation = BuiltinTranslator(thai).translate([f"{first} {second}"], "th", "en")[0]
    assert (translation.text, translation.kind) == ("Tea grows in Assam. Popov came.", "exact")
