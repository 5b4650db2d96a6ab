"""A format of datasets, described once: the verb of `mrag import`, the form and the import's job are made from it.

Each module of `formats/` describes one as `FORMAT`, beside its reader, and is found there: a new format is a new
module. A reader gives a `Collection`: the content of a source's files, read and checked before anything is imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath
from pkgutil import iter_modules
from typing import Any, Literal

import regex

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
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.records import NOTHING_IMPORTED, Record
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


OptionKind = Literal["switch", "text", "column", "language", "languages", "corpus", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOption:
    """An option of an import: the keyword argument `name` of the format's reader.

    `kind` is what it holds: yes or no (`switch`), a `text`, the name of a `column`, a `language`'s code, the codes of
    `languages` (none: all), the name of a `corpus` (the reader gets the corpus itself, or None) or the path of a
    further `file`, for which only the command line asks. `flag` is its name there, by default `--` and the name.

    `states` are the titles of a switch that may also be left open. `offered` returns the values that uploaded files
    offer, by their paths and the options before this one. `needs` is the name of an option without which this one is
    idle; screens show it only beside a column. There, a column is `suggested` where those of the data are not known
    yet, an option is shown only for a file with an `ending`, and a `folded` one in an expander.
    """

    name: str
    kind: OptionKind
    title: str
    help: str = ""
    default: Any = ""
    flag: str = ""
    required: bool = False
    states: Mapping[bool | None, str] | None = None
    offered: Callable[[Sequence[PurePath], Mapping[str, Any]], Sequence[str]] | None = None
    needs: str = ""
    placeholder: str = ""
    suggested: str = ""
    ending: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Files:
    """One file, or with `several` any number of them; `endings` of their names (none: anything)."""

    endings: tuple[str, ...]
    several: bool = False
    help: str = "The file, plain or gzipped."


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of files.

    `expected` describes them to people, `file` matches the names of those that are read, and `main` is the start of
    the name of the one that marks their folder ("": they may lie anywhere). `nested`: without their folders they
    cannot be read.
    """

    expected: str
    file: regex.Pattern[str]
    endings: tuple[str, ...] = ()
    main: str = ""
    nested: bool = False
    help: str = "The folder with the files."


@dataclass(frozen=True, slots=True)
class Remote:
    """A dataset that is fetched by its name from a host."""

    title: str
    help: str
    placeholder: str
    host: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFormat:
    """A format: what people call it, what it is read from, its options and its reader.

    `description` says what is read and what becomes of it. `read` takes the path of the file or folder, the paths of
    `several` files or the name of what is `Remote`, and the options as keyword arguments. `rows` reads the rows of a
    file whose columns the options name, for a preview: of a path, as `sheet` where it is a workbook.
    """

    name: str
    title: str
    description: str
    source: Files | Folder | Remote
    read: Callable[..., Collection]
    options: Sequence[ImportOption] = ()
    rows: Callable[..., Iterator[Record]] | None = None


LANGUAGE = ImportOption(
    name="language",
    kind="language",
    title="Language of the files",
    help="The language of all the files. Files in another language are imported afterwards, under the same name.",
    flag="--lang",
    required=True,
)
LANGUAGES = ImportOption(
    name="languages",
    kind="languages",
    title="Languages",
    help="The languages to import. Default: all that the files have.",
    default=(),
    flag="--lang",
)
QUESTIONS_ONLY = ImportOption(
    name="questions_only",
    kind="switch",
    title="Questions only",
    help="No corpus is built, and references to gold passages are dropped.",
    default=False,
)
SPLIT = ImportOption(
    name="split",
    kind="text",
    title="Split",
    help="The part of the dataset to import; results are usually reported on its test part.",
    default="test",
)
GOLD_PAGES = ImportOption(
    name="corpus",
    kind="corpus",
    title="Corpus with the gold pages",
    help="The corpus of Wikipedia that has KILT's pages.",
)


OPENING = ("table", "squad")
"""The formats that stand first; the others follow by title."""


@cache
def dataset_formats() -> Mapping[str, DatasetFormat]:
    """Every format by its name, as the screen and the command line list them."""
    # By name: the formats import this module.
    package = import_module("workbench.data.datasets.formats")
    modules = [import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__)]
    order = {name: number for number, name in enumerate(OPENING)}
    ordered = sorted(
        (module.FORMAT for module in modules), key=lambda form: (order.get(form.name, len(order)), form.title.lower())
    )
    return {form.name: form for form in ordered}


def dataset_format(name: str) -> DatasetFormat:
    """The format of that name. Raises UsageError for one that does not exist."""
    if name not in dataset_formats():
        raise unknown_name("format of datasets", name, dataset_formats())
    return dataset_formats()[name]


def read_dataset(
    form: DatasetFormat, source: Path | Sequence[Path] | str, options: Mapping[str, Any], corpora: CorpusLibrary
) -> Collection:
    """Read and check a source. Options that are not given have their defaults.

    The files must stay until the import is complete, since passages are read more than once. Raises UsageError for a
    corpus that does not exist, and what the format's reader raises.
    """
    values = {option.name: options.get(option.name, option.default) for option in form.options}
    questions_only = values.pop(QUESTIONS_ONLY.name, False)
    for option in form.options:
        if option.kind == "corpus":
            values[option.name] = corpora.open(values[option.name]) if values[option.name] else None
    collection = form.read(source, **values)
    return collection.without_passages() if questions_only else collection
