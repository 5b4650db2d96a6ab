"""The gloss learns words and phrases from a memory, and stores what it learnt."""

from pathlib import Path

import pytest

from tests.models.translation.memories import memory
from workbench.models.translation.word_gloss import (
    MOST_PHRASE_SENTENCES,
    Gloss,
    GlossStore,
    GlossVocabulary,
    related_counterpart,
)

pytestmark = pytest.mark.usefixtures("work_done_anew")

PAIRS = [
    ("the house", "la casa"),
    ("the green house", "la casa verde"),
    ("the book", "el libro"),
    ("a green book", "un libro verde"),
    ("Nikola Tesla had a house", "Nikola Tesla tenía una casa"),
]


def test_words_that_go_together_become_each_others_gloss() -> None:
    assert Gloss("en", "es", PAIRS).sentence("green book house 42").text == "verde libro casa 42"


def test_the_share_of_known_words_is_counted() -> None:
    # of four words zebra is unknown, and the number is known
    assert Gloss("en", "es", PAIRS).sentence("green zebra house 42").known_share == pytest.approx(3 / 4)


def test_an_unknown_name_stays_in_latin_letters_for_a_latin_target() -> None:
    assert Gloss("ru", "en", [("Привет", "Hello")]).sentence("Попов").text == "Popov"


def test_a_name_is_recognised_by_its_sound_inside_a_translated_sentence() -> None:
    phrase = Gloss("ru", "en", [("Попов показал приёмник.", "Popov showed a receiver.")]).phrase("Попов")
    assert phrase is not None and phrase.text == "Popov"


def test_a_phrase_that_no_sentence_contains_as_words_is_not_guessed() -> None:
    assert Gloss("en", "es", PAIRS).phrase("hous") is None


def test_what_was_learnt_is_stored_and_a_damaged_file_learnt_again(tmp_path: Path) -> None:
    first = GlossStore(memory(), tmp_path).gloss("es", "en")
    (file,) = tmp_path.iterdir()
    second = GlossStore(memory(), tmp_path).gloss("es", "en")
    file.write_text("{broken", encoding="utf-8")
    third = GlossStore(memory(), tmp_path).gloss("es", "en")
    assert first is not None and second is not None and third is not None
    assert first.table == second.table == third.table


def test_a_pair_without_common_sentences_has_no_gloss() -> None:
    assert GlossStore(memory()).gloss("fi", "ru") is None


def test_a_string_in_several_contexts_becomes_a_word() -> None:
    words = GlossVocabulary(["我喜欢北京烤鸭", "他去北京了", "北京很大"])
    assert "北京" in [token.form for token in words.tokens("在北京见")]


def test_tokens_have_their_positions() -> None:
    text = "El té, 茶"
    assert [text[token.start : token.end] for token in GlossVocabulary(()).tokens(text)] == ["El", "té", "茶"]


def test_a_question_word_is_known_without_having_been_learnt() -> None:
    glossed = Gloss("fi", "en", [("Radio soi.", "The radio plays.")]).sentence("Milloin")
    assert (glossed.text, glossed.known_share) == ("when", 1.0)


def test_another_form_of_a_learnt_word_counts_one_half() -> None:
    pairs = [("keksijä tuli", "the inventor came"), ("keksijä meni", "the inventor went"), ("kello soi", "bells ring")]
    glossed = Gloss("fi", "en", pairs).sentence("keksi")
    assert (glossed.text, glossed.known_share) == ("inventor", 0.5)


def test_a_word_that_only_begins_alike_is_not_related() -> None:
    assert related_counterpart("kissa", {"kirja": {"book": 0.9}}, 0.1) == ("", 0.0)


def test_what_more_related_words_mean_wins() -> None:
    table = {"keksijä": {"machine": 0.17, "inventor": 0.11}, "keksijänä": {"inventor": 0.1}}
    assert related_counterpart("keksi", table, 0.12)[0] == "inventor"


def test_pairs_without_words_teach_nothing() -> None:
    gloss = Gloss("en", "es", [("…", "¡!")])
    assert gloss.table == {}
    assert gloss.sentence("house").known_share == 0.0


def test_the_first_sentences_with_a_phrase_decide_its_translation() -> None:
    first, later = [("house", "casa")] * MOST_PHRASE_SENTENCES, [("house", "hogar")] * 3 * MOST_PHRASE_SENTENCES
    table = {"house": {"casa": 0.5, "hogar": 0.5}}
    phrase = Gloss("en", "es", first + later, table).phrase("house")
    assert phrase is not None and phrase.text == "casa"
