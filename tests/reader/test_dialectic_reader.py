"""The four parts are built from the documents, and claims that differ are set against each other."""

from tests.reader.readers import DRAG, QUESTION_ES, answer, evidence
from workbench.records import Task

MARCONI = ("en", "Marconi is named as the inventor of radio.")
MARCONI_ES = ("es", "Marconi es el inventor de la radio.")
POPOV = ("ru", "Изобретателем радио называют Попова.")
BREAD = ("en", "Bread is baked from flour.")


def parts(task: Task) -> dict[str, str]:
    """The text by label."""
    found: dict[str, str] = {}
    label = ""
    for line in answer(task).text.splitlines():
        if line.startswith("#"):
            label, _, line = line.partition(": ")
        found[label] = f"{found.get(label, '')}\n{line}".strip()
    return found


def test_the_four_parts_stand_in_order_on_lines_of_their_own() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI, POPOV), "es", dialectic=DRAG)
    assert list(parts(task)) == ["#Extraction", "#Explanation", "#Dialectic Argumentation", "#Answer"]


def test_parts_that_are_not_asked_for_are_left_out() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI), "es", dialectic=("extraction", "answer"))
    assert list(parts(task)) == ["#Extraction", "#Answer"]


def test_the_extraction_quotes_relevant_documents_by_number_as_written() -> None:
    found = parts(Task(QUESTION_ES, "es", evidence(MARCONI, POPOV, BREAD), "es", dialectic=DRAG))
    assert found["#Extraction"].splitlines() == [f"[1] (en) “{MARCONI[1]}”", f"[2] (ru) “{POPOV[1]}”"]
    assert "Document [3] bears little on it." in found["#Explanation"]


def test_different_names_are_set_against_each_other() -> None:
    found = parts(Task(QUESTION_ES, "es", evidence(MARCONI, POPOV), "es", dialectic=DRAG))["#Dialectic Argumentation"]
    assert "Document [1] (English) points to Marconi." in found
    assert "Document [2] (Russian) points to Popov." in found
    assert "These claims differ." in found


def test_documents_in_two_languages_that_name_the_same_agree() -> None:
    found = parts(Task(QUESTION_ES, "es", evidence(MARCONI, MARCONI_ES), "es", dialectic=DRAG))
    assert found["#Dialectic Argumentation"] == (
        "Documents [1] and [2] agree on Marconi. No relevant document says otherwise."
    )


def test_different_years_differ_and_equal_years_agree() -> None:
    texts = ("The tower was built in 1801.", "The tower was built in 1820.", "The tower was built in 1801 of stone.")
    task = Task("When was the tower built?", "en", evidence(*(("en", text) for text in texts)), "en", dialectic=DRAG)
    found = parts(task)["#Dialectic Argumentation"].splitlines()
    assert found[:2] == [
        "Documents [1] and [3] (English) point to 1801.",
        "Document [2] (English) points to 1820.",
    ]


def test_the_answer_is_in_the_questions_language_and_hides_no_side() -> None:
    found = parts(Task(QUESTION_ES, "es", evidence(MARCONI_ES, POPOV), "es", dialectic=DRAG))["#Answer"]
    assert found.startswith("Marconi es el inventor de la radio. / ") and "Popov" in found


def test_an_argument_language_the_translator_cannot_write_is_english_and_the_note_says_so() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI, POPOV), "es", dialectic=DRAG, argument_language="fi")
    assert "could not be translated to Finnish" in answer(task).note
    assert "These claims differ." in parts(task)["#Dialectic Argumentation"]
