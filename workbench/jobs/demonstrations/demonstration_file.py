"""Demonstrations as a file: one JSON object per line, in trl's conversational prompt-completion format.

    {"prompt": [{"role": "system", "content": …}, {"role": "user", "content": …}],
     "completion": [{"role": "assistant", "content": …}],
     "id": …, "group": …, "language": …, "kind": "drag", "dataset": …, "question": …, "answers": […],
     "passages": [{"id": …, "title": …, "language": …, "licence": …, "source": …}]}

trl reads the first two keys and takes the loss on the completion alone. The others say where a line comes from:
demonstrations of one `group` are a question with its translations, and no split may part them. What was written is read
back and written again byte by byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.core import DataError, shorten
from workbench.data import NOTHING_IMPORTED, json_records

DemonstrationKind = Literal["drag", "rag", "translation"]
"""`drag`: an answer by D-RAG; `rag`: one by plain RAG from the same documents; `translation`: a text in English."""
DEMONSTRATION_KINDS: tuple[DemonstrationKind, ...] = get_args(DemonstrationKind)
LINES_LIMIT = 1_000_000
"""Lines of one file: they are checked in memory."""
Text = Annotated[str, Field(max_length=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=500)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ChatMessage(_Record):
    """One message of a chat, as trl has it."""

    role: Literal["system", "user", "assistant"]
    content: Text


class DemonstrationPassage(_Record):
    """A document of a prompt: which passage it is, and the licence and the source of its corpus."""

    id: Name
    title: Text
    language: Name
    licence: Text
    source: Text


class Demonstration(_Record):
    """One line of a file, as the module describes it; `answers` are the gold answers of the question."""

    prompt: Annotated[list[ChatMessage], Field(min_length=1, max_length=2)]
    completion: Annotated[list[ChatMessage], Field(min_length=1, max_length=1)]
    id: Name
    group: Name
    language: Name
    kind: DemonstrationKind
    dataset: Text
    question: Text
    answers: list[Text]
    passages: list[DemonstrationPassage]

    @property
    def text(self) -> str:
        """The completion's text, on which a model is tuned."""
        return self.completion[0].content

    @property
    def line(self) -> str:
        """The demonstration as it stands in a file, with the end of its line."""
        return json.dumps(self.model_dump(), ensure_ascii=False) + "\n"


def write_demonstrations(demonstrations: Iterable[Demonstration]) -> str:
    """The text of a file of these demonstrations, in their order."""
    return "".join(item.line for item in demonstrations)


def read_demonstrations(path: Path) -> tuple[Demonstration, ...]:
    """The demonstrations in a file, in its order.

    Raises UsageError for a path that is not a file; DataError, one sentence with the line, for a file that is empty or
    has a line of another form or an id twice.
    """
    demonstrations: dict[str, Demonstration] = {}
    for record in json_records(path, rows=LINES_LIMIT):
        try:
            item = Demonstration.model_validate(dict(record.values))
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(map(str, first["loc"]))
            raise record.error(f"is not a demonstration: {shorten(at, 60)}: {shorten(first['msg'], 120)}") from error
        if [message.role for message in (*item.prompt, *item.completion)][-2:] != ["user", "assistant"]:
            raise record.error("is not a demonstration: a prompt ends with “user”, and “assistant” completes it")
        if item.id in demonstrations:
            raise record.error(f"has the id “{shorten(item.id)}” of an earlier line")
        demonstrations[item.id] = item
    if not demonstrations:
        raise DataError(f"{path.name} holds no demonstrations, {NOTHING_IMPORTED}.")
    return tuple(demonstrations.values())
