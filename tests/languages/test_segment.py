"""Words, index tokens and sentences in every script."""

import pytest
from hypothesis import given, strategies as st

from tests.reference.texts import written_texts
from workbench.languages.normalise import search_form
from workbench.languages.segment import (
    PIECE_TEXTS,
    PIECES,
    RUN,
    SENTENCE_LIMIT,
    THAI_LIMIT,
    WORD,
    _run_tokens,
    index_tokens,
    is_heading,
    sentences,
    sentences_around,
    words,
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def tokens_of_the_text_at_once(text: str) -> list[str]:
    runs = [run for word in WORD.findall(search_form(text)) for run in RUN.finditer(word)]
    return [token for run in runs for token in _run_tokens(run.lastgroup or "", run.group())]


@given(
    st.text(st.one_of(st.characters(), st.sampled_from(" \t\n\x1c\x85\xa0\u3000\u200b\xad\u0301\u0307İıς’ﷺ¨ｶﾞ각ङ्मँ़ا١")))
)
def test_a_text_has_the_tokens_of_its_pieces(text: str) -> None:
    assert index_tokens(text) == tokens_of_the_text_at_once(text)


def test_every_text_of_the_sample_and_of_xquad_has_the_tokens_of_its_pieces() -> None:
    assert [text for text in written_texts() if index_tokens(text) != tokens_of_the_text_at_once(text)] == []


def test_no_more_pieces_are_kept_than_the_limit() -> None:
    for number in range(PIECES + 10):
        PIECE_TEXTS[str(number)]
    assert len(PIECE_TEXTS) <= PIECES
    assert index_tokens("7 words") == ["7", "words", "wor"]


def test_a_hindi_word_is_not_broken_at_its_vowel_signs() -> None:
    assert words("हिन्दी में लिखना") == ["हिन्दी", "में", "लिखना"]


def test_words_are_folded() -> None:
    assert words("Ein CAFÉ, 9.30 Uhr") == ["ein", "café", "9", "30", "uhr"]


def test_a_short_word_is_a_token() -> None:
    assert index_tokens("Ox") == ["ox"]


def test_a_long_word_gives_two_beginnings_and_its_end() -> None:
    assert index_tokens("Universities") == ["univer", "uni", "~ities"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("city", "cities"),
        ("talossa", "talosta"),
        ("книга", "книгами"),
        ("πόλη", "πόλης"),
        ("الكتاب", "وكتاب"),
        ("학교에서", "학교는"),
        ("शहर", "शहरों"),
        ("ספרים", "הספרים"),
        ("東京都", "東京"),
        ("ประเทศไทย", "ประเทศ"),
        ("Fußballweltmeisterschaft", "Meisterschaft"),
    ],
)
def test_forms_of_a_word_share_a_token(one: str, other: str) -> None:
    assert set(index_tokens(one)) & set(index_tokens(other))


def test_a_number_is_never_shortened() -> None:
    assert index_tokens("19901231 in 1990") == ["19901231", "in", "1990"]


def test_each_script_within_a_word_is_cut_by_its_rules() -> None:
    assert index_tokens("NHK放送") == ["nhk", "放", "送", "放送"]


def test_single_kana_are_not_tokens_where_there_is_a_pair() -> None:
    assert index_tokens("すし") == ["すし"]


def test_hangul_gives_pairs_of_syllables() -> None:
    assert index_tokens("대한민국") == ["대한", "한민", "민국"]


def test_punctuation_alone_gives_no_token() -> None:
    assert index_tokens("?! … 。 <>") == []


@given(st.text())
def test_index_tokens_hold_no_space(text: str) -> None:
    assert all(token and not any(letter.isspace() for letter in token) for token in index_tokens(text))


@given(st.text())
def test_sentences_are_in_order_and_omit_only_white_space(text: str) -> None:
    last = 0
    for start, end in sentences(text):
        assert not text[last:start].strip()
        assert start < end
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        last = end
    assert not text[last:].strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met J. R. Jones. They spoke.", ["Dr. Smith met J. R. Jones.", "They spoke."]),
        ("Es war am 3. Oktober. Danach nicht.", ["Es war am 3. Oktober.", "Danach nicht."]),
        ("It costs 3.50 euros. Yes.", ["It costs 3.50 euros.", "Yes."]),
        ("He came from the U.S. Army. It rained.", ["He came from the U.S. Army.", "It rained."]),
        ("“Go!” he said. “No.” She left.", ["“Go!” he said.", "“No.”", "She left."]),
        ("他来了。“好！”她说。", ["他来了。", "“好！”", "她说。"]),
        ("هل جاء؟ نعم. ذهب.", ["هل جاء؟", "نعم.", "ذهب."]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("Line one\nLine two", ["Line one", "Line two"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_thai_is_cut_at_spaces_between_thai_words_up_to_the_limit() -> None:
    phrase = "ก" * 80
    assert cut(" ".join([phrase] * 5)) == [f"{phrase} {phrase}", f"{phrase} {phrase}", phrase]


def test_thai_is_not_cut_beside_a_number_where_another_space_will_do() -> None:
    first, second = "ก" * 120, "ข" * 90
    assert cut(f"{first} {second} 1990 {'ค' * 20}") == [first, f"{second} 1990 {'ค' * 20}"]


def test_thai_phrases_are_short_where_there_are_spaces() -> None:
    assert all(len(part) <= THAI_LIMIT for part in cut(" ".join(["ภาษาไทย"] * 200)))


def test_an_overlong_sentence_is_cut_at_its_clauses() -> None:
    clause = "a clause of some words that goes on for a while, "
    parts = cut(clause * 20 + "the end.")
    assert all(len(part) <= SENTENCE_LIMIT for part in parts)
    assert all(part.endswith((",", "end.")) for part in parts)


def test_a_comma_within_a_number_does_not_end_a_clause() -> None:
    parts = cut("word " * 60 + "1,000,000 " + "word " * 60)
    assert len(parts) == 1


def test_a_long_chinese_sentence_is_cut_at_its_commas() -> None:
    parts = cut("我们今天去北京看朋友，" * 15 + "然后回家。")
    assert len(parts) > 1
    assert all(len(part) <= 100 for part in parts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The harbour\n\nIt was built of granite.", True),
        ("इतिहास\n\nयह बंदरगाह ग्रेनाइट से बना है।", True),
        ("2.1 港口\n\n它是用花岗岩建成的。", True),
        ("Population 12,345\n\nIt was built of granite by masons.", False),
        ("Capital: Kemi\n\nIt was built of granite.", False),
        ("The harbour\nIt was built of granite.", False),
        ("It is old.\n\nIt was built of granite.", False),
        ("Kemi\n\nOulu\n\nTornio", False),
    ],
)
def test_a_heading_is_a_line_apart_above_a_paragraph(text: str, expected: bool) -> None:
    assert is_heading(text, *sentences(text)[0]) is expected


def test_known_sentences_stay_whole_and_the_rest_is_split_around_them() -> None:
    text = "One. Two three. Four. Five."
    spans = sentences_around(text, [(5, 15)])
    assert [text[start:end] for start, end in spans] == ["One.", "Two three.", "Four.", "Five."]
    assert sentences_around(text, []) == sentences(text)
    assert sentences_around("", []) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("全程九个半小时。[10]票价多年未涨。", ["全程九个半小时。[10]", "票价多年未涨。"]),
        ("It opened.[3] A tram runs. [4] It rained.", ["It opened.[3]", "A tram runs. [4]", "It rained."]),
        ("पुल बना।[2] नाव चली।", ["पुल बना।[2]", "नाव चली।"]),
    ],
)  # fmt: skip
def test_the_mark_of_a_citation_is_of_the_sentence_before_it(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts
