"""Names and numbers that may be what a question asks for."""

import pytest

from workbench.pipeline.reader.values import candidate_names, ordinary_words


@pytest.mark.parametrize(
    ("text", "question", "kind", "expected"),
    [
        ("In Russia, Alexander Popov showed it.", "Who showed it?", "who", ("Alexander Popov",)),
        ("In Russia, Popov showed it.", "Who showed it?", "who", ("Russia", "Popov")),
        ("Infrared cabins are sold as saunas.", "Which?", "", ()),
        ("Coffee houses opened in England.", "Which?", "", ("England",)),
        ("According to tradition, Fatima al-Fihri founded it.", "Who founded it?", "who", ("Fatima al-Fihri",)),
        ("Orville and Wilbur Wright flew it.", "Who flew it?", "", ("Orville", "Wilbur Wright")),
        ("In Western Europe and America it is drunk.", "Where?", "where", ("Western Europe", "America")),
        ("They opened in the 17th century.", "When?", "when", ("17th century",)),
        ("It was signed on 7 March 1876.", "When?", "when", ("7 March 1876",)),
        ("In 1928 it sold 12 loaves.", "How many?", "number", ("12",)),
        ("They eat twelve grapes.", "12월 31일 몇 알?", "number", ("12",)),
        ("It sold 12 loaves.", "How many of the 12?", "number", ()),
        ("Hargrave's idea influenced builders.", "Who?", "who", ("Hargrave",)),
        ("The tower was built in 1801.", "When was the tower built?", "when", ("1801",)),
        ("There are seven continents.", "How many continents?", "number", ("7",)),
        ("Marconi worked on radio.", "What did Marconi do?", "", ()),
        ("ラジオはグリエルモ・マルコーニが発明した。", "誰が発明した？", "who", ("グリエルモ・マルコーニ",)),
        ("Popov showed it in Russia.", "Where?", "where", ("Popov", "Russia")),
    ],
)
def test_names_in_the_question_are_not_candidates(
    text: str, question: str, kind: str, expected: tuple[str, ...]
) -> None:
    ordinary = frozenset({"in", "infrared", "coffee", "according"})
    assert candidate_names(text, question, kind, "en", ordinary) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("More than eight billion people live on Earth.", "8 billion"),
        ("Es hat 5,4 Millionen Einwohner.", "5,4 Millionen"),
        ("Tiene 12 millones de habitantes.", "12 millones"),
        ("Está a 12 millas.", "12"),
        ("Vendeu 3 milhões de litros.", "3 milhões"),
        ("Siinä on 3 miljoonaa kirjaa.", "3 miljoonaa"),
        ("2 milyar lira", "2 milyar"),
        ("Там живут 2 миллиарда человек.", "2 миллиарда"),
        ("عدد السكان 10 مليون نسمة", "10 مليون"),
        ("มี 80 ล้านคน", "80 ล้าน"),
        ("世界人口は80億人。", "80億"),
        ("세계 인구는 80억 명이다.", "80억"),
    ],
)
def test_a_number_keeps_the_word_that_makes_it_a_million_times_larger(text: str, value: str) -> None:
    assert candidate_names(text, "How many?", "number") == (value,)


def test_a_word_that_the_evidence_writes_in_lower_case_is_no_name_where_it_opens_a_sentence() -> None:
    text = "Coffee is a drink."
    assert candidate_names(text, "Which?", "") == ("Coffee",)
    assert candidate_names(text, "Which?", "", "en", ordinary_words(["the coffee plant"], None)) == ()


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("Les cafés ouvrirent d’abord en Angleterre.", "fr", ("Angleterre",)),
        ("In England wurden Kaffeehäuser eröffnet.", "de", ()),
        ("Karl Drais fuhr nach Schwetzingen.", "de", ("Karl Drais",)),
    ],
)
def test_articles_and_single_german_nouns_are_no_names(text: str, language: str, names: tuple[str, ...]) -> None:
    assert candidate_names(text, "", "", language, ordinary_words(["près des ports et les routes in"], None)) == names


class Vocabulary:
    """Knows one ordinary word."""

    def is_ordinary(self, word: str) -> bool:
        return word == "Der"


def test_an_opening_word_that_other_texts_write_in_lower_case_is_no_name_either() -> None:
    text = "Der Turm von Popov steht."
    ordinary = ordinary_words([text], Vocabulary())  # type: ignore[arg-type]
    assert "der" in ordinary and "popov" not in ordinary
    assert candidate_names(text, "", "who", "de", ordinary) == ("Turm von Popov",)
