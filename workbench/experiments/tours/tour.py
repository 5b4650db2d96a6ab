"""A tour: answers with all that led to them, as a file that is shown without corpus, model or network.

The file is JSON with a format and a version. It may come from anybody, so every text, number and list has a limit, and
nothing of a file is used unless all of it is sound. A workspace has one file per tour, replaced as a whole by every
change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from workbench.core import DataError, TranslationKind, UsageError, shorten, unknown_name
from workbench.data import checked_name
from workbench.languages import is_known
from workbench.workspace import atomic, name_lock, verb

VERSION = 2
FILE_LIMIT = 16 << 20
"""Bytes of a tour's file."""
STOPS_LIMIT = 60
NOTE_LIMIT, HEADLINE_LIMIT = 2_000, 120
"""Characters of a presenter's note, and of a headline."""


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
    """A metric's value; `reason`: why there is none, or why it is set, as that of a format failure is."""

    metric: Line
    value: Number | None = None
    reason: Text = ""


class TourStop(_TourPart):
    """One answer of a tour. `recipe` is YAML, "" where it is not known; `recipe_title` names it in a few words.

    `english` is the question in English, `headline` what the stop shows in one sentence. `missing` says what of the
    trace is not known; `note` is the presenter's. `recorded` is the day on which it was added.
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
    headline: Line = ""
    english: TourTranslation | None = None


class Tour(_TourPart):
    """A tour: its stops in the order in which they are shown."""

    format: Literal["mrag-tour"] = "mrag-tour"
    version: Literal[1, 2] = 2
    stops: Annotated[tuple[TourStop, ...], Field(max_length=STOPS_LIMIT)] = ()


class _Head(BaseModel):
    """What tells a tour from other files, before anything else is read."""

    format: Literal["mrag-tour"]
    version: int


def read_tour(data: bytes, name: str) -> Tour:
    """The tour of a file's bytes. Raises DataError, one sentence that names the file, for anything that is wrong."""
    if len(data) > FILE_LIMIT:
        raise DataError(
            f"The tour “{shorten(name)}” has {len(data):,} bytes. The limit is {FILE_LIMIT:,}: divide it into several."
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
    location = ".".join(str(key) for key in first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")
    return shorten(f"{location}: {message}" if location else message, 160)


FOLDER = "tours"
"""The folder of the tours within a workspace."""


@dataclass(frozen=True, slots=True)
class TourInfo:
    """A tour in the list: how many stops it has and when they were recorded, or the `problem` with its file."""

    name: str
    stops: int = 0
    recorded: str = ""
    problem: str = ""


class TourLibrary:
    """Tours under the folder `home` of a workspace."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def list(self) -> list[TourInfo]:
        """Return all tours by name, those that cannot be read with their problem."""
        return [self._info(path.stem) for path in sorted(self._folder.glob("*.json"))]

    def open(self, name: str) -> Tour:
        """Return the tour called `name`. Raises UsageError for one that does not exist, DataError for a damaged one."""
        path = self._path(name)
        if not path.is_file():
            raise unknown_name("tour", name, [item.stem for item in self._folder.glob("*.json")])
        with path.open("rb") as file:
            return read_tour(file.read(FILE_LIMIT + 1), name)

    def file(self, name: str) -> bytes:
        """Return the tour's file. Raises as `open` does."""
        return tour_bytes(self.open(name))

    @verb("tours.save", "{name}")
    def add_stop(self, name: str, stop: TourStop) -> int:
        """Add a stop at the end of a tour, which is created where there is none; return how many it has.

        Raises UsageError for a name that is not allowed and for a tour that is full, DataError for a damaged one.
        """
        path = self._path(name)
        with name_lock(self._folder, name):
            tour = self.open(name) if path.is_file() else Tour()
            stops = (*tour.stops, stop)
            if len(stops) > STOPS_LIMIT:
                raise UsageError(f"The tour “{name}” has {STOPS_LIMIT} stops, which is the most: begin another tour.")
            self._write(name, Tour(stops=stops))
            return len(stops)

    @verb("tours.save", "{name}")
    def add(self, name: str, tour: Tour) -> None:
        """Store a new tour. Raises UsageError for a name that is taken or not allowed."""
        path = self._path(name)
        with name_lock(self._folder, name):
            if path.exists():
                raise UsageError(f"A tour “{name}” exists already. Choose another name, for example: {name[:60]}-2")
            self._write(name, tour)

    @verb("tours.save", "{name}")
    def add_file(self, name: str, data: bytes) -> Tour:
        """Store a tour's file from elsewhere. Raises DataError for one that is not sound, UsageError as `add` does."""
        tour = read_tour(data, name)
        if not tour.stops:
            raise DataError(f"The tour “{name}” has no stops: choose a file with at least one.")
        self.add(name, tour)
        return tour

    @verb("tours.save", "{name}")
    def move(self, name: str, stop: int, places: int) -> None:
        """Move the stop numbered `stop` (from 1) by a number of places, at most to either end. Raises UsageError."""

        def change(stops: MutableSequence[TourStop]) -> None:
            moved = stops.pop(stop - 1)
            stops.insert(max(0, min(len(stops), stop - 1 + places)), moved)

        self._change(name, stop, change)

    @verb("tours.save", "{name}")
    def remove_stop(self, name: str, stop: int) -> None:
        """Remove the stop numbered `stop` (from 1). Raises UsageError."""
        self._change(name, stop, lambda stops: stops.pop(stop - 1))

    @verb("tours.save", "{name}")
    def set_words(self, name: str, stop: int, headline: str, note: str) -> None:
        """Set the headline and the presenter's note of the stop numbered `stop` (from 1). Raises UsageError."""
        for words, text, limit in (("note", note, NOTE_LIMIT), ("headline", headline, HEADLINE_LIMIT)):
            if len(text) > limit:
                raise UsageError(f"The {words} has {len(text):,} characters: shorten it to {limit:,} or fewer.")

        def change(stops: MutableSequence[TourStop]) -> None:
            words = {"headline": headline.strip(), "note": note.strip()}
            stops[stop - 1] = stops[stop - 1].model_copy(update=words)

        self._change(name, stop, change)

    @verb("tours.save", "{name}")
    def rename(self, name: str, new: str) -> None:
        """Give a tour another name. Raises UsageError for one that does not exist and a name that is taken."""
        target = self._path(new)
        source = self._path(name)
        with name_lock(self._folder, min(name, new)), name_lock(self._folder, max(name, new)):
            self.open(name)
            if target.exists():
                raise UsageError(f"A tour “{new}” exists already. Choose another name, for example: {new[:60]}-2")
            source.rename(target)

    @verb("tours.save", "{name}")
    def remove(self, name: str) -> None:
        """Delete a tour, damaged or not. Raises UsageError for one that does not exist."""
        path = self._path(name)
        with name_lock(self._folder, name):
            if not path.is_file():
                raise unknown_name("tour", name, [item.stem for item in self._folder.glob("*.json")])
            path.unlink()

    def _change(self, name: str, stop: int, change: Callable[[MutableSequence[TourStop]], object]) -> None:
        with name_lock(self._folder, checked_name(name, "tour")):
            stops = [*self.open(name).stops]
            if not 1 <= stop <= len(stops):
                raise UsageError(f"The tour “{name}” has no stop {stop}: choose 1 to {len(stops)}.")
            change(stops)
            self._write(name, Tour(stops=tuple(stops)))

    def _write(self, name: str, tour: Tour) -> None:
        data = tour_bytes(tour)
        # What cannot be read again must not replace what can.
        read_tour(data, name)
        atomic.write_bytes(self._path(name), data)

    def _path(self, name: str) -> Path:
        return self._folder / f"{checked_name(name, 'tour')}.json"

    def _info(self, name: str) -> TourInfo:
        try:
            tour = self.open(name)
        except UsageError as error:
            return TourInfo(name, problem=error.on_screen)
        except OSError as error:
            # One file that cannot be read must not hide the other tours.
            reason = error.strerror or "the disk gives no reason"
            return TourInfo(name, problem=f"The file of the tour “{shorten(name)}” cannot be read ({reason}).")
        days = sorted({stop.recorded for stop in tour.stops})
        return TourInfo(name, len(tour.stops), " to ".join(dict.fromkeys(days[:1] + days[-1:])))
