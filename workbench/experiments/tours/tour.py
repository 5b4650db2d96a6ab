"""A tour: answers with all that led to them, as a file that is shown without corpus, model or network.

The file is JSON with a format and a version. It may come from anybody, so every text, number and list has a limit, and
nothing of a file is used unless all of it is sound.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from workbench.core import DataError, TranslationKind, shorten
from workbench.languages import is_known

VERSION = 1
FILE_LIMIT = 16 << 20
"""Bytes of a tour's file."""
STOPS_LIMIT = 60
NOTE_LIMIT = 2_000
"""Characters of a presenter's note."""


def _known_or_blank(code: str) -> str:
    if code and not is_known(code):
        raise ValueError(f"“{shorten(code, 20)}” is not a language that this workbench knows")
    return code


def _real_day(day: str) -> str:
    date.fromisoformat(day)
    return day


Line = Annotated[str, StringConstraints(max_length=400)]
Text = Annotated[str, StringConstraints(max_length=40_000)]
Note = Annotated[str, StringConstraints(max_length=NOTE_LIMIT)]
PromptText = Annotated[str, StringConstraints(max_length=400_000)]
Code = Annotated[str, StringConstraints(max_length=16), AfterValidator(_known_or_blank)]
"""A language's code, "" where it is not known."""
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Part = Literal["extraction", "explanation", "argumentation"]
"""The parts of a D-RAG answer before its last."""
Day = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), AfterValidator(_real_day)]


class _TourPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TourTranslation(_TourPart):
    """A translation of a document with how it came about (see records.Translation)."""

    text: Text
    source: Code
    target: Code
    kind: TranslationKind
    match: Annotated[float, Field(ge=0, le=1)] | None = None


class TourDocument(_TourPart):
    """A document as the generator read it. `marks` are (start, end) in the text that it read; `gold`: it is a gold."""

    rank: Annotated[int, Field(ge=1, le=1_000_000)]
    id: Line
    title: Line
    language: Code
    text: Text
    translation: TourTranslation | None = None
    scores: Annotated[Mapping[Line, Number], Field(max_length=30)] = {}
    marks: Annotated[tuple[tuple[Count, Count], ...], Field(max_length=200)] = ()
    gold: bool = False


class TourStep(_TourPart):
    """A step of the answer with its time in seconds."""

    name: Line
    component: Annotated[str, StringConstraints(max_length=4_000)]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    cached: bool = False
    facts: Annotated[Mapping[Line, Text], Field(max_length=60)] = {}


class TourScore(_TourPart):
    """A metric's value, or why there is none."""

    metric: Line
    value: Number | None = None
    reason: Text = ""


class TourStop(_TourPart):
    """One answer of a tour. `recipe` is YAML, "" where it is not known; `recipe_title` names it in a few words.

    `missing` says what of the trace is not known; `note` is
    the presenter's. `recorded` is the day on which it was added.
    """

    question: Text
    language: Code
    answer: Text
    answer_language: Code = ""
    recipe_title: Line
    recipe: Text = ""
    recorded: Day
    golds: Annotated[tuple[Line, ...], Field(max_length=100)] = ()
    documents: Annotated[tuple[TourDocument, ...], Field(max_length=200)] = ()
    sections: Mapping[Part, Text] = {}
    system_prompt: PromptText = ""
    user_prompt: PromptText = ""
    steps: Annotated[tuple[TourStep, ...], Field(max_length=60)] = ()
    scores: Annotated[tuple[TourScore, ...], Field(max_length=100)] = ()
    missing: Text = ""
    note: Note = ""


class Tour(_TourPart):
    """A tour: its stops in the order in which they are shown."""

    format: Literal["mrag-tour"] = "mrag-tour"
    version: Literal[1] = 1
    stops: Annotated[tuple[TourStop, ...], Field(max_length=STOPS_LIMIT)] = ()


class _Head(BaseModel):
    """What tells a tour from other files, before anything else is read."""

    format: Literal["mrag-tour"]
    version: int


def read_tour(data: bytes, name: str) -> Tour:
    """The tour of a file's bytes. Raises DataError, one sentence that names the file, for anything that is wrong."""
    if len(data) > FILE_LIMIT:
        raise DataError(
            f"The tour “{shorten(name)}” has {len(data):,} bytes. Allowed are {FILE_LIMIT:,}: divide it into several."
        )
    try:
        head = _Head.model_validate_json(data)
        if head.version > VERSION:
            raise DataError(
                f"The tour “{shorten(name)}” is of version {head.version}, and this workbench reads version {VERSION}: "
                "update the workbench."
            )
        return Tour.model_validate_json(data)
    except ValidationError as error:
        raise DataError(
            f"The file of the tour “{shorten(name)}” is not one that this workbench can show ({_reason(error)}): "
            "record the tour again, or ask for the file again."
        ) from None


def tour_bytes(tour: Tour) -> bytes:
    """The tour as its file's bytes."""
    return tour.model_dump_json(indent=1).encode("utf-8")


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")
    return shorten(f"{place}: {message}" if place else message, 160)
