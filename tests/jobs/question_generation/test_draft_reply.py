"""What counts as a question with an answer in a reply, and what does not."""

from __future__ import annotations

import pytest

from workbench.core.records import Generation
from workbench.jobs.question_generation.draft_reply import WrittenQuestion, read_reply, writing_texts

PAIR = WrittenQuestion("Missä se on?", "Turussa")


@pytest.mark.parametrize(
    "text",
    [
        "Kysymys: Missä se on?\nVastaus: Turussa",
        "**Kysymys:** Missä se on?\n**Vastaus:** Turussa",
        "<think>Question: What?</think>Kysymys: Missä se on?\n\nVastaus: Turussa",
        "Question: Missä se on?\nAnswer: Turussa",
        '```json\n{"question": "Missä se on?", "answer": "Turussa"}\n```',
        "Kysymys 1: Missä se on?\nVastaus 1: Turussa\nKysymys 2: Milloin?\nVastaus 2: Eilen",
    ],
)
def test_a_pair_is_read_in_the_forms_that_models_write(text: str) -> None:
    assert read_reply(Generation(text), writing_texts("fi")) == PAIR


@pytest.mark.parametrize("code", ["ar", "fr", "ja", "th", "zh"])
def test_the_labels_of_a_language_are_read(code: str) -> None:
    texts = writing_texts(code)
    reply = texts.prompts["write_system"].splitlines()[-2:]
    filled = "\n".join(line.replace("…", word) for line, word in zip(reply, ("一二三四", "42"), strict=True))
    assert read_reply(Generation(filled), texts) == WrittenQuestion("一二三四", "42")


@pytest.mark.parametrize(
    ("generation", "problem"),
    [
        (Generation("Kysymys: Missä se on?"), "no line “Vastaus: …”"),
        (Generation("En osaa."), "no line “Kysymys: …”"),
        (Generation("Kysymys: Missä", finish="length"), "limit of tokens"),
        (Generation("Kysymys: …\nVastaus: …"), "no line “Kysymys: …”"),
        (Generation(f"Kysymys: {'a' * 401}\nVastaus: b"), "longer than 400"),
        (Generation('{"question": ["a"], "answer": 3}'), "no line “Kysymys: …”"),
    ],
)
def test_what_is_not_a_pair_has_its_reason(generation: Generation, problem: str) -> None:
    result = read_reply(generation, writing_texts("fi"))
    assert (result.question, result.answer) == ("", "")
    assert problem in result.problem
