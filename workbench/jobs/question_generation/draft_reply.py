"""The question and the answer in a generator's reply; where there are none, the reason, never a guess.

Read are two lines that begin with the prompt's labels, in the language of the prompt or in English, with or without
Markdown around them; or JSON with the keys `question` and `answer`. Of several pairs the first counts. Text in
<think> … </think> does not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import regex

from workbench.core import Generation, without_thinking
from workbench.jobs.question_generation.writing_texts import NOTHING, WritingTexts, writing_texts

LONGEST_QUESTION, LONGEST_ANSWER = 400, 200
"""Characters. More is an essay, not a question with a short answer."""
MARKUP = regex.compile(r"[*_`#]+")
OBJECT = regex.compile(r"\{.*\}", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """What a reply holds. `problem`: why there is no pair, in a sentence; `nothing`: there was nothing to ask."""

    question: str = ""
    answer: str = ""
    problem: str = ""
    nothing: bool = False


def read_reply(generation: Generation, texts: WritingTexts) -> WrittenQuestion:
    """The question and answer in a reply to the prompt `write` of `texts`."""
    plain = MARKUP.sub("", without_thinking(generation.text)).strip()
    if is_nothing(plain):
        return WrittenQuestion(nothing=True)
    question, answer = _labelled(plain, texts) or _labelled(plain, writing_texts("en")) or _json(plain)
    if question and answer:
        for what, text, limit in (("question", question, LONGEST_QUESTION), ("answer", answer, LONGEST_ANSWER)):
            if len(text) > limit:
                return WrittenQuestion(problem=f"The {what} is longer than {limit} characters.")
        return WrittenQuestion(question, answer)
    if generation.finish == "length":
        return WrittenQuestion(problem="The reply reached its limit of tokens before the answer.")
    missing = "answer" if question else "question"
    return WrittenQuestion(problem=f"The reply has no line “{getattr(texts, f'{missing}_label')}: …”.")


def is_nothing(reply: str) -> bool:
    """Whether a reply says that there is nothing to ask or no answer.

    >>> is_nothing("NONE."), is_nothing("None of them")
    (True, False)
    """
    return reply.strip().strip(".。\"'“”").strip() == NOTHING


def _labelled(plain: str, texts: WritingTexts) -> tuple[str, str] | None:
    """The text after each label up to the end of its line; None where there is no question's label."""
    pair = [_after(plain, label) for label in (texts.question_label, texts.answer_label)]
    return (pair[0], pair[1]) if pair[0] else None


def _after(plain: str, label: str) -> str:
    match = regex.search(rf"(?im)^\W*{regex.escape(label)}\s*[0-9]*\s*[:：]\s*(?P<text>\S.*)$", plain)
    return " ".join(match["text"].split()).strip("…").strip() if match else ""


def _json(plain: str) -> tuple[str, str]:
    match = OBJECT.search(plain)
    try:
        values: Any = json.loads(match.group()) if match else {}
    except (ValueError, RecursionError):
        return "", ""
    question, answer = values.get("question"), values.get("answer")
    texts = [" ".join(value.split()) if isinstance(value, str) else "" for value in (question, answer)]
    return texts[0], texts[1]
