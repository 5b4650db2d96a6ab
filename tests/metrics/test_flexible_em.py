"""Flexible exact match: a gold in any form of its words is found, and inside other words it is not."""

import pytest

from tests.metrics.flexible_em_pairs import RIGHT, WRONG
from workbench.data.corpora.sample import content
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, language
from workbench.metrics.answers.flexible_em import flexible_em, flexible_em_paper


@pytest.mark.parametrize(
    ("answer", "gold", "code", "expected"),
    [
        ("It was Marconi, in 1895.", "marconi", "en", 1.0),
        ("a party", "art", "en", 0.0),
        ("a party of art", "art", "en", 1.0),
        ("in 1895", "189", "en", 0.0),
        ("答案是北京市。", "北京", "zh", 1.0),
        ("成立于1895年", "1895", "zh", 1.0),
        ("ในกรุงเทพมีวัด", "กรุงเทพ", "th", 1.0),
        ("마르코니가 발명했다", "마르코니", "ko", 1.0),
        ("1895년에", "1895", "ko", 1.0),
        ("18953", "1895", "ko", 0.0),
        ("وماركوني اخترعه", "ماركوني", "ar", 1.0),
        ("سافر للقاهرة", "القاهرة", "ar", 1.0),
        ("زماركوني", "ماركوني", "ar", 0.0),
    ],
)
def test_a_gold_matches_only_as_a_complete_token(answer: str, gold: str, code: str, expected: float) -> None:
    assert flexible_em(answer, [gold], language=language(code)).value == expected


def test_a_gold_that_normalises_to_nothing_is_unscored() -> None:
    assert flexible_em("the", ["the", "?"], language=language("en")).value is None


def test_one_of_several_golds_is_enough() -> None:
    assert flexible_em("seven", ["7", "seven"], language=language("en")).value == 1.0


def test_the_pairs_are_a_hundred_right_and_a_hundred_wrong_ones_in_thirteen_languages() -> None:
    assert {*RIGHT} == {*WRONG} == {*CHIRKOVA_LANGUAGES}
    assert [sum(map(len, pairs.values())) for pairs in (RIGHT, WRONG)] == [100, 100]


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_the_pairs_are_scored_as_they_were_judged_by_hand(code: str) -> None:
    for pairs, expected in ((RIGHT, 1.0), (WRONG, 0.0)):
        for gold, answer in pairs[code]:
            assert flexible_em(answer, [gold], language=language(code)).value == expected, (gold, answer)


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_the_published_variant_is_plain_inclusion(code: str) -> None:
    for gold, answer in (*RIGHT[code], *WRONG[code]):
        included = " ".join(gold.lower().split()) in " ".join(answer.lower().split())
        assert flexible_em_paper(answer, [gold]).value == included, (gold, answer)


def test_a_question_answers_nothing_but_what_follows_it_may() -> None:
    assert flexible_em("Is it China or India? China.", ["China"], language=language("en")).value == 1.0
    assert flexible_em("The U.S. or China?", ["U.S."], language=language("en")).value == 0.0
    # a guess, and a title that is a question
    assert flexible_em("Paris?", ["Paris"], language=language("en")).value == 1.0
    assert flexible_em("Who Framed Roger Rabbit?", ["Who Framed Roger Rabbit?"], language=language("en")).value == 1.0


def test_a_published_gold_of_white_space_is_unscored() -> None:
    assert flexible_em_paper("x", [" ", ""]).value is None


@pytest.mark.parametrize(
    ("gold", "answer", "code", "expected"),
    [
        ("Pará", "Vai para o norte.", "pt", 0.0),
        ("Pará", "Vai para o Pará.", "pt", 1.0),
        ("Pará", "Fica no Para.", "pt", 1.0),
        ("Bogotá", "bogota", "es", 1.0),
        ("São Paulo", "Fica em sao paulo.", "pt", 1.0),
        ("Лев", "Это было Львом.", "ru", 1.0),
        ("Лев Толстой", "Написано Львом Толстым", "ru", 1.0),
        ("Павел", "у Павла", "ru", 1.0),
        ("Лев", "Левша", "ru", 0.0),
        ("หก", "เขาหกล้ม", "th", 0.0),
        ("หก", "มีหกคน", "th", 1.0),
        ("กา", "ดื่มกาแฟ", "th", 0.0),
        ("ไทย", "หนังสือพิมพ์ไทยรัฐ", "th", 0.0),
        ("ไทย", "ประเทศไทย", "th", 1.0),
        ("น้ำ", "น้ำมัน", "th", 0.0),
        ("น้ำตาล", "ใส่น้ำตาลทราย", "th", 1.0),
    ],
)
def test_marks_fleeting_vowels_and_thai_compounds_tell_words_apart(
    gold: str, answer: str, code: str, expected: float
) -> None:
    assert flexible_em(answer, [gold], language=language(code)).value == expected


def sample_score(code: str, number: str, answer: str) -> float | None:
    golds = next(item.answers for item in content.questions(code) if item.id == number)
    return flexible_em(answer, golds, language=language(code)).value


@pytest.mark.parametrize(
    ("code", "number", "answer"),
    [("en", "q66", "Nepal, China"), ("en", "q66", "China and Nepal"), ("en", "q64", "Pompeii, Herculaneum"),
     ("en", "q63", "Norgay and Hillary"), ("en", "q63", "Tenzing Norgay and Sir Edmund Hillary"),
     ("en", "q65", "Pacific Ocean, Atlantic Ocean"), ("en", "q49", "a dozen"),
     ("ja", "q63", "テンジン・ノルゲイとヒラリー"), ("zh", "q63", "丹增·诺尔盖与希拉里"),
     ("th", "q63", "เทนซิง นอร์เกย์ และฮิลลารี"), ("ko", "q66", "중국과 네팔의 국경"), ("ar", "q66", "الصين، نيبال"),
     ("fi", "q66", "Kiinan, Nepalin"), ("zh", "q52", "4月13号"), ("en", "q02", "bell"), ("en", "q02", "It was Bell."),
     ("en", "q56", "8,849 m"), ("ko", "q02", "전화의 발명자로는 알렉산더 그레이엄 벨이 꼽힌다")],
)  # fmt: skip
def test_what_people_answer_to_the_sample_is_right(code: str, number: str, answer: str) -> None:
    assert sample_score(code, number, answer) == 1.0


@pytest.mark.parametrize(
    ("code", "number", "answer"),
    [("pt", "q02", "os reis de Portugal"), ("de", "q02", "Reis mit Gemüse"), ("de", "q03", "die Ader"),
     ("en", "q02", "a bell"), ("en", "q05", "a swan"), ("en", "q07", "in Florence, Italy"),
     ("it", "q29", "La ditta di Alfonso Bialetti lanciò nel 1933 la moka."),
     ("de", "q36", "Brot aus Roggen und Weizen"),
     ("ko", "q49", "12월 31일 자정에 포도를 먹는다"), ("ja", "q49", "12月31日"), ("zh", "q49", "12月31日"),
     ("zh", "q49", "十二月三十一日"), ("ja", "q08", "7月"), ("ko", "q51", "3월"), ("zh", "q55", "印度尼西亚"),
     ("zh", "q55", "印度洋"), ("zh", "q04", "矛头直指"), ("ja", "q02", "ノーベル"),
     ("th", "q40", "เปรียบ"), ("ja", "q15", "セルロイド")],
)  # fmt: skip
def test_what_only_looks_like_a_gold_of_the_sample_is_wrong(code: str, number: str, answer: str) -> None:
    assert sample_score(code, number, answer) == 0.0


@pytest.mark.parametrize(("gold", "answer"), [("أربع", "أربعين"), ("ثلاث", "ثلاثون")])
def test_a_tenfold_is_another_number(gold: str, answer: str) -> None:
    assert flexible_em(answer, [gold], language=language("ar")).value == 0.0
