"""Queries, what a generator is asked to do, and its reply without what it wrote while thinking."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from workbench.core.passage import Evidence


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search with, the language it is in, and the languages searched."""

    text: str
    language: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """The structured side of a prompt, for generators that are not language models.

    `answer_language` is the language that the instructions ask the answer to be in, "" where they name none.
    `entities_in` is the language whose alphabet named entities are asked for, "" where none is asked for.
    `dialectic` lists the parts that a D-RAG prompt asks for, () for plain RAG; `argument_language_in` whether "all" of
    them but the answer are asked for in `argument_language`, or the "extraction" alone. `compressed` holds notes that
    are read in place of the documents, "" where those are read.
    """

    question: str
    language: str
    evidence: tuple[Evidence, ...] = ()
    answer_language: str = ""
    entities_in: str = ""
    dialectic: tuple[str, ...] = ()
    argument_language: str = "en"
    argument_language_in: str = "all"
    compressed: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The exact texts that a language model gets, and the task that they spell out."""

    system: str
    user: str
    task: Task


THINKING = regex.compile(r"<(think(?:ing)?)>.*?(?:</\1>|\Z)", regex.DOTALL | regex.IGNORECASE)
"""A thought; one that never ends takes the rest of the text with it."""
END = regex.compile(r"</think(?:ing)?>", regex.IGNORECASE)
"""The end of a thought whose beginning the model's chat template has written already."""


def without_thinking(text: str) -> str:
    r"""`text` without `<think>…</think>` and the white space around it; unchanged where it has no such part.

    >>> without_thinking("<think>[1] says Paris?</think>\n\nParis"), without_thinking("so be it.</think> Paris")
    ('Paris', 'Paris')
    """
    if "think" not in text.casefold():
        return text
    answer: str = END.split(THINKING.sub("", text))[-1]
    return answer.strip() if answer != text else text
