"""The content of a source's files, read and checked before anything is imported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.core import (
    BY_PAGE,
    BY_PASSAGE,
    DataError,
    Passage,
    Question,
    UsageError,
    page_name,
    shorten,
    unknown_name,
)
from workbench.data.corpora.corpus import Corpus
from workbench.data.datasets.files.record import NOTHING_IMPORTED
from workbench.languages import language

AS_PUBLISHED = "as published by its authors"
"""The licence of a source whose licence we do not know for certain."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The questions of one or more languages, and the passages if the source provides any.

    `kind` names the loader and `files` the files that it read. `passages` may be called more than once; it reads its
    files again each time, so a large corpus is never in memory. If `parallel`, one id is one question in every
    language. If `aligned`, gold names groups of passages in translation. `answers_in` is the language of the gold
    answers, "" if it is the question's. `left_out` counts the questions that were not taken, by reason. If `numbered`,
    the ids are the numbers of rows. `warnings`: a sentence for each thing that may not be meant so. If `gold_level` is
    `page`, gold names pages by their keys.
    """

    kind: str
    title: str
    files: tuple[str, ...]
    questions: tuple[Question, ...]
    licence: str = AS_PUBLISHED
    description: str = ""
    passages: Callable[[], Iterator[Passage]] | None = None
    corpus: str = ""
    parallel: bool = False
    aligned: bool = False
    answers_in: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    numbered: bool = False
    warnings: tuple[str, ...] = ()
    gold_level: str = BY_PASSAGE

    @property
    def source(self) -> str:
        """The title and the files, as the corpus and the dataset state their source."""
        return f"{self.title}: {', '.join(self.files)}"

    def languages(self) -> dict[str, int]:
        """Return the number of questions by language, sorted by code."""
        return dict(sorted(Counter(question.language for question in self.questions).items()))

    def without_passages(self) -> Collection:
        """Return the questions only; gold that names passages is dropped."""
        questions = tuple(replace(question, gold=()) for question in self.questions)
        return replace(self, passages=None, aligned=False, questions=questions)

    def over_pages(self, corpus: Corpus) -> Collection:
        """Return it over a corpus, whose pages its gold names, with a warning of pages that are not there.

        Raises UsageError if the files name no page.
        """
        name = corpus.manifest.name
        if self.gold_level != BY_PAGE:
            raise UsageError(
                f"{', '.join(self.files)} names no pages that answer its questions, so there is nothing to look "
                f"up in “{name}”: leave the corpus out, or name a file of KILT with “provenance”."
            )
        pages = {page_name(key) for question in self.questions for key in question.gold}
        missing = len(pages) - len(corpus.golds.languages(pages))
        warnings = [f"{missing:,} of {len(pages):,} gold pages are not in the corpus “{name}”."] if missing else []
        return replace(self, corpus=name, warnings=(*self.warnings, *warnings))


class UniqueIds:
    """The ids read so far, each with its place; a second one is refused.

    `kind` says what is numbered, for messages: “question id”.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._places: dict[str, str] = {}

    def add(self, name: str, where: str, *, language: str = "") -> None:
        """Record `name` at `where`; with `language`, the same id may occur once in each language.

        Raises DataError for an id that was added before.
        """
        key = f"{language}\n{name}"
        if key in self._places:
            raise DataError(
                f"The {self._kind} “{shorten(name)}” in {where} is already in {self._places[key]}: ids must be "
                f"unique, {NOTHING_IMPORTED}."
            )
        self._places[key] = where

    def __contains__(self, name: str) -> bool:
        return f"\n{name}" in self._places


def language_code(name: str) -> str:
    """Return the code of a language such as `fi`. Raises UsageError for an unknown one."""
    return language(name).code


def language_codes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the codes of some languages, each once; () for `all` or none. Raises UsageError for an unknown one."""
    return tuple(dict.fromkeys(language_code(name) for name in names if name != "all"))


def in_languages(
    questions: Sequence[Question], languages: Sequence[str], available: Sequence[str]
) -> tuple[Question, ...]:
    """Return the questions in `languages`, all if there are none. Raises UsageError for one that is not `available`."""
    for name in languages:
        if name not in available:
            raise unknown_name(
                "language of these files", name, available, "Name each one that is to be imported, or none for all."
            )
    return tuple(question for question in questions if not languages or question.language in languages)


def no_questions(title: str, files: Sequence[str], left_out: Mapping[str, int]) -> UsageError:
    """Return the error for files without a single question to import; it states the reasons in `left_out`."""
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count)
    return DataError(
        f"{', '.join(files)} holds no question that can be imported as {title}"
        f"{f' ({reasons})' if reasons else ''}, {NOTHING_IMPORTED}."
    )
