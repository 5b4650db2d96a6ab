"""The four sections are built from the documents, and claims that differ are compared."""

from tests.reader.readers import DRAG, QUESTION_ES, answer, evidence
from workbench.records import Task

MARCONI = ("en", "Marconi is named as the inventor of radio.")
MARCONI_ES = ("es", "Marconi es el inventor de la radio.")
POPOV = ("ru", "Изобретателем радио называют Попова.")
BREAD = ("en", "Bread is baked from flour.")


def sections(task: Task) -> dict[str, str]:
    """The texts of the sections by label."""
    texts: dict[str, str] = {}
    label = ""
    for line in answer(task).text.splitlines():
        if line.startswith("#"):
            label, _, line = line.partition(": ")
        texts[label] = f"{texts.get(label, '')}\n{line}".strip()
    return texts


def test_the_four_sections_are_in_order_on_separate_lines() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI, POPOV), "es", dialectic=DRAG)
    assert list(sections(task)) == ["#Extraction", "#Explanation", "#Dialectic Argumentation", "#Answer"]


def test_sections_that_the_task_does_not_name_are_left_out() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI), "es", dialectic=("extraction", "answer"))
    assert list(sections(task)) == ["#Extraction", "#Answer"]


def test_the_extraction_quotes_relevant_documents_by_number_as_written() -> None:
    texts = sections(Task(QUESTION_ES, "es", evidence(MARCONI, POPOV, BREAD), "es", dialectic=DRAG))
    assert texts["#Extraction"].splitlines() == [f"[1] (en) “{MARCONI[1]}”", f"[2] (ru) “{POPOV[1]}”"]
    assert "Document [3] bears little on it." in texts["#Explanation"]


def test_different_names_are_compared() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI, POPOV), "es", dialectic=DRAG)
    text = sections(task)["#Dialectic Argumentation"]
    assert "Document [1] (English) points to Marconi." in text
    assert "Document [2] (Russian) points to Popov." in text
    assert "These claims differ." in text


def test_documents_in_two_languages_that_name_the_same_agree() -> None:
    texts = sections(Task(QUESTION_ES, "es", evidence(MARCONI, MARCONI_ES), "es", dialectic=DRAG))
    assert texts["#Dialectic Argumentation"] == (
        "Documents [1] and [2] agree on Marconi. No relevant document says otherwise."
    )


def test_different_years_differ_and_equal_years_agree() -> None:
    texts = ("The tower was built in 1801.", "The tower was built in 1820.", "The tower was built in 1801 of stone.")
    task = Task("When was the tower built?", "en", evidence(*(("en", text) for text in texts)), "en", dialectic=DRAG)
    lines = sections(task)["#Dialectic Argumentation"].splitlines()
    assert lines[:2] == [
        "Documents [1] and [3] (English) point to 1801.",
        "Document [2] (English) points to 1820.",
    ]


def test_the_answer_is_in_the_questions_language_and_hides_no_side() -> None:
    text = sections(Task(QUESTION_ES, "es", evidence(MARCONI_ES, POPOV), "es", dialectic=DRAG))["#Answer"]
    assert text.startswith("Marconi es el inventor de la radio. / ") and "Popov" in text


def test_an_argument_language_the_translator_cannot_write_is_english_and_the_note_says_so() -> None:
    task = Task(QUESTION_ES, "es", evidence(MARCONI, POPOV), "es", dialectic=DRAG, argument_language="fi")
    assert "could not be translated to Finnish" in answer(task).note
    assert "These claims differ." in sections(task)["#Dialectic Argumentation"]
