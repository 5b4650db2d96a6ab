"""Which texts count as broken by a PDF reader, and their n-grams of letters."""

from random import Random

import pytest
from hypothesis import given, strategies as st

from benchmarks.broken_text.breaking import WAYS
from tests.reference.texts import XQUAD, written_texts
from workbench.data.corpora.sample import content
from workbench.languages.segment import (
    CUT,
    CUTS,
    FEWEST_FAULTS,
    FEWEST_IN_ROWS,
    FEWEST_IN_SHORT_WORDS,
    LETTER_AND_MARKS,
    LETTERS_IN_ROWS,
    LONG_WORDED,
    LONGEST_CLUSTER,
    MARK,
    SHORT_WORDS,
    STRAY_MARKS,
    has_broken_words,
    letter_grams,
    query_grams,
)

ENGLISH = "The lake froze early that winter, and the ferries stayed in the harbour until the end of March."
HINDI = "उस साल झील जल्दी जम गई और नावें मार्च के अंत तक बंदरगाह में ही खड़ी रहीं।"
THAI = "ปีนั้นทะเลสาบเป็นน้ำแข็งเร็วกว่าปกติ เรือข้ามฟากจึงจอดอยู่ที่ท่าจนถึงสิ้นเดือนมีนาคม"
VIETNAMESE = "Năm đó hồ bị đóng băng sớm, và các phà ở lại bến cho đến cuối tháng ba, vì gió to và có ít tàu đi qua đó."


def broken(text: str, way: str) -> str:
    return WAYS[way](text, Random(1))


@pytest.mark.parametrize("language", content.languages())
def test_no_passage_of_the_sample_counts_as_broken(language: str) -> None:
    texts = [passage.searchable for passage in content.passages() if passage.language == language]
    assert [text for text in texts if has_broken_words(text)] == []


@pytest.mark.parametrize("way", ["letters", "signs"])
@pytest.mark.parametrize("language", content.languages())
def test_every_passage_of_the_sample_counts_as_broken_once_its_letters_are_apart(language: str, way: str) -> None:
    texts = [passage.searchable for passage in content.passages() if passage.language == language]
    assert [text for text in texts if not has_broken_words(broken(text, way))] == []


@pytest.mark.skipif(not XQUAD.is_dir(), reason="XQuAD is not here (../shared/data/xquad)")
def test_no_paragraph_of_xquad_counts_as_broken() -> None:
    from benchmarks.segmentation import xquad

    passages = [passage for language in xquad.languages(XQUAD) for passage in xquad.load(XQUAD, language)[0]]
    assert [passage.id for passage in passages if has_broken_words(passage.searchable)] == []


@pytest.mark.parametrize(
    "text",
    [
        HINDI,
        THAI,
        VIETNAMESE,
        "J. R. R. Tolkien, C. S. Lewis, A. A. Milne, P. D. James, T. S. Eliot, W. H. Auden and E. M. Forster",
        "x + y = z, a b = c, f ( x ) = a x + b, where a, b and c are numbers and x, y and z are not",
        "1 2 3 4 5 6 7 8 9\n2 4 6 8 0 2 4 6 8\n3 6 9 2 5 8 1 4 7",
        "US UK FR DE IT ES PT RU CN JP KR TH FI SE NO DK",
        "Y a-t-il un lac ? Il y en a à côté, où l’on va à pied ; il n’y a ni gué ni bac.",
        "나는 그 집에 갈 수 있고 너는 이 길로 올 수 없다. 이 말은 참 길다.",
        "北 京",
        "",
        "\0\0\0\0\0\0",
        "W O R D",
    ],
)
def test_texts_as_written_do_not_count_as_broken(text: str) -> None:
    assert not has_broken_words(text)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (ENGLISH, "letters"),
        (ENGLISH, "half"),
        (HINDI, "letters"),
        (HINDI, "signs"),
        (HINDI, "marks"),
        (THAI, "signs"),
        (THAI, "marks"),
        (VIETNAMESE, "letters"),
    ],
)
def test_words_broken_by_blanks_are_recognised(text: str, way: str) -> None:
    assert has_broken_words(broken(text, way))


def test_words_cut_by_control_characters_are_recognised() -> None:
    assert has_broken_words("The o\0cial of\0ce of a\0airs is di\0cult to \0nd o\0ine.")


def test_one_cut_in_a_text_is_not_enough() -> None:
    assert not has_broken_words(ENGLISH.replace("harbour", "har\0bour"))


def test_words_in_pieces_of_two_letters_are_recognised() -> None:
    text = (
        "Th e la ke fr oze ea rly th at wi nter, an d th e fer ri es st ay ed in th e ha rb our un til Ma rch en ded."
    )
    assert has_broken_words(text)


def test_a_passage_of_which_half_is_broken_counts_as_broken() -> None:
    assert has_broken_words(f"{ENGLISH} {broken(ENGLISH, 'letters')}")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", [ENGLISH, HINDI, THAI, VIETNAMESE])
def test_broken_words_have_the_n_grams_of_the_text_as_written(text: str, way: str) -> None:
    assert letter_grams(broken(text, way)) == letter_grams(text)


def test_accents_set_apart_are_joined_with_their_letters() -> None:
    assert letter_grams("cafe \u0301s") == letter_grams("cafés")


def test_a_question_gives_no_n_grams_across_its_words() -> None:
    assert query_grams("When did the lake freeze?") == ["when", "lake", "free", "reez", "eeze"]


def test_a_question_whose_words_are_broken_is_cut_as_a_passage_is() -> None:
    assert query_grams(broken(ENGLISH, "letters")) == letter_grams(ENGLISH)


def test_han_gives_characters_and_pairs() -> None:
    assert sorted(query_grams("北京市")) == sorted(["北", "京", "市", "北京", "京市"])


def test_a_question_of_short_words_is_searched_for_across_them() -> None:
    assert query_grams("who am I") == letter_grams("whoami")


def has_broken_words_counted_at_once(text: str) -> bool:
    pieces = text.split()
    letters = sum(map(str.isalpha, text))
    singles = [len(piece) <= LONGEST_CLUSTER and bool(LETTER_AND_MARKS.fullmatch(piece)) for piece in pieces]
    neighbours = zip(singles, [False, *singles], [*singles[1:], False], strict=False)
    in_rows = sum(single and (before or after) for single, before, after in neighbours)
    short = "".join(piece for piece in pieces if len(piece) <= 2 and piece.isalpha() and not piece.isupper())
    long_worded = len(LONG_WORDED.findall(short)) == len(short)
    stray = sum(not piece[0].isalnum() and MARK.match(piece) is not None for piece in pieces)
    return (
        in_rows >= max(FEWEST_IN_ROWS, LETTERS_IN_ROWS * letters)
        or (long_worded and len(short) >= max(FEWEST_IN_SHORT_WORDS, SHORT_WORDS * letters))
        or stray >= max(FEWEST_FAULTS, STRAY_MARKS * len(pieces))
        or len(CUT.findall(text)) >= max(FEWEST_FAULTS, CUTS * len(pieces))
    )


@given(st.lists(st.sampled_from(["a", "I", "of", "ab", "AB", "ด", "की", "\u093eत", "x\0y", "lake", "1", "é", "北"])))
def test_what_is_counted_by_piece_decides_as_what_is_counted_at_once(pieces: list[str]) -> None:
    text = " ".join(pieces * 5)
    assert has_broken_words(text) == has_broken_words_counted_at_once(text)


@pytest.mark.parametrize("way", WAYS)
def test_texts_of_the_sample_and_of_xquad_broken_in_each_way_are_decided_the_same(way: str) -> None:
    texts = [broken(text, way) for text in written_texts()[::7]]
    decisions = [has_broken_words(text) for text in texts]
    assert decisions == [has_broken_words_counted_at_once(text) for text in texts]
    assert True in decisions


@given(st.text())
def test_no_text_stops_the_detection_and_no_gram_has_a_blank_or_a_control_character(text: str) -> None:
    has_broken_words(text)
    grams = [*letter_grams(text), *query_grams(text)]
    assert all(gram and not any(letter.isspace() or letter < " " for letter in gram) for gram in grams)


@given(st.text(alphabet="abcdeकितาम 北京", min_size=1), st.integers(0, 9))
def test_blanks_and_control_characters_anywhere_change_no_n_gram(text: str, place: int) -> None:
    at = place * len(text) // 10
    assert letter_grams(f"{text[:at]} \0{text[at:]}") == letter_grams(text)
