"""The correct language rate: which answers are scored, and which languages are distinguished."""

from collections.abc import Callable

import pytest

from workbench.languages.catalogue import Language, language
from workbench.metrics.answers.answer_language import clr, clr_any_length, clr_candidates, clr_script, script_limit
from workbench.metrics.case_report import aggregate
from workbench.metrics.catalogue import MEASURES
from workbench.metrics.measure import Case, Score

SENTENCES = {
    "en": "The tower was built in the last century.",
    "ar": "بني البرج في القرن الماضي على ضفة النهر.",
    "zh": "这座塔建于上个世纪，坐落在城市中心的河岸边，非常有名。",
    "fr": "La tour a été construite au siècle dernier.",
    "fi": "Torni rakennettiin viime vuosisadalla joen rannalle.",
    "de": "Der Turm wurde im letzten Jahrhundert gebaut.",
    "it": "La torre fu costruita nel secolo scorso.",
    "ja": "この塔は前の世紀に川のほとりに建てられました。",
    "ko": "이 탑은 지난 세기에 강가에 세워졌습니다.",
    "pt": "A torre foi construída no século passado.",
    "ru": "Башня была построена в прошлом веке.",
    "es": "La torre fue construida el siglo pasado.",
    "th": "หอคอยนี้ถูกสร้างขึ้นในศตวรรษที่แล้ว",
}


NEIGHBOURS = {
    ("uk", "ru"): "Вежу збудували минулого століття на березі великої річки.",
    ("bg", "ru"): "Кулата е построена през миналия век край голямата река.",
    ("et", "fi"): "Torn ehitati eelmisel sajandil suure jõe kaldale.",
    ("mr", "hi"): "हा मनोरा गेल्या शतकात नदीच्या काठावर बांधला गेला.",
    ("ca", "es"): "La torre es va construir el segle passat a la vora del riu.",
    ("fa", "ar"): "این برج در قرن گذشته در کنار رودخانه ساخته شد.",
}
"""A sentence in a language, and the neighbour that it is not."""

MORE = {
    "hi": "यह मीनार पिछली शताब्दी में नदी के किनारे बनाई गई थी।",
    "ru": "Мост через реку открыли летом, и с тех пор по нему ездят поезда.",
    "es": "El puente sobre el río se abrió en verano y desde entonces pasan trenes.",
    "fi": "Joen ylittävä silta avattiin kesällä, ja siitä lähtien junat ovat kulkeneet.",
    "ar": "افتتح الجسر فوق النهر في الصيف ومنذ ذلك الحين تعبره القطارات.",
    "en": "The bridge across the river was opened in summer and trains use it now.",
    "de": "Die Brücke über den Fluss wurde im Sommer eröffnet, seither fahren Züge.",
}


Rate = Callable[..., Score]


def measured_by(name: str) -> Rate:
    """The measure of that name, as a function of one answer."""

    def rate(answer: str, *, language: Language) -> Score:
        (score,) = MEASURES[name].score([Case(answer, (), language)])
        return score

    return rate


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_in_its_language_is_right_and_in_another_wrong(code: str) -> None:
    assert clr(SENTENCES[code], language=language(code)).value == 1.0
    other = "ru" if code != "ru" else "en"
    assert clr(SENTENCES[code], language=language(other)).value == 0.0


def test_exactly_twenty_characters_are_unscored_and_twenty_one_are_not() -> None:
    twenty = "Das ist ein Satz mit"
    assert len(twenty) == 20
    assert clr(twenty, language=language("de")).value is None
    assert clr(f"{twenty}.", language=language("de")).value == 1.0


def test_white_space_around_an_answer_does_not_lengthen_it() -> None:
    assert clr(" " * 30 + "Paris", language=language("fr")).value is None


def test_only_short_answers_give_no_rate() -> None:
    figure = aggregate(clr(text, language=language("fr")) for text in ("Paris", "oui", ""))
    assert (figure.mean, figure.n, figure.unscored) == (None, 0, 3)
    assert figure.reasons == {"The answer has no more than 20 characters.": 3}


def test_an_answer_without_letters_is_unscored() -> None:
    score = clr("1889 – 1914, 1918 – 1939", language=language("fr"))
    assert score.value is None and "no letters" in score.reason


def test_dense_scripts_are_scored_from_fewer_characters_by_the_script_aware_variant() -> None:
    answer = "埃菲尔铁塔位于巴黎市"
    assert clr(answer, language=language("zh")).value is None
    assert clr_script(answer, language=language("zh")).value == 1.0
    assert clr_script("巴黎", language=language("zh")).value is None
    assert clr_script("oui oui oui", language=language("fr")).value is None


@pytest.mark.parametrize(("text", "limit"), [("巴黎", 7), ("パリにある", 12), ("파리", 10), ("Paris", 20), ("", 20)])
def test_the_limit_goes_by_script(text: str, limit: int) -> None:
    assert script_limit(text) == limit


@pytest.mark.parametrize(("language_code", "expected"), NEIGHBOURS)
def test_a_neighbouring_language_is_not_the_expected_one(language_code: str, expected: str) -> None:
    answer = NEIGHBOURS[language_code, expected]
    assert clr(answer, language=language(expected)).value == 0.0
    assert clr_script(answer, language=language(expected)).value == 0.0


def test_twenty_answers_in_the_expected_language_are_right() -> None:
    answers = [*SENTENCES.items(), *MORE.items()]
    assert len(answers) == 20
    assert [clr(text, language=language(code)).value for code, text in answers] == [1.0] * 20


def test_the_complete_answer_is_read() -> None:
    english = "The tower was built by an engineer. It is now a museum of the town and open every day. " * 5
    french = "La tour a été construite au siècle dernier par un ingénieur célèbre de la ville. " * 20
    assert len(english) > 400
    assert clr(english + french, language=language("en")).value == 0.0
    assert clr(english + french, language=language("fr")).value == 1.0


def test_among_candidates_the_expected_language_always_competes() -> None:
    calls: list[tuple[str, ...]] = []

    def detect(text: str, candidates: tuple[str, ...]) -> str:
        calls.append(candidates)
        return ""

    score = clr_candidates(SENTENCES["fi"], language=language("et"), detect=detect, candidates=("en", "fi"))
    assert score.value == 0.0 and calls == [("et", "en", "fi")]


def test_among_candidates_a_neighbour_that_does_not_compete_is_forgiven() -> None:
    assert clr_candidates(NEIGHBOURS["uk", "ru"], language=language("ru")).value == 1.0


@pytest.mark.parametrize("metric", [clr, clr_script, *(measured_by(name) for name in ("clr", "clr_script"))])
def test_a_language_that_the_identifier_cannot_tell_is_unscored_and_not_always_wrong(metric: Rate) -> None:
    hausa = "Ina son in je kasuwa gobe da safe tare da abokina domin sayen kaya."
    score = metric(hausa, language=language("ha"))
    assert score.value is None and score.reason == "The language identifier cannot tell “ha”."


def test_without_a_limit_short_answers_are_scored_too_but_not_those_without_a_letter() -> None:
    assert clr("Да, это так.", language=language("ru")).value is None
    assert clr_any_length("Да, это так.", language=language("ru")).value == 1.0
    assert clr_any_length("Да, это так.", language=language("fi")).value == 0.0
    assert clr_any_length("1912", language=language("ru")).value is None
    assert clr_any_length(" ", language=language("ru")).reason.startswith("The answer has no letters")
