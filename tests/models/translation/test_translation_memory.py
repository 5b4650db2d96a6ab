"""The memory looks up sentences exactly, by similarity and through English, and none that says something else."""

import pytest

from tests.models.translation.memories import UNITS, memory
from workbench.models.translation.translation_memory import Match, TranslationMemory, Unit, numbers


def test_case_width_and_edge_punctuation_do_not_matter_to_an_exact_match() -> None:
    assert memory().exact("  ｔea grows in assam", "en", "ja") == Match("茶はアッサムで育つ。", 1.0)


def test_languages_without_a_common_unit_meet_through_english() -> None:
    match = memory().exact("Marconi envió señales de radio en 1895.", "es", "fi")
    assert match == Match("Marconi lähetti radiosignaaleja vuonna 1895.", 1.0)


def test_a_sentence_it_lacks_has_no_exact_match() -> None:
    assert memory().exact("Tea grows in Kenya.", "en", "es") is None


def test_a_similar_sentence_comes_with_its_similarity() -> None:
    match = memory().fuzzy("Marconi sent the radio signals in 1895.", "en", "es")
    # 34 characters against 38, edges apart: 2 · 34 / 72
    assert match is not None and match.text == "Marconi envió señales de radio en 1895."
    assert match.similarity == pytest.approx(2 * 34 / 72)


def test_a_similar_sentence_through_english_has_the_product_of_the_similarities() -> None:
    match = memory().fuzzy("Marconi envió las señales de radio en 1895.", "es", "fi")
    assert match is not None and match.text == "Marconi lähetti radiosignaaleja vuonna 1895."
    assert 0.75 <= match.similarity < 1


def test_a_similar_sentence_with_another_number_is_refused() -> None:
    assert memory().fuzzy("Marconi sent radio signals in 1896.", "en", "es") is None


def test_a_similar_sentence_with_another_name_is_refused() -> None:
    assert memory().fuzzy("Marcello sent radio signals in 1895.", "en", "es") is None


def test_a_dissimilar_sentence_is_refused() -> None:
    assert memory().fuzzy("Coffee is drunk everywhere.", "en", "es") is None


def test_digits_of_other_scripts_are_the_same_numbers() -> None:
    assert numbers("ปี ๑๘๙๕") == numbers("1895") == numbers("عام ١٨٩٥")


def test_the_fingerprint_distinguishes_memories() -> None:
    assert memory().fingerprint == memory().fingerprint
    assert memory().fingerprint != TranslationMemory((*UNITS, Unit("7", (("en", "More"),)))).fingerprint


def test_it_names_the_languages_of_all_units_in_order() -> None:
    assert memory().languages == ("en", "es", "fi", "ja", "ru")
