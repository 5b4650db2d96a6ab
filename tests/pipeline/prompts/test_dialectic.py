"""D-RAG prompts: parts, languages, one prompt or four."""

import pytest

from workbench.core.errors import UsageError
from workbench.core.records import Evidence, Passage, Sections, Task
from workbench.pipeline.prompts.dialectic import PARTS, add_part, render, render_part

DOCUMENT = Evidence(Passage(id="p", document="d", title="Radio", language="en", text="Popov {label} {question}"), 1)
TASK = Task("Кто изобрёл радио? {documents}", "ru", (DOCUMENT,), dialectic=PARTS)


def without(omitted: str) -> tuple[str, ...]:
    return tuple(part for part in PARTS if part != omitted)


def test_all_four_labels_are_requested_in_order() -> None:
    user = render(TASK).user
    labels = ["#Extraction:", "#Explanation:", "#Dialectic Argumentation:", "#Answer:"]
    places = [user.index(f'"{label}"') for label in labels]
    assert places == sorted(places)


def test_the_answer_is_in_the_questions_language_and_the_argument_in_english() -> None:
    user = render(TASK).user
    assert user.count("Write in English") == 3
    assert "Write in Russian, the language of the #Question." in user


def test_another_argument_language_can_be_set() -> None:
    user = render(Task("Кто?", "ru", (DOCUMENT,), dialectic=PARTS, argument_language="zh")).user
    assert user.count("Write in Chinese") == 3
    assert "English" not in user


def test_the_prompts_task_has_the_questions_language() -> None:
    assert render(TASK).task.answer_language == "ru"


def test_documents_and_question_stay_verbatim() -> None:
    user = render(TASK).user
    assert "[1] Radio\nPopov {label} {question}\n" in user
    assert user.endswith("#Question\nКто изобрёл радио? {documents}")


@pytest.mark.parametrize(("omitted", "label"), [("explanation", "#Explanation"), ("argumentation", "#Dialectic")])
def test_a_part_can_be_left_out_and_the_rest_is_renumbered(omitted: str, label: str) -> None:
    user = render(Task("Кто?", "ru", (DOCUMENT,), dialectic=without(omitted))).user
    assert label not in user
    assert "3) Finally" in user
    assert "4)" not in user


def test_the_first_step_can_be_left_out() -> None:
    user = render(Task("Кто?", "ru", (DOCUMENT,), dialectic=without("extraction"))).user
    assert "#Extraction" not in user and "1) Take the documents one by one" in user and "3) Finally" in user


def test_english_may_be_named_in_the_first_step_alone_as_in_the_paper() -> None:
    task = Task("Кто?", "ru", (DOCUMENT,), dialectic=PARTS, argument_language_in="extraction")
    user = render(task).user
    assert user.count("Write in English") == 1
    assert user.index("Write in English") < user.index('"#Extraction:"') < user.index('"#Explanation:"')
    assert "Write in" not in render_part(task, "argumentation", Sections(extraction="a", present=("extraction",))).user


def test_without_the_first_part_the_others_name_the_language_of_the_argument() -> None:
    parts = without("extraction")
    task = Task("Кто?", "ru", (DOCUMENT,), dialectic=parts, argument_language="zh", argument_language_in="extraction")
    assert "Chinese" in render(task).user
    assert "Chinese" in render_part(task, "explanation", Sections()).user


@pytest.mark.parametrize(
    "requested", [(), PARTS[:3], ("answer", "extraction"), (*PARTS, "answer"), ("extraction", "x")]
)
def test_other_sequences_of_parts_are_refused(requested: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="give extraction, explanation, argumentation, answer in this order"):
        render(Task("Who?", "en", dialectic=requested))


def test_the_prompt_says_where_there_are_no_documents() -> None:
    assert "#Reference Evidence\nNo document was found.\n" in render(Task("Who?", "en", dialectic=PARTS)).user


def test_the_first_of_four_prompts_asks_for_its_part_alone() -> None:
    prompt = render_part(TASK, "extraction", Sections())
    assert "#Extraction:" in prompt.user
    assert "#Answer:" not in prompt.user
    assert "#Parts so far" not in prompt.user
    assert prompt.task.dialectic == ("extraction",)


def test_each_later_prompt_shows_what_the_earlier_ones_gave() -> None:
    sections = Sections()
    for part in PARTS[:3]:
        sections = add_part(sections, part, f"text of {part}")
    user = render_part(TASK, "answer", sections).user
    assert "#Parts so far\n#Extraction:\ntext of extraction\n\n#Explanation:\ntext of explanation\n\n" in user
    assert '"#Answer:"' in user


def test_a_part_that_is_left_out_has_no_prompt() -> None:
    with pytest.raises(UsageError, match="Unknown part “explanation”"):
        render_part(Task("Who?", "en", dialectic=without("explanation")), "explanation", Sections())


def test_a_part_is_read_with_or_without_its_label() -> None:
    assert add_part(Sections(), "extraction", "**#Extraction:** both").extraction == "both"
    assert add_part(Sections(), "extraction", " bare ").extraction == "bare"


def test_adding_parts_keeps_those_before() -> None:
    sections = add_part(add_part(Sections(), "extraction", "a"), "answer", "b")
    assert sections == Sections(extraction="a", answer="b", present=("extraction", "answer"))
