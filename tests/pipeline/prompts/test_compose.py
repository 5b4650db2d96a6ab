"""What a RAG prompt looks like, and that untrusted text stays text."""

import pytest

from workbench.core.errors import UsageError
from workbench.core.records import Evidence, Passage, Task, Translation
from workbench.languages.catalogue import PROMPT_LANGUAGES
from workbench.pipeline.prompts.compose import render
from workbench.pipeline.prompts.variants import VARIANTS
from workbench.workspace.yaml_files import PLACEHOLDER

NAMES = [item.name for item in VARIANTS]
HOSTILE = "{question} {UL} {{documents}} {0} {a.b} %s %(x)s ${HOME} \\1 \\g<0> <script>alert(1)</script>"


def evidence(text: str, rank: int = 1, title: str = "Helsinki") -> Evidence:
    return Evidence(Passage(id=f"p{rank}", document="d", title=title, language="en", text=text), rank)


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_variant_renders_in_every_language_without_a_placeholder_left(name: str, code: str) -> None:
    rendered = render(name, Task("42", code, (evidence("7"),)))
    assert rendered.prompt.system
    assert not rendered.note
    assert not PLACEHOLDER.search(rendered.prompt.system + rendered.prompt.user)


def test_the_user_text_lists_documents_by_rank_then_the_question() -> None:
    task = Task("Mikä on pääkaupunki?", "fi", (evidence("It is the capital.", 1), evidence("No title.", 2, title="")))
    assert render("reply-short-in-ul-ul", task).prompt.user == (
        "#Ohjeet:\n"
        "Vastaa kysymykseen lähdeasiakirjojen perusteella.\n\n"
        "#Lähdeasiakirjat:\n"
        "[1] Helsinki\nIt is the capital.\n\n"
        "[2] No title.\n\n"
        "#Kysymys:\n"
        "Mikä on pääkaupunki?\n\n"
        "Vastaus:"
    )


def test_an_english_variant_keeps_english_labels_and_names_the_language() -> None:
    prompt = render("reply-short-in-ul-en", Task("Kuka?", "fi", (evidence("x"),))).prompt
    assert prompt.system == "Answer a given question as short as possible. Answer in Finnish."
    assert "#Reference Evidence:" in prompt.user


def test_english_as_the_users_language_is_named_as_any_other() -> None:
    prompt = render("reply-short-in-ul-ne-ul", Task("Who?", "en")).prompt
    assert prompt.system.endswith("Answer in English and write all named entities in English alphabet.")


def test_without_evidence_there_is_no_document_block() -> None:
    assert render("reply-short-en", Task("Who?", "en")).prompt.user == "#Question:\nWho?\n\nAnswer:"


def test_a_translated_passage_is_shown_in_its_translation() -> None:
    passage = Passage(id="p", document="d", title="T", language="fi", text="Se on pääkaupunki.")
    translated = Evidence(passage, 1, translation=Translation("It is the capital.", "fi", "en", "exact", 1.0))
    user = render("reply-short-en", Task("Who?", "en", (translated,))).prompt.user
    assert "It is the capital." in user
    assert "pääkaupunki" not in user


@pytest.mark.parametrize("name", NAMES)
def test_braces_and_markup_in_documents_titles_and_questions_stay_verbatim(name: str) -> None:
    user = render(name, Task(f"Q {HOSTILE}", "fi", (evidence(f"D {HOSTILE}", title=f"T {HOSTILE}"),))).prompt.user
    assert all(user.count(f"{start} {HOSTILE}") == 1 for start in "QDT")


def test_a_language_without_translation_falls_back_to_english_and_says_so() -> None:
    rendered = render("reply-short-in-ul-ul", Task("யார்?", "ta"))
    assert rendered.prompt.system == "Answer a given question as short as possible. Answer in Tamil."
    assert rendered.note == "The prompt is in English: “reply-short-in-ul-ul” has no reviewed translation into Tamil."


def test_an_english_variant_is_not_a_fallback_in_any_language() -> None:
    assert not render("reply-short-en", Task("யார்?", "ta")).note


def test_the_task_agrees_with_the_text() -> None:
    task = render("reply-short-in-ul-ne-ul", Task("Кто?", "ru")).prompt.task
    assert (task.answer_language, task.entities_in) == ("ru", "ru")
    stale = Task("Кто?", "ru", answer_language="fi", entities_in="fi")
    task = render("reply-short-ul", stale).prompt.task
    assert (task.answer_language, task.entities_in) == ("", "")


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown prompt “polite”"):
        render("polite", Task("Who?", "en"))
