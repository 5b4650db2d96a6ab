"""Names and numbers that may be what a question asks for."""

import pytest

from workbench.reader.candidate_names import candidate_names


@pytest.mark.parametrize(
    ("text", "question", "kind", "expected"),
    [
        ("In Russia, Alexander Popov showed it.", "Who showed it?", "who", ("Alexander Popov",)),
        ("In Russia, Popov showed it.", "Who showed it?", "who", ("Russia", "Popov")),
        ("The tower was built in 1801.", "When was the tower built?", "when", ("1801",)),
        ("There are seven continents.", "How many continents?", "number", ("7",)),
        ("Marconi worked on radio.", "What did Marconi do?", "", ()),
        ("ラジオはグリエルモ・マルコーニが発明した。", "誰が発明した？", "who", ("グリエルモ・マルコーニ",)),
        ("the English-speaking world", "Which?", "who", ()),
    ],
)
def test_names_in_the_question_are_not_candidates(
    text: str, question: str, kind: str, expected: tuple[str, ...]
) -> None:
    assert candidate_names(text, question, kind) == expected
