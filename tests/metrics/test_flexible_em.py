"""Flexible exact match: a gold in any form of its words is found, and inside other words it is not."""

from functools import cache

import pytest

from tests.metrics.flexible_em_pairs import RIGHT, WRONG
from workbench.data.corpora.sample import content
from workbench.languages import sentences
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


RIGHT_ANSWERS: dict[str, dict[str, list[str]]] = {
    "en": {
        "q02": ["bell", "It was Bell."],
        "q49": ["a dozen", "Twelve."],
        "q57": ["24 Aug 79", "August 24th", "Aug. 24"],
        "q56": ["29,032 feet", "8,849 m", "8849 m"],
        "q59": ["2,717 feet"],
        "q62": ["four miles", "6.4 km"],
        "q63": ["Norgay and Hillary", "Tenzing Norgay and Sir Edmund Hillary"],
        "q64": ["Pompeii, Herculaneum"],
        "q65": ["Pacific Ocean, Atlantic Ocean", "Pacific, Atlantic"],
        "q66": ["Nepal, China", "China & Nepal"],
    },
    "fr": {"q56": ["8 849 m", "8849 m"], "q62": ["6,4 km"], "q66": ["la Chine et le Népal"]},
    "es": {"q56": ["8849 m"], "q62": ["6,4 km"]},
    "pt": {"q62": ["6,4 km"]},
    "it": {"q62": ["6,4 km"]},
    "de": {"q62": ["6,4 km"], "q66": ["China sowie Nepal"]},
    "fi": {
        "q08": ["kuutta", "viittä", "seitsemää"],
        "q49": ["kahtatoista"],
        "q47": ["Tereshkova"],
        "q62": ["6 kilometrin"],
        "q58": ["21 196,18"],
        "q66": ["Kiinan, Nepalin"],
    },
    "ru": {
        "q28": ["Азию", "Азии"],
        "q52": ["13-го апреля"],
        "q31": ["Лу Юя"],
        "q88": ["Ланьфаня"],
        "q58": ["21 196,18"],
        "q49": ["двенадцати"],
    },
    "ar": {
        "q01": ["تيسلا"],
        "q03": ["سانتوس دومون"],
        "q05": ["لوديجين"],
        "q07": ["نيبس", "داغير"],
        "q24": ["فوردرينييه"],
        "q38": ["ماينتز"],
        "q41": ["مائة وثماني مرات"],
        "q47": ["تيرشكوفا"],
        "q52": ["13 نيسان", "في 13 أفريل"],
        "q58": ["21,196.18"],
        "q63": ["تنزينج نورجاي وإدموند هيلاري"],
        "q66": ["الصين، نيبال"],
    },
    "zh": {
        "q02": ["贝尔"],
        "q04": ["毕升", "《直指》"],
        "q09": ["亚马逊", "尼罗"],
        "q52": ["4月13号"],
        "q63": ["丹增·诺尔盖与希拉里"],
    },
    "ja": {
        "q02": ["ベル"],
        "q03": ["ライト"],
        "q15": ["ロイド"],
        "q58": ["21,196.18"],
        "q63": ["テンジン・ノルゲイとヒラリー"],
    },
    "ko": {
        "q02": [
            "벨",
            "벨이 발명했다",
            "벨이었어요",
            "벨의 발명",
            "알렉산더 그레이엄 벨이 꼽힌다",
            "알렉산더 그레이엄 벨과",
            "알렉산더 그레이엄 벨로",
            "알렉산더 그레이엄 벨에게",
            "메우치였어요",
            "메우치랑",
            "메우치하고",
            "메우치인데",
        ],
        "q04": ["직지심경"],
        "q58": ["21,196.18"],
        "q66": ["중국과 네팔의 국경", "네팔, 중국"],
    },
    "th": {
        "q02": ["เบลล์", "ไรส์"],
        "q03": ["ไรต์"],
        "q05": ["สวอน"],
        "q15": ["ลอยด์"],
        "q19": ["Hogmanay"],
        "q38": ["ไมนซ์"],
        "q40": ["เปรี"],
        "q42": ["Nozomi"],
        "q58": ["21,196.18"],
        "q63": ["เทนซิง นอร์เกย์ และฮิลลารี"],
        "q17": ["2509", "พ.ศ. 2509"],
        "q32": ["2551"],
        "q33": ["2524"],
        "q34": ["2565"],
        "q60": ["2412"],
        "q81": ["2535"],
    },
}
WRONG_ANSWERS: dict[str, dict[str, list[str]]] = {
    "en": {"q02": ["a bell"], "q05": ["a swan"], "q07": ["in Florence, Italy"], "q49": ["On 12 April.", "December 12"]},
    "pt": {"q02": ["os reis de Portugal"]},
    "it": {"q29": ["La ditta di Alfonso Bialetti lanciò nel 1933 la moka."]},
    "de": {"q02": ["Reis mit Gemüse"], "q03": ["die Ader"], "q36": ["Brot aus Roggen und Weizen"]},
    "ja": {
        "q02": ["ノーベル"],
        "q08": ["7月"],
        "q15": ["セルロイド"],
        "q49": ["12月31日", "十二月三十一日"],
        "q51": ["3月"],
    },
    "ko": {"q08": ["7월"], "q49": ["12월 31일 자정에 포도를 먹는다"], "q51": ["3월"]},
    "zh": {
        "q02": ["诺贝尔"],
        "q04": ["矛头直指"],
        "q08": ["7月", "7 月"],
        "q49": ["12月31日", "十二月三十一日"],
        "q55": ["印度尼西亚", "印度洋"],
    },
    "th": {"q02": ["แคมป์เบลล์"], "q15": ["เซลลูลอยด์"], "q40": ["เปรียบ"]},
}


@cache
def golds_of(code: str) -> dict[str, tuple[str, ...]]:
    return {item.id: item.answers for item in content.questions(code)}


@pytest.mark.parametrize(("answers", "expected"), [(RIGHT_ANSWERS, 1.0), (WRONG_ANSWERS, 0.0)])
def test_what_people_answer_to_the_sample_is_scored_as_they_mean_it(
    answers: dict[str, dict[str, list[str]]], expected: float
) -> None:
    others = [
        (code, question, answer)
        for code, by_question in answers.items()
        for question, texts in by_question.items()
        for answer in texts
        if flexible_em(answer, golds_of(code)[question], language=language(code)).value != expected
    ]
    assert others == []


def test_answers_that_quote_the_sample_stay_right() -> None:
    """200 sentences of gold passages with a gold between spaces: 1.0 before lists, numbers and dates were read."""
    texts = {passage.id: passage.text for passage in content.passages()}
    pairs = [
        (code, gold, texts[passage][start:end])
        for code in CHIRKOVA_LANGUAGES
        for item in content.questions(code)
        for passage in item.gold
        for start, end in sentences(texts[passage])
        for gold in item.answers
        if not gold.isdigit() and f" {gold} " in texts[passage][start:end]
    ][::2]
    assert len(pairs) >= 200
    lost = [pair for pair in pairs if flexible_em(pair[2], [pair[1]], language=language(pair[0])).value != 1.0]
    assert lost == []


@pytest.mark.parametrize(
    ("code", "gold", "answer", "expected"),
    [
        ("en", "12", "twelve grapes", 1.0),
        ("en", "two", "2 of them", 1.0),
        ("en", "2", "twenty-two", 0.0),
        ("fr", "10", "dix-sept", 0.0),
        ("en", "1", "one of them", 0.0),
        ("ar", "أربع", "أربعين", 0.0),
        ("ar", "ثلاث", "ثلاثون", 0.0),
        ("ar", "100", "مائة", 1.0),
        ("en", "April 2008", "1 April 2008", 1.0),
        ("en", "24 May 1844", "May 24, 1844", 1.0),
        ("zh", "2008年8月", "2008年8月1日", 1.0),
        ("fi", "12", "12. toukokuuta", 0.0),
        ("hi", "12", "बारह", 1.0),
        ("hi", "बारह अंगूर", "१२ अंगूर", 1.0),
        ("hi", "2", "दो सौ", 0.0),
        ("hi", "13 अप्रैल", "अप्रैल १३", 1.0),
        ("hi", "12", "12 दिसंबर", 0.0),
        ("bn", "12", "বারোটি", 1.0),
        ("bn", "১৩ এপ্রিল", "এপ্রিল ১৩", 1.0),
        ("bn", "12", "১২ ডিসেম্বর", 0.0),
        ("te", "12", "పన్నెండు", 1.0),
        ("te", "13 ఏప్రిల్", "ఏప్రిల్ ౧౩న", 1.0),
        ("te", "12", "డిసెంబర్ 12", 0.0),
        ("pa", "12", "ਬਾਰਾਂ", 1.0),
        ("pa", "13 ਅਪ੍ਰੈਲ", "੧੩ ਅਪ੍ਰੈਲ ਨੂੰ", 1.0),
        ("pa", "12", "12 ਦਸੰਬਰ", 0.0),
        ("kn", "12", "ಹನ್ನೆರಡು", 1.0),
        ("kn", "13 ಏಪ್ರಿಲ್", "ಏಪ್ರಿಲ್ ೧೩ರಂದು", 1.0),
        ("kn", "12", "ಡಿಸೆಂಬರ್ 12", 0.0),
        ("vi", "12", "mười hai", 1.0),
        ("vi", "2", "mười hai", 0.0),
        ("vi", "12", "31 tháng 12", 0.0),
        ("vi", "13 tháng 4", "ngày 13 tháng 4 năm 1961", 1.0),
        ("vi", "Nepal và Trung Quốc", "Trung Quốc, Nepal", 1.0),
        ("hi", "नेपाल और चीन", "चीन तथा नेपाल", 1.0),
        ("te", "నేపాల్ మరియు చైనా", "చైనా, నేపాల్", 1.0),
    ],
)
def test_numbers_dates_and_lists_are_one_in_any_wording(code: str, gold: str, answer: str, expected: float) -> None:
    assert flexible_em(answer, [gold], language=language(code)).value == expected
