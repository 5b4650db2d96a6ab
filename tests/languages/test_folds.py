"""Named folds: what becomes one, what stays two, and which metrics know of it."""

import pytest

from workbench.languages.catalogue import language
from workbench.languages.normalise import (
    LETTER_FOLDS,
    LetterTable,
    answer_form,
    fold,
    join_numbers,
    stated_years,
    with_both_years,
)
from workbench.metrics.answers.char3_recall import char3_recall, char3_recall_paper
from workbench.metrics.answers.em_f1 import em, f1
from workbench.metrics.answers.flexible_em import flexible_em, flexible_em_paper

LETTERS = [
    ("digits", "ar", "١٩٤٥", "1945"),
    ("digits", "fa", "۱۹۴۵", "1945"),
    ("digits", "th", "๒๔๗๕", "2475"),
    ("digits", "hi", "१९४७", "1947"),
    ("digits", "bn", "১৯৭১", "1971"),
    ("digits", "ja", "１９４５", "1945"),
    ("points", "ar", "أَحْمَد", "أحمد"),
    ("points", "ar", "محمـــد", "محمد"),
    ("arabic", "ar", "إبراهيم", "ابراهيم"),
    ("points", "he", "דָּוִד", "דוד"),
    ("hebrew", "he", "םולש", "מולש"),
    ("greek", "el", "ΑΘΗΝΑ", "Αθήνα"),
    ("greek", "el", "ΣΊΣΥΦΟΣ", "Σίσυφος"),
    ("dotted i", "tr", "İstanbul", "Istanbul"),
    ("yo", "ru", "Королёв", "Королев"),
    ("nukta", "hi", "ज़मीन", "जमीन"),
    ("chinese", "zh", "臺北", "台北"),
    ("chinese", "zh", "頭髮與發展", "头发与发展"),
    ("chinese", "ja", "國語", "国語"),
    ("latin", "pt", "São Tomé", "Sao Tome"),
    ("latin", "ru", "Попо\u0301в", "Попов"),
]


@pytest.mark.parametrize(("name", "code", "one", "other"), LETTERS)
def test_a_fold_of_letters_makes_two_spellings_one_in_every_metric_but_the_published(
    name: str, code: str, one: str, other: str
) -> None:
    folded = [fold(text).translate(LetterTable(list(LETTER_FOLDS))) for text in (one, other)]
    assert folded[0] == folded[1]
    kinds = language(code)
    for answer, gold in ((one, other), (other, one)):
        for metric in (char3_recall, flexible_em, em, f1):
            assert metric(answer, [gold], language=kinds).value == 1.0
    if one.lower() != other.lower() and fold(one) != fold(other):
        assert char3_recall_paper(one, [other]).value < 1.0  # type: ignore[operator]
        assert flexible_em_paper(one, [other]).value == 0.0


@pytest.mark.parametrize("name", LETTER_FOLDS)
def test_every_fold_of_letters_is_needed(name: str) -> None:
    without = LetterTable([other for other in LETTER_FOLDS if other != name])
    examples = [(one, other) for fold_name, _, one, other in LETTERS if fold_name == name]
    assert any(fold(one).translate(without) != fold(other).translate(without) for one, other in examples) or (
        name == "dotted i"  # whose dot `latin` drops as well
    )


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("1 000 000", "1000000"),
        ("1,000,000", "1000000"),
        ("1.000.000", "1000000"),
        ("1'000", "1000"),
        ("10,00,000", "1000000"),
        ("1.000,50", "1000D5"),
        ("2.5", "2D5"),
        ("3,14", "3D14"),
        ("0.125", "0D125"),
        ("2.0", "2"),
        ("12.05.1945", "12.05.1945"),
        ("1914,1918", "1914,1918"),
        ("in 1895 500", "in 1895 500"),
        ("10 200 30", "10 200 30"),
        ("1.", "1."),
    ],
)
def test_numbers_lose_separators_of_thousands_and_keep_fractions(text: str, joined: str) -> None:
    assert join_numbers(text) == joined


def test_numbers_in_metrics_are_complete() -> None:
    en = language("en")
    assert em("1 000 000", ["1,000,000"], language=en).value == 1.0
    assert char3_recall("2.500 people", ["2500"], language=en).value == 1.0
    assert char3_recall("2.5 million", ["5 million"], language=en).value < 1.0  # type: ignore[operator]


def test_a_single_letter_is_an_article_only_before_a_word() -> None:
    en, it = language("en"), language("it")
    assert answer_form("Hepatitis A", en) != answer_form("Hepatitis B", en).replace("b", "")
    assert answer_form("vitamin A deficiency", en) == "vitamin a deficiency"
    assert answer_form("A man, a plan", en) == "man plan"
    assert answer_form("Umberto I", it) == "umberto i"


def test_vietnamese_tones_stay_and_may_stand_on_either_vowel() -> None:
    vi = language("vi")
    assert answer_form("Hoà Bình", vi) == answer_form("Hòa Bình", vi)
    assert len({answer_form(word, vi) for word in ("ma", "má", "mà", "mả", "mã", "mạ")}) == 6


def test_a_thai_year_is_compared_in_both_eras_where_its_era_is_stated() -> None:
    th = language("th")
    assert stated_years("พ.ศ. 2475") == ("2475", "1932") and stated_years("ปี 2475") == ("ปี 2475",)
    assert with_both_years("ค.ศ. ๑๙๓๒") == "2475 1932"
    for metric in (flexible_em, char3_recall, em, f1):
        assert metric("พ.ศ. 2475", ["1932"], language=th).value == 1.0
        assert metric("พ.ศ. 2475", ["2475"], language=th).value == 1.0
        assert metric("1932", ["พ.ศ. 2475"], language=th).value == 1.0
        assert metric("2475", ["1932"], language=th).value == 0.0
        assert metric("พ.ศ. 2475", ["1932"], language=language("en")).value != 1.0
