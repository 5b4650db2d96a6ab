"""The four sections are built from the documents, and claims that differ are compared."""

from tests.pipeline.reader.readers import DRAG, QUESTION_ES, answer, evidence
from workbench.core.records import Task

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


def test_a_passage_and_its_translation_are_one_witness() -> None:
    texts = sections(Task(QUESTION_ES, "es", evidence(MARCONI, MARCONI_ES), "es", dialectic=DRAG))
    assert texts["#Dialectic Argumentation"] == (
        "Documents [1] and [2] are one passage, in English and Spanish; it answers with Marconi. "
        "No other relevant document confirms or contradicts it."
    )


def test_two_passages_that_name_the_same_agree() -> None:
    other = ("en", "Marconi was, as many writers report, the inventor of radio.")
    texts = sections(Task("Who invented radio?", "en", evidence(MARCONI, other), "en", dialectic=DRAG))
    assert texts["#Dialectic Argumentation"] == (
        "Documents [1] and [2] (English) agree on Marconi. No relevant document says otherwise."
    )


def test_every_document_without_a_claim_is_listed() -> None:
    texts = sections(Task(QUESTION_ES, "es", evidence(MARCONI, *[BREAD] * 5), "es", dialectic=DRAG))
    assert "Documents [2], [3], [4], [5] and [6] bear little on it." in texts["#Explanation"]


def test_every_document_that_agrees_is_listed() -> None:
    texts = ("The tower was built in 1801.", *(f"The tower was built in 1801 of {item}." for item in "abcde"))
    task = Task("When was the tower built?", "en", evidence(*(("en", text) for text in texts)), "en", dialectic=DRAG)
    assert "[1], [2], [3], [4], [5] and [6]" in sections(task)["#Dialectic Argumentation"]


def test_of_many_points_the_number_of_those_left_out_is_stated() -> None:
    text = "the towns with a mill are Arden, Brigg, Calne, Diss, Epsom and Frome."
    task = Task("Which towns have a mill?", "en", evidence(("en", text)), "en", dialectic=DRAG)
    assert "Arden, Brigg, Calne, Diss and 2 more" in sections(task)["#Explanation"]


def test_a_document_with_two_sides_makes_both_claims_and_no_side_is_dropped() -> None:
    both = ("en", "Marconi is named as the inventor of radio. Popov is named as the inventor of radio.")
    third = ("en", "Tesla is named as the inventor of radio.")
    texts = sections(Task("Who invented radio?", "en", evidence(both, third), "en", dialectic=DRAG))
    assert [name for name in ("Marconi", "Popov", "Tesla") if f"to {name}." in texts["#Dialectic Argumentation"]] == [
        "Marconi",
        "Popov",
        "Tesla",
    ]
    assert all(name in texts["#Answer"] for name in ("Marconi", "Popov", "Tesla"))


def test_without_anything_of_the_kind_asked_for_nothing_is_compared() -> None:
    text = "A sauna is a small hot room, and infrared cabins are hot too."
    task = Task("How hot is a sauna?", "en", evidence(("en", text)), "en", dialectic=DRAG)
    assert sections(task)["#Dialectic Argumentation"] == (
        "No relevant sentence contains a number, so there is nothing to compare."
    )


def test_a_sentence_that_shares_less_of_the_questions_content_makes_no_claim() -> None:
    kite = ("en", "Lawrence Hargrave invented the box kite.")
    flight = ("en", "Alexander Mozhaysky invented an aeroplane.")
    task = Task("Who invented the aeroplane?", "en", evidence(kite, flight), "en", dialectic=DRAG)
    assert sections(task)["#Explanation"].endswith("Document [1] bears little on it.")


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


def test_the_side_that_most_passages_support_comes_first() -> None:
    once = ("en", "The tower of Brigg was built in 1801.")
    twice = [("en", f"The tower of Brigg was built in 1820{more}.") for more in (" of stone", ", as the council wrote")]
    task = Task("When was the tower of Brigg built?", "en", evidence(once, *twice), "en", dialectic=DRAG)
    texts = sections(task)
    assert texts["#Dialectic Argumentation"].startswith("Documents [2] and [3] (English) point to 1820.")
    assert texts["#Answer"].index("1820") < texts["#Answer"].index("1801")


def test_a_sentence_without_a_value_of_the_kind_asked_for_makes_no_claim() -> None:
    texts = ("The tower of Brigg was built in 1801.", "The tower of Brigg was built by masons from the coast.")
    task = Task("When was the tower of Brigg built?", "en", evidence(*(("en", text) for text in texts)), "en", "", DRAG)
    assert "Document [2] bears little on it." in sections(task)["#Explanation"]
