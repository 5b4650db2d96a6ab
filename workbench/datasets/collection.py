"""What a source's files hold, read and checked, before anything of it is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.datasets.files.record import NOTHING
from workbench.errors import DataError, UsageError, shorten, unknown
from workbench.languages import language
from workbench.records import Passage, Question

AUTHORS = "as published by its authors"
"""The licence where we do not know it for certain."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The questions of one or more languages, and the passages where the source brings any.

    `kind` names the loader and `files` what it read. `passages` may be called more than once and reads its files anew
    each time, so that a large corpus never lies in memory. `parallel`: one id is one question, whatever the language.
    `aligned`: gold names groups of passages in translation. `answers_in` is the language of the gold answers, "" where
    it is the question's. `left_out` counts what was not taken, by reason.
    """

    kind: str
    title: str
    files: tuple[str, ...]
    questions: tuple[Question, ...]
    licence: str = AUTHORS
    description: str = ""
    passages: Callable[[], Iterator[Passage]] | None = None
    corpus: str = ""
    parallel: bool = False
    aligned: bool = False
    answers_in: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """What the corpus and the dataset say of where they come from."""
        return f"{self.title}: {', '.join(self.files)}"

    def languages(self) -> dict[str, int]:
        """How many questions there are in each language."""
        return dict(sorted(Counter(question.language for question in self.questions).items()))

    def without_passages(self) -> Collection:
        """The questions alone; gold that would name passages is dropped."""
        questions = tuple(replace(question, gold=()) for question in self.questions)
        return replace(self, passages=None, aligned=False, questions=questions)


class Unique:
    """Remembers where each id stood, and refuses the second one."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._seen: dict[str, str] = {}

    def add(self, name: str, where: str, *, language: str = "") -> None:
        """Notes `name` (of one language, where the same id may stand in several). Raises DataError."""
        key = f"{language}\n{name}"
        if key in self._seen:
            raise DataError(
                f"The {self._what} “{shorten(name)}” in {where} stands already in {self._seen[key]}: ids must be "
                f"unique, {NOTHING}."
            )
        self._seen[key] = where

    def __contains__(self, name: str) -> bool:
        return f"\n{name}" in self._seen


def checked_languages(wanted: Sequence[str]) -> tuple[str, ...]:
    """The codes asked for, each once; none is all. Raises UsageError."""
    return tuple(dict.fromkeys(language(code).code for code in wanted if code != "all"))


def in_languages(questions: Sequence[Question], wanted: Sequence[str], found: Sequence[str]) -> tuple[Question, ...]:
    """The questions in the languages `wanted` (all where none is). Raises UsageError for one that is not `found`."""
    for code in wanted:
        if code not in found:
            raise unknown("language of these files", code, found, "Type --lang once for each, or leave it out for all.")
    return tuple(question for question in questions if not wanted or question.language in wanted)


def none_left(title: str, files: Sequence[str], left_out: Mapping[str, int]) -> UsageError:
    """The error for files without a single question to take."""
    why = "; ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count)
    return DataError(
        f"{', '.join(files)} holds no question that {title} could take{f' ({why})' if why else ''}, {NOTHING}."
    )
