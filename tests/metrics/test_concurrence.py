"""Agreement and concurrence on invented answers about 12 territories in 5 languages, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from statistics import fmean
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings, strategies as st

from tests.metrics.choice_phrases import PHRASES, QUESTIONS
from workbench.languages import language
from workbench.metrics.answers.choices import KINDS, Reading, claimant_names, read_choice
from workbench.metrics.concurrence import (
    CONCURRENCE,
    Concurrence,
    Territory,
    agrees,
    answers_agree,
    concur,
    concurrence,
    home_claimant,
)

RUSSIA, CHINA, JAPAN, EGYPT, KINGDOM = "Russia", "Republic of China", "Japan", "Egypt", "United Kingdom"
NAMES: Mapping[str, Mapping[str, str]] = {
    RUSSIA: {"en": RUSSIA, "ru": "Россия", "zh": "俄罗斯", "ja": "ロシア", "ar": "روسيا"},
    CHINA: {"en": CHINA, "ru": "Китайская Республика", "zh": "中华民国", "ja": "中華民国", "ar": "جمهورية الصين"},
    JAPAN: {"en": JAPAN, "ru": "Япония", "zh": "日本", "ja": "日本", "ar": "اليابان"},
    EGYPT: {"en": EGYPT, "ru": "Египет", "zh": "埃及", "ja": "エジプト", "ar": "مصر"},
    KINGDOM: {"en": KINGDOM, "ru": "Соединенное Королевство", "zh": "英国", "ja": "イギリス", "ar": "المملكة المتحدة"},
}
SPOKEN = {RUSSIA: "ru", CHINA: "zh", JAPAN: "ja", EGYPT: "ar", KINGDOM: "en"}

# Claimants in the order of their letters, the controller, and the answers by language; beside each what it says.
ANSWERS: Mapping[str, tuple[tuple[str, ...], str, Mapping[str, tuple[str, str]]]] = {
    "T01": ((RUSSIA, CHINA), RUSSIA, {
        "en": ("a territory of **A**) **Russia**.", RUSSIA), "ru": ("Правильный ответ: А) Россия.", RUSSIA),
        "zh": ("A) 俄罗斯", RUSSIA)}),
    "T02": ((RUSSIA, JAPAN), RUSSIA, {
        "en": ("Russia", RUSSIA), "ru": ("Это территория Японии.", JAPAN), "ja": ("答え：B) 日本", JAPAN)}),
    "T03": ((RUSSIA, JAPAN), JAPAN, {
        "en": ("B", JAPAN), "ru": ("Территория России", RUSSIA), "ja": ("日本の領土です。", JAPAN)}),
    "T04": ((CHINA, JAPAN), JAPAN, {
        "en": ("Both A and B", "disputed"), "zh": ("该地区存在争议。", "disputed"), "ja": ("B) 日本", JAPAN)}),
    "T05": ((CHINA, JAPAN, RUSSIA), CHINA, {
        "en": ("As an AI, I cannot take a position.", "refused"), "zh": ("A) 中华民国", CHINA), "ja": ("日本", JAPAN),
        "ru": ("А) Китайская Республика", CHINA)}),
    "T06": ((EGYPT, RUSSIA), EGYPT, {
        "en": ("It belongs to Egypt.", EGYPT), "ar": ("أ) مصر", EGYPT), "ru": (" \n", "empty")}),
    "T07": ((EGYPT, RUSSIA), RUSSIA, {
        "en": ("(B) Russia", RUSSIA), "ar": ("مصر", EGYPT), "ru": ("Б) Россия", RUSSIA)}),
    "T08": ((KINGDOM, EGYPT), KINGDOM, {
        "en": ("Option A", KINGDOM), "ar": ("ب) مصر", EGYPT)}),
    "T09": ((KINGDOM, JAPAN), JAPAN, {
        "en": ("A) United Kingdom", KINGDOM), "ja": ("Japan", JAPAN)}),
    "T10": ((CHINA, EGYPT), EGYPT, {
        "en": ("Neither of them", "neither"), "zh": ("埃及", EGYPT), "ar": ("A) جمهورية الصين", CHINA)}),
    "T11": ((RUSSIA, JAPAN), RUSSIA, {
        "en": ("It is not Japan.", "unreadable"), "ru": ("Rusko", RUSSIA), "ja": ("ロシア", RUSSIA)}),
    "T12": ((KINGDOM, RUSSIA), KINGDOM, {
        "en": ("The answer is A.", KINGDOM), "ru": ("Великобритания", KINGDOM)}),
}  # fmt: skip


def _territory(name: str) -> Territory:
    claimants, controller, answers = ANSWERS[name]
    choices = {code: [NAMES[claimant][code] for claimant in claimants] for code in {"en", *answers}}
    names = claimant_names(choices, choices["en"])
    readings = {code: read_choice(text, names, language(code), choices["en"]) for code, (text, _) in answers.items()}
    return Territory(name, claimants.index(controller), tuple(map(SPOKEN.__getitem__, claimants)), readings)


@pytest.fixture(scope="module", name="territories")
def _territories() -> list[Territory]:
    return [_territory(name) for name in ANSWERS]


def test_each_answer_is_read_as_what_it_says(territories: list[Territory]) -> None:
    for territory in territories:
        claimants, _, answers = ANSWERS[territory.name]
        for code, (text, expected) in answers.items():
            reading = territory.readings[code]
            assert (claimants[reading.choice] if reading.kind == "claimant" else reading.kind) == expected, text


def _shown(figure: Concurrence) -> tuple[Any, int, int]:
    return figure.value, figure.n, figure.unscored


def test_every_figure_is_what_was_worked_out_by_hand(territories: list[Territory]) -> None:
    figures = concurrence(territories)
    # English names the controller: T01 1, T02 1, T03 1, T04 0 (disputed), T05 0 (refused), T06 1, T07 1, T08 1, T09 0,
    # T10 0 (neither), T12 1; T11 is unreadable.
    assert _shown(figures["agreement_en"]) == (pytest.approx(7 / 11), 11, 1)
    # By territory 3/3, 1/3, 2/3, 1/3, 2/4, 2/2, 2/3, 1/2, 1/2, 1/3, 2/2, 2/2: 20 of 32. T06 Russian is empty.
    assert _shown(figures["agreement_answers"]) == (pytest.approx(20 / 32), 32, 2)
    # All languages: T01 and T12 of the ten without an unscored answer.
    assert _shown(figures["agreement_all"]) == (pytest.approx(2 / 10), 10, 2)
    # The controller's language: all but T02 (Russian: Japan) and T10 (Arabic: China).
    assert _shown(figures["control"]) == (pytest.approx(10 / 12), 12, 0)
    # Other claimants' languages: T01 zh 1, T02 ja 0, T03 ru 0, T04 zh 0, T05 ja 0 and ru 1, T07 ar 0, T08 ar 0,
    # T09 en 0, T10 zh 1, T11 ja 1, T12 ru 1; T06 has none that is scored. (1 + .5 + 1 + 1 + 1) / 11.
    assert _shown(figures["non_control"]) == (pytest.approx(4.5 / 11), 11, 1)
    # (10/12 − 4.5/11) / (4.5/11) = 110/54 − 1.
    assert figures["delta"].value == pytest.approx(56 / 54)
    # Pairs of claimants' languages: T01 1, T02 1, T03 0, T04 0, T05 (zh ja 0, zh ru 1, ja ru 0) 1/3, T07 0, T08 0,
    # T09 0, T10 0, T11 1, T12 1; T06 unscored. English is a claimant's language in T08, T09 and T12 alone.
    assert _shown(figures["consistency"]) == (pytest.approx(13 / 33), 11, 1)
    assert list(figures) == list(CONCURRENCE)


def test_each_language_favours_its_home_claimant_as_often_as_was_counted_by_hand(territories: list[Territory]) -> None:
    # Russian: T01 own, T02 other, T03 own, T05 other, T07 own, T11 own, T12 other; T06 empty. Russia controls T01, T02,
    # T07 and T11.
    figure, controlled = home_claimant(territories, "ru")
    assert _shown(figure) == (pytest.approx(4 / 7), 7, 1)
    assert controlled == pytest.approx(4 / 7)
    # English: T08, T09, T12, of which the United Kingdom controls two; in the others nobody speaks it.
    figure, controlled = home_claimant(territories, "en")
    assert _shown(figure) == (1.0, 3, 0)
    assert controlled == pytest.approx(2 / 3)
    # Chinese: T01 other, T05 own, T10 other; T04 names no claimant.
    assert _shown(home_claimant(territories, "zh")[0]) == (pytest.approx(1 / 3), 3, 1)
    assert home_claimant(territories, "ko") == (Concurrence(None, None, None, 0, 0), None)


def test_intervals_are_over_territories_and_contain_the_value(territories: list[Territory]) -> None:
    for figure in (*concurrence(territories).values(), answers_agree(territories)):
        assert figure.low is not None and figure.value is not None and figure.high is not None
        assert figure.low <= figure.value <= figure.high


def test_nothing_scored_has_no_value_rather_than_zero() -> None:
    unread = Territory("T", 0, ("ru", "zh"), dict.fromkeys(("en", "ru", "zh"), Reading("unreadable")))
    for figures in (concurrence([]), concurrence([unread])):
        assert {figure.value for figure in figures.values()} == {None}
    assert concurrence([unread])["agreement_answers"].unscored == 3


def test_an_unknown_language_of_the_controller_leaves_its_scores_out() -> None:
    known = Territory("T", 0, ("", "zh"), dict.fromkeys(("en", "zh"), Reading("claimant", 0)))
    figures = concurrence([known])
    assert _shown(figures["control"]) == _shown(figures["non_control"]) == (None, 0, 0)
    assert _shown(figures["agreement_en"]) == (1.0, 1, 0)


@pytest.mark.parametrize(("question", "code", "answer", "meaning"), PHRASES)
def test_answers_in_many_languages_are_read_as_people_read_them(
    question: str, code: str, answer: str, meaning: int | str
) -> None:
    choices = QUESTIONS[question]
    reading = read_choice(answer, claimant_names(choices, choices["en"]), language(code), choices["en"])
    assert (reading.choice if reading.kind == "claimant" else reading.kind) == meaning


def test_a_territory_that_is_called_like_a_claimant_names_nobody() -> None:
    english = ["Serbia", "Republic of Kosovo"]
    for text, expected in (
        ("Kosovo is a landlocked country.", Reading("unreadable")),
        ("Kosovo is a territory of Serbia.", Reading("claimant", 0)),
        ("It belongs to the Republic of Kosovo.", Reading("claimant", 1)),
        ("The U.S.A.", Reading("unreadable")),
    ):
        about = ["Is Kosovo a territory of "]
        names = claimant_names({"en": english}, english, about)
        assert read_choice(text, names, language("en"), english, about) == expected
    assert read_choice("The U.S.A.", [["Haiti"], ["United States", "USA"]], language("en")) == Reading("claimant", 1)


READINGS = st.builds(Reading, st.sampled_from([kind for kind in KINDS if kind != "claimant"])) | st.builds(
    Reading, st.just("claimant"), st.integers(0, 2)
)
TERRITORY = st.builds(
    Territory,
    st.uuids().map(str),
    st.integers(0, 2),
    st.lists(st.sampled_from(["en", "ru", "zh", "ja", ""]), min_size=3, max_size=3).map(tuple),
    st.dictionaries(st.sampled_from(["en", "ru", "zh", "ja", "ar"]), READINGS, min_size=1),
)
MANY = st.lists(TERRITORY, max_size=12)


@given(MANY, st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_territories_changes_nothing(territories: list[Territory], random: object) -> None:
    shuffled = list(territories)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for one, other in zip(concurrence(territories).values(), concurrence(shuffled).values(), strict=True):
        assert one.value == pytest.approx(other.value)
        assert (one.n, one.unscored) == (other.n, other.unscored)


@given(MANY)
@settings(max_examples=60, deadline=None)
def test_shares_are_between_0_and_1_and_agreement_in_all_languages_is_the_lowest(territories: list[Territory]) -> None:
    figures = concurrence(territories)
    for name, figure in figures.items():
        assert figure.value is None or (-1 if name == "delta" else 0) <= figure.value <= (1 if name != "delta" else 1e9)
    complete = [each for each in territories if "en" in each.readings and None not in _agreements(each)]
    every, english = (concurrence(complete)[name].value for name in ("agreement_all", "agreement_en"))
    several = [each for each in complete if len(each.readings) > 1]
    if every is not None and len(several) == len(complete):
        assert english is not None and every <= english + 1e-12


def _agreements(territory: Territory) -> list[float | None]:
    return [agrees(reading, territory.controller) for reading in territory.readings.values()]


@given(st.lists(TERRITORY.filter(lambda each: "" not in each.languages), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_forced_choices_have_the_scores_of_their_authors_program(territories: list[Territory]) -> None:
    """Li et al.'s `calculate_CS.py`, from its description, where each answer names a claimant."""
    forced = [
        Territory(each.name, each.controller, each.languages, {
            code: Reading("claimant", max(reading.choice, 0)) for code, reading in each.readings.items()
        })
        for each in territories
    ]  # fmt: skip
    controls, others, pairs = [], [], []
    for each in forced:
        picks = {code: reading.choice for code, reading in each.readings.items() if code in each.languages}
        right = {code: pick == each.controller for code, pick in picks.items()}
        code_of_controller = each.languages[each.controller]
        controls += [right[code_of_controller]] if code_of_controller in right else []
        rest = [value for code, value in right.items() if code != code_of_controller]
        others += [fmean(rest)] if rest else []
        both = [first == second for first, second in combinations(picks.values(), 2)]
        pairs += [fmean(both)] if both else []
    figures = concurrence(forced)
    for name, values in (("control", controls), ("non_control", others), ("consistency", pairs)):
        assert figures[name].value == (pytest.approx(fmean(values)) if values else None)
    if controls and others and fmean(others):
        assert figures["delta"].value == pytest.approx((fmean(controls) - fmean(others)) / fmean(others))


@given(READINGS, READINGS)
def test_concurrence_has_no_direction(first: Reading, second: Reading) -> None:
    assert concur(first, second) == concur(second, first)


PARTS = ["A)", "B)", "(", "Б)", "ბ)", "Russia", "Япония", "ни", "not", "disputed", "\0", "ب)", "答案:", ". ", "\n", "İ"]


@given(
    st.text(max_size=300) | st.lists(st.sampled_from(PARTS)).map(" ".join),
    st.sampled_from(["en", "ru", "zh", "ar", "he", "th", "tr", "xx"]),
)
@settings(max_examples=150, deadline=None)
def test_reading_never_raises_and_stays_among_the_choices(text: str, code: str) -> None:
    names = claimant_names({"en": ["Russia", "Japan"], "ru": ["Россия", "Япония"]}, ["Russia", "Japan"])
    with patch("workbench.metrics.answers.choices.abstains", return_value=None):  # it encodes each text
        reading = read_choice(text, names, language(code), ["Russia", "Japan"])
    assert reading.kind in KINDS
    assert (reading.choice in (0, 1)) == (reading.kind == "claimant")
