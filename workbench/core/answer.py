"""A generator's output, and the complete answer with its trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workbench.core.passage import Evidence, Translation
from workbench.core.task import Prompt


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (end excluded) of the text of the evidence with rank `rank` (from 1)."""

    rank: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written, and seconds of wall-clock time, retries included.

    `estimated`: counted here from the texts, since the server gave no figures.
    """

    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    seconds: float = 0.0


def total_usage(usages: Iterable[Usage | None]) -> Usage | None:
    """What several calls used, None where none counted."""
    counted = [usage for usage in usages if usage is not None]
    if not counted:
        return None
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in counted),
        completion_tokens=sum(usage.completion_tokens for usage in counted),
        estimated=any(usage.estimated for usage in counted),
        seconds=sum(usage.seconds for usage in counted),
    )


Finish = Literal["", "stop", "length", "stopped"]
"""Why a generator ended: it was done, it reached its limit of tokens, a person stopped it; "" where unknown."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A generator's output.

    `spans` show where an extractive reader took it from; `note` says in one sentence what the generator did (the
    language it kept, what it translated), "" where there is nothing to say. `usage` is None for a generator that counts
    no tokens. `abstains`: the generator was given evidence and reports that none of it bears on the question. `server`
    is the host that answered, where the endpoint has several; "" where its identity names it.
    """

    text: str
    spans: tuple[Span, ...] = ()
    note: str = ""
    translation: Translation | None = None
    usage: Usage | None = None
    finish: Finish = ""
    abstains: bool = False
    server: str = ""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What is searched with in place of the question: at least one query, in the language of `language`.

    `note` says in one sentence what a reader must know (there was nothing to split, the reply was empty), "" otherwise.
    """

    queries: tuple[str, ...]
    language: str
    note: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Compression:
    """What a generator reads in place of the documents: notes on them in `language`.

    `text` is "" where nothing was written, so that the documents are read as they are. `ranks` are those of the
    documents that the notes are of. `abstains`: none of them bears on the question. `note` as in `Expansion`.
    """

    text: str
    language: str
    ranks: tuple[int, ...] = ()
    abstains: bool = False
    note: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Sections:
    """The parts of a dialectic answer, "" for a part that is missing.

    `present` lists those that are not, in order; `repeated` those that came more than once (the last one counts).
    """

    extraction: str = ""
    explanation: str = ""
    argumentation: str = ""
    answer: str = ""
    present: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One stage's work on one question.

    `component` is the identity of the one that did it; `seconds` the question's share of the batch's wall-clock time;
    `cached` whether it came from the cache; `facts` what is worth showing, by name. `key` is that of its output in the
    cache, the same for equal work on equal input; "" for a step that was not run.
    """

    name: str
    component: str
    seconds: float
    cached: bool
    facts: Mapping[str, str] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one question under one recipe.

    `language` is the user's, `answer_language` the detected language of `text` ("" where it is undetermined).
    """

    question: str
    language: str
    text: str
    answer_language: str
    evidence: tuple[Evidence, ...]
    prompt: Prompt
    generation: Generation
    steps: tuple[Step, ...]
    sections: Sections | None = None
    question_translation: Translation | None = None
    answer_translation: Translation | None = None
    expansion: Expansion | None = None
    compression: Compression | None = None
