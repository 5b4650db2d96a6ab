"""What a generator gave, and the whole answer with its trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workbench.records.passage import Evidence
from workbench.records.task import Prompt
from workbench.records.translation import Translation


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (end excluded) of the text of the evidence with rank `rank` (from 1)."""

    rank: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written, and seconds on the clock, retries included. `estimated`: counted by us from the
    texts, since the server gave no figures.
    """

    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    seconds: float = 0.0


Finish = Literal["", "stop", "length", "stopped"]
"""Why a generator ended: it was done, it met its limit of tokens, a person stopped it; "" where it does not say."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A generator's output. `spans` show where an extractive reader took it from; `note` says in one sentence
    what the generator did (the language it kept, what it translated), "" where it has nothing to say.
    `usage` is None for a generator that counts no tokens.
    """

    text: str
    spans: tuple[Span, ...] = ()
    note: str = ""
    translation: Translation | None = None
    usage: Usage | None = None
    finish: Finish = ""


@dataclass(frozen=True, slots=True)
class Sections:
    """The parts of a dialectic answer; "" for a part that was not found. `found` lists those that were, in order;
    `repeated` those that came more than once (the last one counts).
    """

    extraction: str = ""
    explanation: str = ""
    argumentation: str = ""
    answer: str = ""
    found: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One stage's work on one question: seconds on the clock (the batch's share), whether it came from the cache,
    the component that did it, and facts worth showing.
    """

    name: str
    component: str
    seconds: float
    cached: bool
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything one question under one recipe gave. `language` is the user's, `answer_language` the detected
    language of `text` ("" where it cannot be told).
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
