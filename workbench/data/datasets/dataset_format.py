"""A format of datasets, described once: the verb of `mrag import`, the form and the import's job are made from it.

Each module of `formats/` describes one as `FORMAT`, beside its reader; `format_registry` finds them there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

import regex

from workbench.data.datasets.collection import Collection
from workbench.data.datasets.files.record import Record

OptionKind = Literal["switch", "text", "column", "language", "languages", "corpus", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOption:
    """An option of an import: the keyword argument `name` of the format's reader.

    `kind` is what it holds: yes or no (`switch`), a `text`, the name of a `column`, a `language`'s code, the codes of
    `languages` (none: all), the name of a `corpus` (the reader gets the corpus itself, or None) or the path of a
    further `file`, for which only the command line asks. `flag` is its name there, by default `--` and the name.

    `states` are the titles of a switch that may also be left open. `offered` returns the values that uploaded files
    offer, by their paths and the options before this one. `needs` is the name of an option without which this one is
    idle. On the screen, a column is `suggested` where those of the data are not known yet, an option is shown only for
    a file with an `ending`, and a `folded` one in an expander.
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
    on_screen: bool = True


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
